import { computed, signal } from '@preact/signals';
import type { ParameterDataQuery } from '../../../src/client/client.ts';
import { openParameters } from '../channels/parameters.ts';
import { plotted } from '../channels/plotted.ts';
import { axes, comparedLaps, overlay } from '../laps/overlay-state.ts';
import { byUnits } from '../lines/conversions.ts';
import { withMath, withShownUnits } from '../lines/math-query.ts';
import { unitOf } from '../plots/axes.ts';
import { restedRange, seenRange } from '../plots/range.ts';
import { isStream } from '../state/same-stream.ts';
import { beside, isLive, math, mode, plots, streams } from '../state/view.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';

/** Whether the names of all columns of a file have their units; those that are converted have them anyway. */
export const hasUnits = signal(false);

/** What of the rows is seen: parameters by kind, and of a tag which values. */
interface Seen {
  readonly numeric: readonly string[];
  readonly strings?: readonly string[];
  readonly tag?: string;
  readonly values?: readonly string[];
}

/** The plotted parameters, or all where none is plotted. */
function seenOverTime(): Seen {
  const named = plotted.value;
  if (plots.value.length > 0 || besidePlots().length > 0) {
    const numeric = [...new Set([...(named?.numbers ?? []), ...besidePlots()])];
    return { numeric, strings: [...(named?.texts ?? []), ...textsOf(numeric)] };
  }
  const entries = openParameters.value.value ?? [];
  const namesOf = (type: string) => entries.filter((entry) => entry.type === type).map(({ id }) => id);
  return { numeric: [...namesOf('Numeric'), ...namesOf('Calculated')], strings: namesOf('String') };
}

/** Text that has the name of numbers goes with them. */
function textsOf(names: readonly string[]): string[] {
  const entries = openParameters.value.value ?? [];
  return entries.filter(({ type, id }) => type === 'String' && names.includes(id)).map(({ id }) => id);
}

/** The plotted parameters of what is laid over each other, and what it is laid over. */
function seenInOverlay(): Seen {
  const { tag, alignBy } = overlay.value;
  const { numbers = [], texts = [] } = plotted.value ?? {};
  if (numbers.length + texts.length === 0 || comparedLaps.value.length === 0) return { numeric: [] };
  const numeric = [...new Set([...numbers, ...(alignBy === '' ? [] : [alignBy]), ...besidePlots()])];
  return { numeric, strings: [...texts, ...textsOf(numeric)], tag };
}

/** Parameters of the panel beside the plots. */
function besidePlots(): readonly string[] {
  const [x, y] = axes.value;
  const isDrawn = beside.value.includes('xy') && x !== '' && y !== '';
  return isDrawn ? axes.value.filter((name) => name !== '') : [];
}

const seenIn = {
  time: seenOverTime,
  table: seenOverTime,
  overlay: seenInOverlay,
} as const;

/** Streams, and of each of them the same values of the tag. */
interface Part {
  readonly streams: readonly StreamRef[];
  readonly values: readonly string[];
}

/** What is compared: one part where all streams have laps of the same numbers, else one for each stream. */
function comparedParts(): Part[] {
  const parts: { streams: StreamRef[]; values: string[] }[] = [];
  for (const { stream, value } of comparedLaps.value) {
    const own = parts.find(({ streams: [only] }) => isStream(only!, stream));
    if (own === undefined) parts.push({ streams: [stream], values: [value] });
    else own.values.push(value);
  }
  const [first] = parts;
  const isSame = parts.every(
    ({ values }) => values.toSorted().join('\n') === first!.values.toSorted().join('\n'),
  );
  return first !== undefined && isSame
    ? [{ streams: parts.flatMap((part) => part.streams), values: first.values }]
    : parts;
}

/**
 * The rows behind what is seen, and no others: one query, or one for each topic, for each unit in which a channel was
 * written, or for each stream where laps of several are compared. The `reader` answers it in the units that are shown.
 */
export const shownQueries = computed<readonly ParameterDataQuery[]>(() => {
  const open = streams.value;
  const range = isLive.value ? seenRange.value : restedRange.value;
  const seen = seenIn[mode.value]();
  const count = seen.numeric.length + (seen.strings ?? []).length;
  if (open.length === 0 || range === undefined || count === 0) return [];
  const parts = mode.value === 'overlay' ? comparedParts() : [{ streams: open, values: seen.values ?? [] }];
  return parts.flatMap((part) => queriesOf(part, seen, range));
});

/** The same as the service understands it: what a file is made of, and what is copied. */
export const exportQueries = computed<readonly ParameterDataQuery[]>(() =>
  shownQueries.value.map((query) => withMath(withShownUnits(query, unitOf, hasUnits.value), math.value)),
);

/** One for each topic, and for each unit. */
function queriesOf(
  { streams: open, values }: Part,
  { numeric, strings = [], tag = '' }: Seen,
  range: TimeRange,
): ParameterDataQuery[] {
  const requested = (names: readonly string[]) => names.map((parameterName) => ({ parameterName }));
  const places = byUnits(open);
  const topics = new Set(places.map(({ topic }) => topic.toLowerCase()));
  const isPart = tag !== '' && values.length > 0;
  const groupBy = [
    ...(open.length > 1 ? ['streamId'] : []),
    ...(topics.size > 1 ? ['topic'] : []),
    ...(isPart ? [tag] : []),
  ];
  return places.map((place) => ({
    ...place,
    numericParameters: requested(numeric),
    ...(strings.length > 0 && { stringParameters: requested(strings) }),
    ...range,
    ...(isPart && { tagFilters: [{ tag, value: values }] }),
    ...(groupBy.length > 0 && { groupBy }),
  }));
}
