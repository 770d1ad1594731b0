import type { Client, ParameterInfo } from '../../../src/client/client.ts';
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

/** The channels of streams as the service lists them, those of one kind and name as one. */
export async function loadParameters(
  service: Client,
  streams: readonly StreamRef[],
  signal: AbortSignal,
): Promise<ParameterEntry[]> {
  const found = await ofEachTopic(streams, async ({ topic, streamIds }) =>
    (await service.parameters({ topic, streamIds }, { signal })).map((info) => ({ info, topic })),
  );
  const entries = new Map<string, ParameterEntry>();
  for (const { info, topic } of found) {
    const key = `${info.type} ${info.parameterId}`;
    const unit = info.unit ?? '';
    const own = streams.filter((open) =>
      info.streamIds.some((streamId) => isStream(open, { topic, streamId })),
    );
    const before = entries.get(key);
    const written = [...(before?.written ?? []), { unit, streams: own }];
    const ownUnit = ownUnitOf(written.map((one) => one.unit));
    entries.set(
      key,
      before === undefined ? entryOfInfo(info, written) : { ...before, unit: ownUnit, ownUnit, written },
    );
  }
  return [...entries.values()].sort((a, b) => (a.location + a.id < b.location + b.id ? -1 : 1));
}

function entryOfInfo(info: ParameterInfo, written: ParameterEntry['written']): ParameterEntry {
  return {
    id: info.parameterId,
    type: info.type,
    location: info.location ?? '/',
    name: info.name ?? info.parameterId,
    unit: info.unit ?? '',
    ownUnit: info.unit ?? '',
    written,
    description: info.description ?? '',
    minimum: info.minimumValue,
    maximum: info.maximumValue,
    names: info.valueNames,
    expression: info.expression ?? '',
    isOfView: false,
  };
}
