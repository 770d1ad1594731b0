import { computed, effect, signal, untracked } from '@preact/signals';
import { calculatedNames } from '../lines/calculated.ts';
import { conversions, streamKey } from '../lines/conversions.ts';
import type { Conversion } from '../lines/units.ts';
import { askAgain } from '../runs/asked-again.ts';
import { refreshes } from '../runs/found.ts';
import { mayGrow, readStreamsAgain } from '../runs/open-streams.ts';
import { client } from '../session.ts';
import { stable } from '../state/stable.ts';
import { chosenLooks, chosenUnits, isLive, math, streams, wantsUnits } from '../state/view.ts';
import { type Loaded, loaded } from '../ui/loading.ts';
import { entryOf, loadParameters } from './list-parameters.ts';
import { hasNumbers, type ParameterEntry } from './parameter-entry.ts';
import { asShown, conversionFor } from './shown-units.ts';

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
  return { ...listed, value: [...own.map((channel) => entryOf(channel, streams.value)), ...others] };
});

const chosen = computed(() => ({ looks: chosenLooks.value, units: chosenUnits.value }));

/** The same in the units in which they are shown. */
export const openParameters = computed<Loaded<ParameterEntry[]>>(() => {
  const known = parameters.value;
  if (known.value === undefined || !wantsUnits.value) return known;
  return { ...known, value: known.value.map((entry) => asShown(entry, chosen.value)) };
});

/** Of each stream its channels that are converted. */
const shownUnits = stable(() => {
  const { value, error } = parameters.value;
  if (value === undefined && error === undefined) return undefined;
  const found = new Map<string, [parameter: string, Conversion][]>();
  const known = new Set<string>();
  for (const entry of value ?? []) {
    // A channel of the view stands before others of its name.
    if (!hasNumbers(entry) || known.has(entry.id)) continue;
    known.add(entry.id);
    for (const { unit, streams: open } of entry.written) {
      const own = conversionFor(entry, chosen.value, unit);
      if (own === undefined) continue;
      for (const key of open.map(streamKey)) found.set(key, [...(found.get(key) ?? []), [entry.id, own]]);
    }
  }
  return [...found];
});
effect(() => {
  conversions.value =
    shownUnits.value && new Map(shownUnits.value.map(([stream, own]) => [stream, new Map(own)]));
});

const keptNames = stable(() =>
  (listedParameters.value.value ?? []).filter(({ type }) => type === 'Calculated').map(({ id }) => id),
);
effect(() => {
  calculatedNames.value = new Set([...keptNames.value, ...math.value.map(({ name }) => name)]);
});
