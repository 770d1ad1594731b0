import type { Budget } from './budget.ts';
import { type Grid, type Samples, type Series, timeAt } from './values.ts';

/** Samples of a series, and by step which of them are in the window: from `from` (inclusive) to `to` (exclusive). */
export interface Windows {
  readonly times: Float64Array;
  readonly values: Float64Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Where the window of a step ends, in ms, and how long it is. */
  readonly ends: Float64Array;
  readonly range: number;
}

/** What is calculated of windows. */
export interface OfWindows {
  /** Puts what there is at steps `first` (inclusive) to `end` (exclusive). */
  readonly put: (windows: Windows, first: number, end: number, series: Series) => void;
  /** Whether a sample is looked at once, in however many windows it is. */
  readonly slides: boolean;
}

/** The windows of a grid: at each time the range before it, with both ends. Series with the same array of times have the same samples in them. */
export class GridWindows {
  readonly range: number;
  /** Milliseconds, in order. */
  readonly ends: Float64Array;
  #times: Float64Array | undefined;
  #from: Int32Array;
  #to: Int32Array;

  /** @param endOf where the window of a time ends */
  constructor(grid: Grid, range: number, endOf: (time: number) => number) {
    const { count } = grid;
    this.range = range;
    this.ends = new Float64Array(count);
    for (let i = 0; i < count; i++) this.ends[i] = endOf(timeAt(grid, i));
    this.#from = new Int32Array(count);
    this.#to = new Int32Array(count);
  }

  /** Valid until the next call. */
  of({ times, values }: Pick<Samples, 'times' | 'values'>): Windows {
    if (times !== this.#times) {
      this.#find(times);
      this.#times = times;
    }
    const { ends, range } = this;
    return { times, values, from: this.#from, to: this.#to, ends, range };
  }

  #find(times: Float64Array): void {
    const { ends, range } = this;
    const [starts, stops] = [this.#from, this.#to];
    let from = 0;
    let to = 0;
    for (let i = 0; i < ends.length; i++) {
      const end = ends[i]!;
      const start = end - range;
      while (to < times.length && times[to]! <= end) to++;
      while (from < to && times[from]! < start) from++;
      starts[i] = from;
      stops[i] = to;
    }
  }
}

/** The samples that are looked at between two looks at the clock: a fraction of a millisecond. */
const samplesOfSlice = 100_000;

/** Puts a value for each window that has samples, where there is one. */
export async function overWindows(
  samples: Samples,
  grid: GridWindows,
  { put, slides }: OfWindows,
  series: Series,
  budget: Budget,
): Promise<void> {
  const windows = grid.of(samples);
  const { from, to } = windows;
  const count = from.length;
  for (let first = 0; first < count; ) {
    let end = first;
    let work = 0;
    let seen = from[first]!;
    for (; end < count && work < samplesOfSlice; end++) {
      work += 1 + to[end]! - (slides ? seen : from[end]!);
      seen = to[end]!;
    }
    put(windows, first, end, series);
    const turn = budget.work(work);
    if (turn !== undefined) await turn;
    first = end;
  }
}

/**
 * Puts the last sample of each window, unless the series has ended since. With `wantsTimes` its time in seconds, not its value.
 */
export function lastSamples(
  samples: Samples,
  grid: GridWindows,
  wantsTimes: boolean,
  { values, present }: Series,
): void {
  const { times, values: sampled, from, to } = grid.of(samples);
  for (let i = 0; i < from.length; i++) {
    const last = to[i]! - 1;
    if (last < from[i]!) continue;
    values[i] = wantsTimes ? times[last]! / 1000 : sampled[last]!;
    present[i] = 1;
  }
  const { ends } = samples;
  if (ends.length === 0) return;
  let next = 0;
  for (let i = 0; i < from.length; i++) {
    const at = grid.ends[i]!;
    while (next < ends.length && ends[next]! <= at) next++;
    if (next > 0 && to[i]! > 0 && ends[next - 1]! > times[to[i]! - 1]!) present[i] = 0;
  }
}
