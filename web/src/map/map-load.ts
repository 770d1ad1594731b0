import { computed } from '@preact/signals';
import { mapChannels, seenMapChannels } from '../channels/known-channels.ts';
import type { Lap } from '../laps/course-load.ts';
import { lapGrowth } from '../laps/lap-growth.ts';
import { lapSource } from '../laps/lap-source.ts';
import { laps } from '../laps/overlay-drawn.ts';
import type { Selection } from '../lines/point-load.ts';
import { reader } from '../lines/reader.ts';
import { beat, news } from '../live/news.ts';
import { extent, restedRange } from '../plots/range.ts';
import { stable } from '../state/stable.ts';
import { chosenRange, isLive, mode, streams } from '../state/view.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import { loaded } from '../ui/loading.ts';
import { loadRows, type XyRows } from './xy-load.ts';

/** A lap or a run on the map: the rows that the plots show, and their way along the axis of the plots. */
export interface MapLine {
  readonly stream: StreamRef;
  /** Which of the lines it is: it tells the colour. */
  readonly index: number;
  /** Where laps are compared, which one it is. */
  readonly lap?: Lap;
  readonly rows: XyRows;
  /** Of each row: seconds since the first of them, or the place on the axis that laps are laid over. */
  readonly along: Float64Array;
}

/** More rows than this cannot be told apart on a map. */
const mostRows = 50_000;

const names = computed(() => {
  const { x, y, colour } = mapChannels.value;
  return [x, y, colour] as const;
});
const isSeen = computed(() => seenMapChannels.value.length > 0 && streams.value.length > 0);
const isOverLaps = computed(() => mode.value === 'overlay');

/** Rows of the runs in a range. */
function runsIn(range: TimeRange | undefined, mostOfAll: number) {
  const service = reader.value;
  const [x, y, colour] = names.value;
  const open = streams.value;
  if (service === undefined || range === undefined || !isSeen.value || isOverLaps.value) return undefined;
  const most = Math.ceil(mostOfAll / open.length);
  return (signal: AbortSignal) =>
    Promise.all(
      open.map(async (stream, i): Promise<MapLine> => {
        const rows: Selection = { topic: stream.topic, streamIds: [stream.streamId] };
        const own = await loadRows(service, rows, [x, y, colour], range, most, signal);
        return { stream, index: i, rows: own, along: secondsOf(own.times) };
      }),
    );
}

/** The runs as the plots over time show them. */
const ofRuns = loaded<readonly MapLine[]>(() =>
  isLive.value ? undefined : runsIn(restedRange.value, mostRows),
);

const wholeRange = stable(() => extent.value);
const isPart = computed(() => chosenRange.value !== undefined || isLive.value);

/** While live data is followed, all of the runs is read again after each lap, or from time to time where there are none. */
const wholeAgain = computed(() =>
  lapSource.value.kind === 'none' ? Math.floor(beat.value / beatsBetween) : lapGrowth.value,
);
const beatsBetween = 60;
/** It is drawn again and again then. */
const mostLiveRows = 5000;

/** All of the runs, where the plots show a part: what is seen lies on it. */
const wholeRuns = loaded<readonly MapLine[]>(() => {
  const known = wholeRange.value;
  if (known === undefined || !isPart.value) return undefined;
  if (!isLive.value) return runsIn(known, mostRows);
  const newest = news.peek()?.newest ?? known.to;
  return runsIn({ from: known.from, to: newest > known.to ? newest : known.to }, mostLiveRows);
}, wholeAgain);

/** Rows of laps that are there still: those that nothing is added to are not read again. */
const rowsOf = new WeakMap<Lap, { readonly key: string; readonly rows: XyRows }>();

/** The laps that are compared. */
const ofLaps = loaded<readonly MapLine[]>(() => {
  const service = reader.value;
  const compared = isOverLaps.value ? laps.value.value : undefined;
  const [x, y, colour] = names.value;
  if (service === undefined || compared === undefined || !isSeen.value) return undefined;
  const most = Math.ceil(mostRows / Math.max(1, compared.length));
  const key = JSON.stringify([x, y, colour, most]);
  return (signal) =>
    Promise.all(
      compared.map(async (lap): Promise<MapLine> => {
        const known = rowsOf.get(lap);
        const rows =
          known?.key === key
            ? known.rows
            : await loadRows(service, lap.rows, [x, y, colour], lap.range, most, signal);
        rowsOf.set(lap, { key, rows });
        const along = Float64Array.from(rows.times, (time) => lap.course.placeAt(time) ?? Number.NaN);
        return { stream: lap.stream, index: lap.index, lap, rows, along };
      }),
    );
});

export function secondsOf(times: readonly bigint[]): Float64Array {
  const [first = 0n] = times;
  return Float64Array.from(times, (time) => Number(time - first) / 1e9);
}

/** What is loaded: the laps or runs that are seen, and all of the runs below them, where those are a part. */
export const mapLoad = computed(() => {
  const { value, error, busy, retry } = isOverLaps.value ? ofLaps.value : ofRuns.value;
  const whole = isOverLaps.value || !isPart.value ? undefined : wholeRuns.value;
  return {
    lines: value,
    whole: whole?.value,
    error: error ?? whole?.error,
    busy: busy || (whole?.busy ?? false),
    retry: () => {
      retry();
      if (whole?.error !== undefined) whole.retry();
    },
  };
});
