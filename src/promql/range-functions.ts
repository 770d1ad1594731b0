import { cannotEvaluate } from './query-error.ts';
import { slidingFunctions } from './sliding.ts';
import { ExactSum, isInfinite, quantile, varianceOf } from './sums.ts';
import type { OfWindows } from './windows.ts';

/** Samples `from` (inclusive) to `to` (exclusive) of a series. */
interface Window {
  readonly times: Float64Array;
  readonly values: Float64Array;
  from: number;
  to: number;
}

/** Numbers that a function takes besides its window, at the step at hand. */
export type Numbers = readonly number[];

/** What functions give of a window; undefined is nothing. `at` is the time of the evaluation in ms. */
type RangeFunction = (window: Window, numbers: Numbers, at: number) => number | undefined;

/** The other functions of a range vector, by name: they look at one window after another. */
const windowFunctions: ReadonlyMap<string, RangeFunction> = new Map<string, RangeFunction>([
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
  ['stdvar_over_time', ({ values, from, to }) => varianceOf(values, from, to)],
  ['stddev_over_time', ({ values, from, to }) => Math.sqrt(varianceOf(values, from, to))],
  ['quantile_over_time', ({ values, from, to }, [q]) => quantile(q!, values.subarray(from, to))],
]);

export function isRangeFunction(name: string): boolean {
  return slidingFunctions.has(name) || windowFunctions.has(name);
}

/** The function of one query: what is not the window stands beside it. */
export function ofWindows(
  name: string,
  numbers: (step: number) => Numbers,
  at: (step: number) => number,
): OfWindows {
  const sliding = slidingFunctions.get(name);
  if (sliding !== undefined) return sliding;
  const apply = windowFunctions.get(name)!;
  return {
    slides: false,
    put({ times, values, from, to }, first, end, series) {
      const window: Window = { times, values, from: 0, to: 0 };
      for (let i = first; i < end; i++) {
        if (from[i]! === to[i]!) continue;
        window.from = from[i]!;
        window.to = to[i]!;
        const value = apply(window, numbers(i), at(i));
        if (value === undefined) continue;
        series.values[i] = value;
        series.present[i] = 1;
      }
    },
  };
}

function countSteps(
  { values, from, to }: Window,
  counts: (before: number, value: number) => boolean,
): number {
  let count = 0;
  for (let i = from + 1; i < to; i++) if (counts(values[i - 1]!, values[i]!)) count++;
  return count;
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
