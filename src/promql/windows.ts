import type { Budget } from './budget.ts';
import { emptySeries, type Grid, type Samples, type Series, timeAt } from './values.ts';

/** Samples `from` (inclusive) to `to` (exclusive) of a series, and the time that they were asked for. */
export interface Window {
  readonly times: Float64Array;
  readonly values: Float64Array;
  readonly from: number;
  readonly to: number;
  /** Milliseconds. */
  readonly start: number;
  readonly end: number;
}

/** What a function gives for a window; undefined is nothing. */
export type OfWindow = (window: Window, step: number) => number | undefined;

/**
 * A value for each time of the grid, of the samples in the range before it, with both ends. Windows without samples have none.
 *
 * @param endOf where the window of a time ends
 */
export async function overWindows(
  { times, values, labels }: Samples,
  grid: Grid,
  range: number,
  endOf: (time: number) => number,
  { of, budget }: { readonly of: OfWindow; readonly budget: Budget },
): Promise<Series> {
  const series = emptySeries(labels, grid.count);
  let from = 0;
  let to = 0;
  for (let i = 0; i < grid.count; i++) {
    const end = endOf(timeAt(grid, i));
    const start = end - range;
    while (to < times.length && times[to]! <= end) to++;
    while (from < to && times[from]! < start) from++;
    if (from === to) continue;
    const value = of({ times, values, from, to, start, end }, i);
    if (value !== undefined) {
      series.values[i] = value;
      series.present[i] = 1;
    }
    const turn = budget.work(to - from + 1);
    if (turn !== undefined) await turn;
  }
  return series;
}

/**
 * The last sample at each time of the grid, or rather at `endOf` of it, if it is not older than `lookback` and the series has not
 * ended since. With `wantsTimes` its time in seconds, not its value.
 */
export function lastSamples(
  { times, values, ends, labels }: Samples,
  grid: Grid,
  endOf: (time: number) => number,
  lookback: number,
  wantsTimes: boolean,
): Series {
  const series = emptySeries(labels, grid.count);
  let next = 0;
  let nextEnd = 0;
  for (let i = 0; i < grid.count; i++) {
    const at = endOf(timeAt(grid, i));
    while (next < times.length && times[next]! <= at) next++;
    while (nextEnd < ends.length && ends[nextEnd]! <= at) nextEnd++;
    if (next === 0) continue;
    const time = times[next - 1]!;
    if (time < at - lookback || (nextEnd > 0 && ends[nextEnd - 1]! > time)) continue;
    series.values[i] = wantsTimes ? time / 1000 : values[next - 1]!;
    series.present[i] = 1;
  }
  return series;
}
