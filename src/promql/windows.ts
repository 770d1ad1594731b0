import type { Budget } from './budget.ts';
import { type Grid, type Samples, type Series, timeAt } from './values.ts';

/** Samples of a series, and by step which of them are in the window: from `from` (inclusive) to `to` (exclusive). */
export interface Windows {
  readonly times: Float64Array;
  readonly values: Float64Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Milliseconds. */
  readonly range: number;
  /** Of the times alone: series that share them share these. */
  spans(): Spans;
}

/** What it takes to draw a difference out to the ends of its window, of windows with two samples or more; in seconds. */
export interface Spans {
  /** From the first sample to the last, and from one to the next as a mean. */
  readonly sampled: Float64Array;
  readonly mean: Float64Array;
  /** From the begin of the window to the first sample. */
  readonly before: Float64Array;
  /** How far behind the last sample a difference is drawn out. */
  readonly after: Float64Array;
  /** By how much a difference grows that is drawn out to both ends. */
  readonly growth: Float64Array;
}

/** Up to so many mean distances an end of the window is near to a sample. */
const nearness = 1.1;

/** By how much a difference of samples grows that is drawn out, of seconds as in `Spans`. */
export function grownBy(sampled: number, mean: number, before: number, after: number): number {
  return (sampled + (before < mean * nearness ? before : mean / 2) + after) / sampled;
}

/** What is calculated of windows. */
export interface OfWindows {
  /** Puts what there is at steps `first` (inclusive) to `end` (exclusive). */
  readonly put: (windows: Windows, first: number, end: number, series: Series) => void;
  /** Whether a sample is looked at once, in however many windows it is. */
  readonly slides: boolean;
}

/** The windows of a grid: at each time the range before it, with both ends. Series with the same array of times have the same samples in them. */
export class GridWindows implements Windows {
  readonly range: number;
  /** Where the window of a step ends, in ms. */
  readonly ends: Float64Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  times: Float64Array = noSamples;
  values: Float64Array = noSamples;
  /** How many samples all windows have together. */
  samples = 0;
  #spans: Spans | undefined;

  /** @param endOf where the window of a time ends */
  constructor(grid: Grid, range: number, endOf: (time: number) => number) {
    const { count } = grid;
    this.range = range;
    this.ends = new Float64Array(count);
    for (let i = 0; i < count; i++) this.ends[i] = endOf(timeAt(grid, i));
    this.from = new Int32Array(count);
    this.to = new Int32Array(count);
  }

  /** Places the windows in the samples of a series. */
  open({ times, values }: Pick<Samples, 'times' | 'values'>): this {
    this.values = values;
    if (times === this.times) return this;
    this.times = times;
    this.#spans = undefined;
    this.#find();
    return this;
  }

  spans(): Spans {
    this.#spans ??= this.#measured();
    return this.#spans;
  }

  #find(): void {
    const { ends, range, times, from: starts, to: stops } = this;
    let from = 0;
    let to = 0;
    this.samples = 0;
    for (let i = 0; i < ends.length; i++) {
      const end = ends[i]!;
      const start = end - range;
      while (to < times.length && times[to]! <= end) to++;
      while (from < to && times[from]! < start) from++;
      starts[i] = from;
      stops[i] = to;
      this.samples += to - from;
    }
  }

  #measured(): Spans {
    const { ends, range, times, from, to } = this;
    const array = () => new Float64Array(ends.length);
    const spans = { sampled: array(), mean: array(), before: array(), after: array(), growth: array() };
    for (let i = 0; i < ends.length; i++) {
      const first = from[i]!;
      const last = to[i]! - 1;
      if (last <= first) continue;
      const sampled = (times[last]! - times[first]!) / 1000;
      const mean = sampled / (last - first);
      const after = (ends[i]! - times[last]!) / 1000;
      spans.sampled[i] = sampled;
      spans.mean[i] = mean;
      const before = (times[first]! - (ends[i]! - range)) / 1000;
      spans.before[i] = before;
      spans.after[i] = after < mean * nearness ? after : mean / 2;
      spans.growth[i] = grownBy(sampled, mean, before, spans.after[i]!);
    }
    return spans;
  }
}

const noSamples = new Float64Array(0);

/** The samples that are looked at between two looks at the clock: a fraction of a millisecond. */
const samplesOfSlice = 100_000;

/** Puts a value for each window that has samples, where there is one; a promise where others must have their turn meanwhile. */
export function overWindows(
  samples: Samples,
  grid: GridWindows,
  of: OfWindows,
  series: Series,
  budget: Budget,
): Promise<void> | undefined {
  const windows = grid.open(samples);
  const { from, to } = windows;
  const count = from.length;
  const work = count + (of.slides ? to[count - 1]! - from[0]! : windows.samples);
  if (work > samplesOfSlice) return overMany(windows, of, series, budget);
  of.put(windows, 0, count, series);
  return budget.work(work);
}

async function overMany(
  windows: GridWindows,
  { put, slides }: OfWindows,
  series: Series,
  budget: Budget,
): Promise<void> {
  const { from, to } = windows;
  const count = from.length;
  for (let first = 0; first < count; ) {
    let end = first;
    let work = 0;
    for (let seen = from[first]!; end < count && work < samplesOfSlice; end++) {
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
  const { times, values: sampled, from, to } = grid.open(samples);
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
