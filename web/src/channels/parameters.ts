import { computed, effect, signal, untracked } from '@preact/signals';
import type { Client } from '../../../src/client/client.ts';
import { calculatedNames } from '../lines/calculated.ts';
import { conversions } from '../lines/conversions.ts';
import type { Conversion } from '../lines/units.ts';
import { askAgain } from '../runs/asked-again.ts';
import { refreshes } from '../runs/found.ts';
import { mayGrow, readStreamsAgain } from '../runs/open-streams.ts';
import { client } from '../session.ts';
import { ofEachTopic } from '../state/by-topic.ts';
import type { MathChannel } from '../state/math-text.ts';
import { stable } from '../state/stable.ts';
import { chosenLooks, chosenUnits, isLive, math, streams } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';
import { type Loaded, loaded } from '../ui/loading.ts';
import { hasNumbers, type ParameterEntry } from './parameter-entry.ts';
import { conversionFor, inShownUnit } from './shown-units.ts';

/** Grows when the runs have other channels than are listed. */
const again = signal(0);
/** So many channels are looked at less often: once in so many refreshes. */
const many = { channels: 1000, refreshes: 6 } as const;

/** Parameters of the open runs as the service lists them. */
export const listedParameters = loaded<ParameterEntry[]>(() => {
  const service = client.value;
  const open = streams.value;
  if (service === undefined || open.length === 0) return undefined;
  return (signal) => loadParameters(service, open, signal);
}, again);
askAgain(listedParameters);

/** Lists them anew: rows that came since may be of other channels. */
export function readParametersAgain(): void {
  again.value = again.peek() + 1;
}

/** Channels may come, and get units and limits, while one looks. What is listed stays as it is until something differs. */
effect(() => {
  const round = refreshes.value;
  const [service, open] = [client.peek(), streams.peek()];
  const { value, busy } = listedParameters.peek();
  if (service === undefined || value === undefined || busy) return undefined;
  // The first one may be written now.
  const isWanted = value.length === 0 || mayGrow.peek();
  if (!isWanted || (value.length > many.channels && round % many.refreshes !== 0)) return undefined;
  const asking = new AbortController();
  untracked(() => loadParameters(service, open, asking.signal)).then(
    (found) => {
      const isOld = JSON.stringify(found) !== JSON.stringify(value);
      if (!isOld || listedParameters.peek().value !== value) return;
      readParametersAgain();
      // A channel that is new has its rows where the run has gone on to.
      const isNew = found.some(({ id }) => !value.some((known) => known.id === id));
      if (isNew && !isLive.peek()) readStreamsAgain();
    },
    // It is asked for again.
    () => undefined,
  );
  return () => asking.abort(new Error('it is asked for anew'));
});

/** The same with the channels of the view; one of them stands for what its topic keeps under its name. */
const parameters = computed<Loaded<ParameterEntry[]>>(() => {
  const listed = listedParameters.value;
  const own = math.value;
  if (listed.value === undefined || own.length === 0) return listed;
  const names = new Set(own.map(({ name }) => name));
  const others = listed.value.filter(({ id, type }) => type !== 'Calculated' || !names.has(id));
  return { ...listed, value: [...own.map(entryOf), ...others] };
});

/** The same in the units in which they are shown. */
export const openParameters = computed<Loaded<ParameterEntry[]>>(() => {
  const known = parameters.value;
  if (known.value === undefined || !conversions.value?.size) return known;
  return { ...known, value: known.value.map(inShownUnit) };
});

const shownUnits = stable(() => {
  const { value, error } = parameters.value;
  if (value === undefined && error === undefined) return undefined;
  const found = new Map<string, Conversion>();
  for (const entry of value ?? []) {
    const own =
      hasNumbers(entry) && !found.has(entry.id)
        ? conversionFor(entry, chosenLooks.value, chosenUnits.value)
        : undefined;
    if (own !== undefined) found.set(entry.id, own);
  }
  return [...found];
});
effect(() => {
  conversions.value = shownUnits.value && new Map(shownUnits.value);
});

const keptNames = stable(() =>
  (listedParameters.value.value ?? []).filter(({ type }) => type === 'Calculated').map(({ id }) => id),
);
effect(() => {
  calculatedNames.value = new Set([...keptNames.value, ...math.value.map(({ name }) => name)]);
});

function entryOf({ name, expression, unit }: MathChannel): ParameterEntry {
  return {
    id: name,
    type: 'Calculated',
    location: 'This view',
    name,
    unit,
    ownUnit: unit,
    description: '',
    minimum: undefined,
    maximum: undefined,
    names: undefined,
    expression,
    isOfView: true,
  };
}

async function loadParameters(
  service: Client,
  streams: readonly StreamRef[],
  signal: AbortSignal,
): Promise<ParameterEntry[]> {
  const found = await ofEachTopic(streams, (place) => service.parameters(place, { signal }));
  const entries = new Map<string, ParameterEntry>();
  for (const info of found) {
    const key = `${info.type} ${info.parameterId}`;
    if (entries.has(key)) continue;
    entries.set(key, {
      id: info.parameterId,
      type: info.type,
      location: info.location ?? '/',
      name: info.name ?? info.parameterId,
      unit: info.unit ?? '',
      ownUnit: info.unit ?? '',
      description: info.description ?? '',
      minimum: info.minimumValue,
      maximum: info.maximumValue,
      names: info.valueNames,
      expression: info.expression ?? '',
      isOfView: false,
    });
  }
  return [...entries.values()].sort((a, b) => (a.location + a.id < b.location + b.id ? -1 : 1));
}
