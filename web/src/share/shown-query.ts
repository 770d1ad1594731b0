import { computed, effect, signal } from '@preact/signals';
import type { ParameterDataQuery } from '../../../src/client/client.ts';
import { openParameters } from '../channels/parameters.ts';
import { plotted } from '../channels/plotted.ts';
import { shared } from '../laps/lap-selection.ts';
import { lapWays, wayOf } from '../laps/lap-ways.ts';
import { isFromStart } from '../laps/overlay-drawn.ts';
import { axes, comparedLaps, overlay, selectLap } from '../laps/overlay-state.ts';
import { byUnits } from '../lines/conversions.ts';
import { inShownUnit } from '../lines/expression.ts';
import { withMath, withShownUnits } from '../lines/math-query.ts';
import { allTime } from '../lines/time-text.ts';
import { unitOf } from '../plots/axes.ts';
import { restedRange, seenRange } from '../plots/range.ts';
import type { TopicStreams } from '../state/by-topic.ts';
import { isStream } from '../state/same-stream.ts';
import { beside, isLive, math, mode, plots, streams } from '../state/view.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import { hasShownRows } from './opened.ts';

/** Whether the names of all columns of a file have their units; those that are converted have them anyway. */
export const hasUnits = signal(false);

/** Which parameters of the rows are seen, by kind. */
interface Seen {
  readonly numeric: readonly string[];
  readonly strings?: readonly string[];
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
  const { alignBy } = overlay.value;
  const { numbers = [], texts = [] } = plotted.value ?? {};
  if (numbers.length + texts.length === 0 || comparedLaps.value.length === 0) return { numeric: [] };
  const numeric = [...new Set([...numbers, ...(alignBy === '' ? [] : [alignBy]), ...besidePlots()])];
  return { numeric, strings: [...texts, ...textsOf(numeric)] };
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

/** Streams, and of each of them the same values of a tag, or a stretch of time. */
interface Part {
  readonly streams: readonly StreamRef[];
  readonly tag?: string;
  readonly values?: readonly string[];
  readonly within?: TimeRange;
  /** A lap that stands alone. */
  readonly lap?: string;
  /** Where its places are told from. */
  readonly origin?: number;
}

/** Rows that are asked for at once. */
export interface ShownPart {
  readonly query: ParameterDataQuery;
  readonly lap?: string;
}

/** What is compared: each lap that is a stretch of time, also of a tag's value, or counts from its own start; else one part where all streams have laps of the same numbers, or one for each stream. */
function comparedParts(): Part[] {
  const { kind, name: tag } = overlay.value.source;
  const selected = comparedLaps.value.map((lap) => ({ lap, selection: selectLap.value(lap) }));
  const areTurns = selected.some(({ selection }) => selection?.within !== allTime);
  if (kind === 'channel' || areTurns || isFromStart.value)
    return selected.flatMap(({ lap, selection }): Part[] => {
      if (selection === undefined) return [];
      const { within, rows } = selection;
      const way = isFromStart.value ? wayOf(lapWays.value.value, lap) : undefined;
      const tagged =
        kind === 'tag' ? { tag, values: rows.tagFilters!.map(({ value }) => String(value)) } : {};
      const origin = way?.isFromStart ? { origin: way.origin } : {};
      return [{ streams: [lap.stream], within, lap: lap.value, ...tagged, ...origin }];
    });
  if (kind === 'none') return [{ streams: comparedLaps.value.map(({ stream }) => stream) }];
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
    ? [{ streams: parts.flatMap((part) => part.streams), tag, values: first.values }]
    : parts.map((part) => ({ ...part, tag }));
}

/**
 * The rows behind what is seen, and no others: one query, or one for each topic, for each unit in which a channel was
 * written, or for each stream where laps of several are compared. The `reader` answers it in the units that are shown.
 */
const shownParts = computed<readonly ShownPart[]>(() => {
  const open = streams.value;
  const range = isLive.value ? seenRange.value : restedRange.value;
  const seen = seenIn[mode.value]();
  const count = seen.numeric.length + (seen.strings ?? []).length;
  if (open.length === 0 || range === undefined || count === 0) return [];
  const parts = mode.value === 'overlay' ? comparedParts() : [{ streams: open }];
  return parts.flatMap(({ lap, ...part }) =>
    queriesOf(part, seen, range).map((query) => ({ query, ...(lap !== undefined && { lap }) })),
  );
});

export const shownQueries = computed(() => shownParts.value.map(({ query }) => query));

effect(() => {
  hasShownRows.value = shownQueries.value.length > 0;
});

/** The same as the service understands it: what a file is made of, and what is copied. */
export const exportParts = computed<readonly ShownPart[]>(() =>
  shownParts.value.map((part) => ({
    ...part,
    query: withMath(withShownUnits(part.query, unitOf, hasUnits.value), math.value),
  })),
);

/** One for each topic, and for each unit. */
function queriesOf(
  { streams: open, tag, values = [], within = allTime, origin }: Part,
  { numeric, strings = [] }: Seen,
  whole: TimeRange,
): ParameterDataQuery[] {
  const range = shared(whole, within);
  if (range === undefined) return [];
  const requested = (names: readonly string[]) => names.map((parameterName) => ({ parameterName }));
  const places = byUnits(open);
  const { alignBy } = overlay.value;
  const fromStart = (place: TopicStreams) => ({
    name: `${alignBy} from the start of the lap`,
    expression: `${inShownUnit(alignBy, place)} - (${origin})`,
  });
  const topics = new Set(places.map(({ topic }) => topic.toLowerCase()));
  const tags = tag === undefined || values.length === 0 ? [] : [tag];
  const groupBy = [...(open.length > 1 ? ['streamId'] : []), ...(topics.size > 1 ? ['topic'] : []), ...tags];
  return places.map((place) => ({
    ...place,
    numericParameters: requested(numeric),
    ...(strings.length > 0 && { stringParameters: requested(strings) }),
    ...(origin !== undefined && { calculatedParameters: [fromStart(place)] }),
    ...range,
    ...(tags.length > 0 && { tagFilters: tags.map((own) => ({ tag: own, value: values })) }),
    ...(groupBy.length > 0 && { groupBy }),
  }));
}
