import { computed, signal } from '@preact/signals';
import { lookAmong } from '../channels/looks.ts';
import { cursorPlace, keyPlace } from '../laps/across.ts';
import { mayGrow } from '../laps/driven-laps.ts';
import { lapSelection, shared } from '../laps/lap-selection.ts';
import { laps } from '../laps/overlay-drawn.ts';
import { areLapsComing, axes, comparedLaps, overlay, selectLap } from '../laps/overlay-state.ts';
import type { Bounds } from '../lines/bounds.ts';
import { placeBefore } from '../lines/nearest.ts';
import { reader } from '../lines/reader.ts';
import { allTime } from '../lines/time-text.ts';
import { beatRange } from '../live/news.ts';
import { cursorTime, keyTime, moveCursor } from '../plots/cursor.ts';
import { restedRange } from '../plots/range.ts';
import { streamName } from '../runs/stream-name.ts';
import { noSource } from '../state/lap-source.ts';
import { isStream } from '../state/same-stream.ts';
import { beside, isLive, mode, streams } from '../state/view.ts';
import type { LapRef, TimeRange } from '../state/view-text.ts';
import { later, loaded } from '../ui/loading.ts';
import type { XyLine, XyPlace } from './xy-chart.tsx';
import { loadRows, type Names, type XyRows } from './xy-load.ts';
import { extremesOf, reach } from './xy-scales.ts';

const selectRun = lapSelection(noSource, []);

/** More rows than this cannot be told apart. */
const mostRows = 50_000;

interface XyLoad {
  readonly range: TimeRange;
  readonly names: Names;
  readonly wishes: readonly LapRef[];
  readonly rows: readonly XyRows[];
}

/** The rows of the range that is seen, of the open runs; or those of the laps that are compared. */
const load = loaded<XyLoad>(() => {
  const service = reader.value;
  const range = readRange();
  const isOfLaps = mode.value === 'overlay';
  const wishes: readonly LapRef[] = isOfLaps
    ? comparedLaps.value
    : streams.value.map((stream) => ({ stream, value: '' }));
  const select = isOfLaps ? selectLap.value : selectRun;
  const names = axes.value;
  const isSeen = beside.value.includes('xy') && mode.value !== 'table';
  const isChosen = names[0] !== '' && names[1] !== '';
  if (service === undefined || range === undefined || !isSeen || !isChosen || wishes.length === 0)
    return undefined;
  if (isOfLaps && areLapsComing.value) return later;
  const most = Math.ceil(mostRows / wishes.length);
  return async (signal) => {
    const loads = wishes.map(async (wish) => {
      const { rows, within } = select(wish) ?? {};
      const seen = within && shared(within, range);
      return rows === undefined || seen === undefined
        ? { names, times: [], x: [], y: [], gaps: new Uint8Array() }
        : loadRows(service, rows, names, seen, most, signal);
    });
    return { range, names, wishes, rows: await Promise.all(loads) };
  };
}, beatRange);

/** How it went, and how to try again. */
export const loading = computed(() => {
  const { busy, error, retry, value } = load.value;
  // Live, rows are read all the time.
  return { busy: busy && !(isLive.value && value !== undefined), error, retry };
});

/** What is drawn. While others are on their way, its parameters are not those that were chosen. */
export interface DrawnXy extends Pick<XyLoad, 'range' | 'names'> {
  readonly lines: readonly XyLine[];
  /** Least and largest value of the colour, of all lines; undefined where each line has a colour. */
  readonly shade: Bounds | undefined;
}

/** Undefined before anything was read. */
export const drawn = computed<DrawnXy | undefined>(() => {
  const { value } = load.value;
  if (value === undefined) return undefined;
  const { range, names, wishes } = value;
  const lines = value.rows.map((rows, i): XyLine => {
    const { stream, value } = wishes[i]!;
    const name = streamName(stream);
    const label = value === '' ? name : `${overlay.value.source.name} ${value} of ${name}`;
    return { label, ...lookAmong(names[1], i, wishes.length), rows };
  });
  const shade = names[2] === '' ? undefined : reach(value.rows.flatMap((rows) => extremesOf(rows.shade)));
  return { range, names, lines, shade };
});

/** What is seen. Live, it is read again with each beat: the last while, or of laps all that there is. */
function readRange(): TimeRange | undefined {
  const range = restedRange.value;
  if (!isLive.value || range === undefined) return range;
  return mode.value === 'overlay' ? { from: range.from, to: allTime.to } : (beatRange.peek() ?? range);
}

/** Where the rows of a line are on the axis of the plots: exact times, or places along a lap. */
const placed = computed(() => {
  const { wishes = [], rows = [] } = load.value.value ?? {};
  const known = laps.value.value ?? [];
  return rows.map(({ times }, i) => {
    const { stream, value } = wishes[i]!;
    const course = known.find((lap) => lap.value === value && isStream(lap.stream, stream))?.course;
    return mode.value === 'overlay'
      ? times.map((time) => course?.placeAt(time) ?? Number.NaN)
      : times.map((time) => Number(time - (times[0] ?? 0n)));
  });
});

/** The row that the pointer is near, over this panel; of other rows, which are read since then, it says nothing. */
const pointed = signal<(XyPlace & { readonly of: XyRows }) | undefined>(undefined);

/** The row of each line that is at the cursor of the plots; live and without a cursor, the newest one of what goes on. */
export const marked = computed<readonly XyPlace[]>(() => {
  const { wishes = [], rows = [] } = load.value.value ?? {};
  const own = pointed.value;
  return placed.value.flatMap((places, line) => {
    if (own?.line === line && own.of === rows[line]) return [own];
    const { times, gaps } = rows[line]!;
    const now = cursorTime.value;
    const since = now === undefined ? undefined : Number(now - (times[0] ?? 0n));
    const at = mode.value === 'overlay' ? cursorPlace.value : since;
    const newest = mayGrow.value(wishes[line]!) && times.length > 0 ? times.length - 1 : undefined;
    const row = at === undefined ? newest : placeBefore(places, gaps, at, 0);
    return row === undefined ? [] : [{ line, row }];
  });
});

/** Puts the cursor of the plots to a row, or takes it away. */
export function point(place: XyPlace | undefined): void {
  const { rows = [] } = load.value.value ?? {};
  const of = place && rows[place.line];
  pointed.value = of && { ...place!, of };
  if (mode.value === 'overlay') {
    const at = place && placed.value[place.line]?.[place.row];
    cursorPlace.value = at;
    keyPlace.value = at;
    return;
  }
  const time = place && of?.times[place.row];
  if (time !== undefined) moveCursor(time);
  else {
    cursorTime.value = undefined;
    keyTime.value = undefined;
  }
}
