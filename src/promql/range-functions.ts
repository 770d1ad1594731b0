import { cannotEvaluate } from './query-error.ts';
import { ExactSum, isInfinite, meanOf, quantile, sumOf, varianceOf } from './sums.ts';
import type { OfWindow, Window } from './windows.ts';

/** Numbers that a function takes besides its window, at the step at hand. */
export type Numbers = readonly number[];

/** What functions give of a window; undefined is nothing. `at` is the time of the evaluation in ms. */
type RangeFunction = (window: Window, numbers: Numbers, at: number) => number | undefined;

/** Functions of a range vector, by name. */
export const rangeFunctions: ReadonlyMap<string, RangeFunction> = new Map<string, RangeFunction>([
  ['rate', (window) => extrapolated(window, true, true)],
  ['increase', (window) => extrapolated(window, true, false)],
  ['delta', (window) => extrapolated(window, false, false)],
  ['irate', (window) => lastDifference(window, true)],
  ['idelta', (window) => lastDifference(window, false)],
  [
    'deriv',
    (window) =>
      window.to - window.from < 2 ? undefined : regression(window, window.times[window.from]!).slope,
  ],
  ['predict_linear', predict],
  ['holt_winters', smoothed],
  ['resets', (window) => countSteps(window, (before, value) => value < before)],
  [
    'changes',
    (window) =>
      countSteps(
        window,
        (before, value) => value !== before && !(Number.isNaN(value) && Number.isNaN(before)),
      ),
  ],
  ['avg_over_time', ({ values, from, to }) => meanOf(values, from, to)],
  ['sum_over_time', ({ values, from, to }) => sumOf(values, from, to)],
  ['stdvar_over_time', ({ values, from, to }) => varianceOf(values, from, to)],
  ['stddev_over_time', ({ values, from, to }) => Math.sqrt(varianceOf(values, from, to))],
  ['min_over_time', (window) => extreme(window, -1)],
  ['max_over_time', (window) => extreme(window, 1)],
  ['count_over_time', ({ from, to }) => to - from],
  ['last_over_time', ({ values, to }) => values[to - 1]!],
  ['present_over_time', () => 1],
  ['quantile_over_time', ({ values, from, to }, [q]) => quantile(q!, values.subarray(from, to))],
]);

/** The function of one query: what is not the window stands beside it. */
export function ofWindow(
  name: string,
  numbers: (step: number) => Numbers,
  at: (step: number) => number,
): OfWindow {
  const apply = rangeFunctions.get(name)!;
  return (window, step) => apply(window, numbers(step), at(step));
}

function extreme({ values, from, to }: Window, sign: 1 | -1): number {
  let found = values[from]!;
  for (let i = from + 1; i < to; i++) {
    const value = values[i]!;
    if (Number.isNaN(found) || (sign > 0 ? value > found : value < found)) found = value;
  }
  return found;
}

function countSteps(
  { values, from, to }: Window,
  counts: (before: number, value: number) => boolean,
): number {
  let count = 0;
  for (let i = from + 1; i < to; i++) if (counts(values[i - 1]!, values[i]!)) count++;
  return count;
}

/**
 * The difference of the first and the last sample, made as long as the window: up to its ends where samples are near to these,
 * else by half of the mean distance of samples. A counter that falls has begun again at 0, and is not drawn out below 0.
 */
function extrapolated(window: Window, isCounter: boolean, perSecond: boolean): number | undefined {
  const { times, values, from, to, start, end } = window;
  if (to - from < 2) return undefined;
  const [first, last] = [values[from]!, values[to - 1]!];
  let difference = last - first;
  if (isCounter) {
    for (let i = from + 1; i < to; i++) if (values[i]! < values[i - 1]!) difference += values[i - 1]!;
  }
  let toStart = (times[from]! - start) / 1000;
  const toEnd = (end - times[to - 1]!) / 1000;
  const sampled = (times[to - 1]! - times[from]!) / 1000;
  const mean = sampled / (to - from - 1);
  if (isCounter && difference > 0 && first >= 0) toStart = Math.min(toStart, sampled * (first / difference));
  const near = mean * 1.1;
  const length = sampled + (toStart < near ? toStart : mean / 2) + (toEnd < near ? toEnd : mean / 2);
  const factor = length / sampled / (perSecond ? (end - start) / 1000 : 1);
  return difference * factor;
}

function lastDifference({ times, values, from, to }: Window, isRate: boolean): number | undefined {
  if (to - from < 2) return undefined;
  const [before, last] = [values[to - 2]!, values[to - 1]!];
  const seconds = (times[to - 1]! - times[to - 2]!) / 1000;
  if (seconds === 0) return undefined;
  if (!isRate) return last - before;
  return (last < before ? last : last - before) / seconds;
}

/** The line of least squares through the samples: its slope per second, and its value at a time (ms). */
function regression({ times, values, from, to }: Window, at: number): { slope: number; intercept: number } {
  const [sumX, sumY, sumXy, sumXx] = [new ExactSum(), new ExactSum(), new ExactSum(), new ExactSum()];
  const first = values[from]!;
  let isConstant = true;
  for (let i = from; i < to; i++) {
    const x = (times[i]! - at) / 1000;
    const y = values[i]!;
    if (y !== first) isConstant = false;
    sumX.add(x);
    sumY.add(y);
    sumXy.add(x * y);
    sumXx.add(x * x);
  }
  if (isConstant)
    return isInfinite(first) ? { slope: Number.NaN, intercept: Number.NaN } : { slope: 0, intercept: first };
  const count = to - from;
  const [x, y] = [sumX.sum + sumX.rest, sumY.sum + sumY.rest];
  const covariance = sumXy.sum + sumXy.rest - (x * y) / count;
  const variance = sumXx.sum + sumXx.rest - (x * x) / count;
  const slope = covariance / variance;
  return { slope, intercept: y / count - (slope * x) / count };
}

function predict(window: Window, [seconds]: Numbers, at: number): number | undefined {
  if (window.to - window.from < 2) return undefined;
  const { slope, intercept } = regression(window, at);
  return slope * seconds! + intercept;
}

/** Double exponential smoothing (C. C. Holt; P. R. Winters), of factors between 0 and 1. */
function smoothed({ values, from, to }: Window, [factor, trendFactor]: Numbers): number | undefined {
  for (const [name, given] of [
    ['smoothing', factor!],
    ['trend', trendFactor!],
  ] as const) {
    if (!(given > 0 && given < 1)) {
      const short = name === 'smoothing' ? 'sf' : 'tf';
      throw cannotEvaluate(`invalid ${name} factor. Expected: 0 < ${short} < 1, got: ${given}`);
    }
  }
  if (to - from < 2) return undefined;
  let before = 0;
  let level = values[from]!;
  let trend = values[from + 1]! - level;
  for (let i = from + 1; i < to; i++) {
    if (i > from + 1) trend = trendFactor! * (level - before) + (1 - trendFactor!) * trend;
    const next = factor! * values[i]! + (1 - factor!) * (level + trend);
    before = level;
    level = next;
  }
  return level;
}
