import type { Client, ParameterInfo } from '../../../src/client/client.ts';
import { inUnit } from '../lines/conversions.ts';
import { areAlike, conversionTo } from '../lines/units.ts';
import { ofEachTopic } from '../state/by-topic.ts';
import type { MathChannel } from '../state/math-text.ts';
import type { StreamRef } from '../state/refs.ts';
import { isStream } from '../state/same-stream.ts';
import type { ParameterEntry } from './parameter-entry.ts';
import { ownUnitOf } from './shown-units.ts';

/** A channel of the view as one of these runs. */
export function entryOf(
  { name, expression, unit }: MathChannel,
  streams: readonly StreamRef[],
): ParameterEntry {
  return {
    id: name,
    type: 'Calculated',
    location: 'This view',
    name,
    unit,
    ownUnit: unit,
    written: [{ unit, streams }],
    description: '',
    minimum: undefined,
    maximum: undefined,
    names: undefined,
    expression,
    isOfView: true,
  };
}

/** A channel as some of the open runs have it. */
interface Listed {
  readonly info: ParameterInfo;
  readonly own: readonly StreamRef[];
}

/**
 * The channels of streams as the service lists them, those of one kind and name as one. The first stream that says something
 * of it counts.
 */
export async function loadParameters(
  service: Client,
  streams: readonly StreamRef[],
  signal: AbortSignal,
): Promise<ParameterEntry[]> {
  const found = await ofEachTopic(streams, async ({ topic, streamIds }) =>
    (await service.parameters({ topic, streamIds }, { signal })).map((info): Listed => {
      const isOwn = (open: StreamRef) =>
        info.streamIds.some((streamId) => isStream(open, { topic, streamId }));
      return { info, own: streams.filter(isOwn) };
    }),
  );
  const placeOf = ({ own: [first] }: Listed) => streams.indexOf(first!);
  const entries = new Map<string, Listed[]>();
  for (const one of found.sort((a, b) => placeOf(a) - placeOf(b))) {
    const key = `${one.info.type} ${one.info.parameterId}`;
    entries.set(key, [...(entries.get(key) ?? []), one]);
  }
  return [...entries.values()]
    .map(entryOfAll)
    .sort((a, b) => (a.location + a.id < b.location + b.id ? -1 : 1));
}

function entryOfAll(all: readonly Listed[]): ParameterEntry {
  const infos = all.map(({ info }) => info);
  const written = all.map(({ info, own }) => ({ unit: info.unit ?? '', streams: own }));
  const ownUnit = ownUnitOf(written.map(({ unit }) => unit));
  const first = (fact: 'location' | 'name' | 'description' | 'expression') =>
    infos.find((info) => info[fact] !== undefined)?.[fact];
  const { parameterId: id, type } = infos[0]!;
  return {
    id,
    type,
    location: first('location') ?? '/',
    name: first('name') ?? id,
    unit: ownUnit,
    ownUnit,
    written,
    description: first('description') ?? '',
    ...limitsIn(ownUnit, infos),
    names: namesIn(infos),
    expression: first('expression') ?? '',
    isOfView: false,
  };
}

/** The limits in a unit; none where units do not convert, for they would be those of other values. */
function limitsIn(
  ownUnit: string,
  infos: readonly ParameterInfo[],
): Pick<ParameterEntry, 'minimum' | 'maximum'> {
  const isLimited = ({ minimumValue, maximumValue }: ParameterInfo) =>
    (minimumValue ?? maximumValue) !== undefined;
  const info = infos.find(isLimited);
  const unit = info?.unit ?? ownUnit;
  if (info === undefined || !areAlike(unit, ownUnit)) return { minimum: undefined, maximum: undefined };
  const own = conversionTo(ownUnit, unit);
  const limit = (value: number | undefined) =>
    value === undefined || own === undefined ? value : inUnit(own, value);
  return { minimum: limit(info.minimumValue), maximum: limit(info.maximumValue) };
}

/** What numbers are called; one that runs call otherwise has all of its names. */
function namesIn(infos: readonly ParameterInfo[]): ParameterEntry['names'] {
  const found = new Map<string, string>();
  for (const [number, name] of infos.flatMap(({ valueNames }) => Object.entries(valueNames ?? {}))) {
    const known = found.get(number);
    if (known === undefined) found.set(number, name);
    else if (!known.split(' / ').includes(name)) found.set(number, `${known} / ${name}`);
  }
  return found.size === 0 ? undefined : Object.fromEntries(found);
}
