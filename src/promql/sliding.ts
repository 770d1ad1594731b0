import { meanOf, sumOf } from './sums.ts';
import type { Series } from './values.ts';
import { grownBy, type OfWindows, type Windows } from './windows.ts';

// What is asked of windows most: whole series at once, and no window is an object.

/** Of the samples of a window: `from` (inclusive) to `to` (exclusive), at least one. */
type OfSamples = (values: Float64Array, from: number, to: number) => number;

function ofSamples(of: OfSamples, slides: boolean): OfWindows {
  return {
    slides,
    put({ values, from, to }, first, end, series) {
      for (let i = first; i < end; i++) {
        if (from[i]! === to[i]!) continue;
        series.values[i] = of(values, from[i]!, to[i]!);
        series.present[i] = 1;
      }
    },
  };
}

/** The mean by the sum where that does not overflow: a division for each sample would take longest. */
function mean(values: Float64Array, from: number, to: number): number {
  const sum = sumOf(values, from, to);
  return Number.isFinite(sum) ? sum / (to - from) : meanOf(values, from, to);
}

/** Places of samples, of one series at a time. */
let places = new Int32Array(256);

function placesFor(count: number): Int32Array {
  if (places.length < count) places = new Int32Array(2 * count);
  return places;
}

/**
 * The largest value of each window, or with `sign` -1 the smallest; NaN where no other is. Samples wait in a queue as long as none
 * behind them is better, so that the first of the queue is the best (D. Lemire, "Streaming Maximum-Minimum Filter").
 */
function extreme(sign: 1 | -1): OfWindows {
  return {
    slides: true,
    put({ values, from, to }, first, end, series) {
      let next = from[first]!;
      const queue = placesFor(Math.max(0, to[end - 1]! - next));
      let head = 0;
      let tail = 0;
      for (let i = first; i < end; i++) {
        const start = from[i]!;
        const stop = to[i]!;
        if (start === stop) continue;
        if (next < start) next = start;
        for (; next < stop; next++) {
          const value = sign * values[next]!;
          if (Number.isNaN(value)) continue;
          while (tail > head && sign * values[queue[tail - 1]!]! < value) tail--;
          queue[tail++] = next;
        }
        while (head < tail && queue[head]! < start) head++;
        series.values[i] = head < tail ? values[queue[head]!]! : Number.NaN;
        series.present[i] = 1;
      }
    },
  };
}

/**
 * The difference of the first and the last sample, made as long as the window: up to its ends where samples are near to these,
 * else by half of the mean distance of samples. A counter that falls has begun again at 0, and is not drawn out below 0.
 */
function extrapolated(isCounter: boolean, perSecond: boolean): OfWindows {
  return {
    slides: true,
    put(windows, first, end, series) {
      const { values, from, to, range } = windows;
      const { sampled, mean: means, before, after, growth } = windows.spans();
      const falls = isCounter ? fallsOf(windows, first, end) : noPlaces;
      const seconds = perSecond ? range / 1000 : 1;
      let fall = 0;
      for (let i = first; i < end; i++) {
        const start = from[i]!;
        const last = to[i]! - 1;
        if (last <= start) continue;
        let difference = values[last]! - values[start]!;
        while (falls[fall]! <= start) fall++;
        for (let at = fall; falls[at]! <= last; at++) difference += values[falls[at]! - 1]!;
        let grown = growth[i]!;
        if (isCounter && difference > 0 && values[start]! >= 0) {
          const sinceZero = sampled[i]! * (values[start]! / difference);
          if (sinceZero < before[i]!) grown = grownBy(sampled[i]!, means[i]!, sinceZero, after[i]!);
        }
        series.values[i] = difference * (grown / seconds);
        series.present[i] = 1;
      }
    },
  };
}

const noPlaces = Int32Array.of(2 ** 31 - 1);

/** The places of samples below the one before them in some windows, and behind them a place that is none. */
function fallsOf({ values, from, to }: Windows, first: number, end: number): Int32Array {
  const start = from[first]!;
  const stop = to[end - 1]!;
  const found = placesFor(stop - start + 1);
  let count = 0;
  for (let i = start + 1; i < stop; i++) if (values[i]! < values[i - 1]!) found[count++] = i;
  found[count] = 2 ** 31 - 1;
  return found;
}

function counts({ from, to }: Windows, first: number, end: number, series: Series): void {
  for (let i = first; i < end; i++) {
    if (from[i]! === to[i]!) continue;
    series.values[i] = to[i]! - from[i]!;
    series.present[i] = 1;
  }
}

/** Functions of a range vector, by name. */
export const slidingFunctions: ReadonlyMap<string, OfWindows> = new Map<string, OfWindows>([
  ['rate', extrapolated(true, true)],
  ['increase', extrapolated(true, false)],
  ['delta', extrapolated(false, false)],
  ['avg_over_time', ofSamples(mean, false)],
  ['sum_over_time', ofSamples(sumOf, false)],
  ['min_over_time', extreme(-1)],
  ['max_over_time', extreme(1)],
  ['count_over_time', { slides: true, put: counts }],
  ['last_over_time', ofSamples((values, _from, to) => values[to - 1]!, true)],
  ['present_over_time', ofSamples(() => 1, true)],
]);
