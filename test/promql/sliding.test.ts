import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noTags } from '../../src/domain/tags.ts';
import { slidingFunctions } from '../../src/promql/sliding.ts';
import { emptySeries, type Grid } from '../../src/promql/values.ts';
import { GridWindows } from '../../src/promql/windows.ts';
import { createRandom } from '../fuzz/random.ts';

interface Window {
  readonly times: readonly number[];
  readonly values: readonly number[];
  readonly start: number;
  readonly end: number;
}

/** What Prometheus' documentation says of each function, window by window. */
const references: Readonly<Record<string, (window: Window) => number | undefined>> = {
  avg_over_time: ({ values }) => sum(values) / values.length,
  sum_over_time: ({ values }) => sum(values),
  min_over_time: ({ values }) => extreme(values, Math.min),
  max_over_time: ({ values }) => extreme(values, Math.max),
  count_over_time: ({ values }) => values.length,
  last_over_time: ({ values }) => values.at(-1),
  present_over_time: () => 1,
  delta: (window) => extrapolated(window, false, 1),
  increase: (window) => extrapolated(window, true, 1),
  rate: (window) => extrapolated(window, true, (window.end - window.start) / 1000),
};

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function extreme(values: readonly number[], best: (...values: number[]) => number): number {
  const numbers = values.filter((value) => !Number.isNaN(value));
  return numbers.length === 0 ? Number.NaN : best(...numbers);
}

function extrapolated({ times, values, start, end }: Window, isCounter: boolean, seconds: number) {
  if (values.length < 2) return undefined;
  let rise = values.at(-1)! - values[0]!;
  if (isCounter)
    for (let i = 1; i < values.length; i++) if (values[i]! < values[i - 1]!) rise += values[i - 1]!;
  const sampled = times.at(-1)! - times[0]!;
  const mean = sampled / (values.length - 1);
  let before = times[0]! - start;
  const after = end - times.at(-1)!;
  if (isCounter && rise > 0 && values[0]! >= 0) before = Math.min(before, (sampled * values[0]!) / rise);
  const drawn = (gap: number): number => (gap < 1.1 * mean ? gap : mean / 2);
  return (rise * (sampled + drawn(before) + drawn(after))) / sampled / seconds;
}

const random = createRandom(7);

function someSamples() {
  const count = random.below(200);
  const times: number[] = [];
  const values: number[] = [];
  const hasHoles = random.below(2) === 0;
  const kind = random.below(4);
  let time = 1000 * random.below(100);
  let value = random.below(50);
  for (let i = 0; i < count; i++) {
    time += hasHoles && random.below(10) === 0 ? 40_000 : 500 + random.below(1000);
    value = kind === 0 ? random.below(5) : random.below(12) === 0 ? random.below(3) : value + random.below(4);
    times.push(time);
    values.push(kind === 3 && random.below(4) === 0 ? Number.NaN : value);
  }
  return { times, values };
}

function assertSame(found: number, wanted: number, what: string): void {
  const isSame =
    Object.is(found, wanted) || Math.abs(found - wanted) <= 1e-12 * Math.max(1, Math.abs(wanted));
  assert.ok(isSame, `${what}: ${found}, not ${wanted}`);
}

describe('functions over sliding windows', () => {
  for (const [name, of] of slidingFunctions) {
    it(`${name}: gives of each window what one window alone gives, in whatever slices`, () => {
      for (let round = 0; round < 300; round++) {
        const { times, values } = someSamples();
        const grid: Grid = {
          start: 1000 * random.below(150),
          step: 1 + random.below(9000),
          count: 1 + random.below(60),
        };
        const range = 1 + random.below(60_000);
        const fixed = random.below(10) === 0;
        const endOf = (time: number): number => (fixed ? 90_000 : time - 500);
        const windows = new GridWindows(grid, range, endOf);
        const series = emptySeries(noTags, grid.count);
        const samples = { times: Float64Array.from(times), values: Float64Array.from(values) };
        for (let first = 0; first < grid.count; ) {
          const end = Math.min(grid.count, first + 1 + random.below(40));
          of.put(windows.open(samples), first, end, series);
          first = end;
        }
        for (let i = 0; i < grid.count; i++) {
          const end = endOf(grid.start + i * grid.step);
          const inside = [...times.keys()].filter((at) => times[at]! >= end - range && times[at]! <= end);
          const [own, ownTimes] = [inside.map((at) => values[at]!), inside.map((at) => times[at]!)];
          const wanted =
            own.length === 0
              ? undefined
              : references[name]!({ times: ownTimes, values: own, start: end - range, end });
          const what = `round ${round}, step ${i}`;
          assert.equal(series.present[i], wanted === undefined ? 0 : 1, what);
          if (wanted !== undefined) assertSame(series.values[i]!, wanted, what);
        }
      }
    });
  }

  it('a mean does not overflow on the way, and infinities stay', () => {
    const { put } = slidingFunctions.get('avg_over_time')!;
    const meanOf = (...values: number[]): number => {
      const grid = { start: 100, step: 1, count: 1 };
      const series = emptySeries(noTags, 1);
      const times = Float64Array.from(values, (_, i) => i);
      const windows = new GridWindows(grid, 100, (time) => time);
      put(windows.open({ times, values: Float64Array.from(values) }), 0, 1, series);
      return series.values[0]!;
    };
    assert.equal(meanOf(1.5e308, 1.5e308), 1.5e308);
    assert.equal(meanOf(1, Number.POSITIVE_INFINITY), Number.POSITIVE_INFINITY);
    assert.ok(Number.isNaN(meanOf(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)));
  });
});
