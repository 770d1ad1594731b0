import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { skipped } from '../../../src/query/runs/runs.ts';
import { between, collectedValues } from '../../../src/query/states/collected-values.ts';
import { counts } from '../../../src/query/states/counts.ts';
import { maxima, minima, spread } from '../../../src/query/states/extremes.ts';
import { moments } from '../../../src/query/states/moments.ts';
import { endless, numbers, runsOf } from '../runs-of.ts';

const never = () => undefined;

describe('extremes', () => {
  it('skip NaN and gaps', () => {
    const [max, min] = [maxima(endless), minima(endless)];
    for (const state of [max, min]) {
      state.reserve(3);
      state.add(numbers([Number.NaN, 3, 7, Number.NaN, 5]), runsOf([0, 5]));
      state.add(numbers([null, Number.NaN, -1, null]), runsOf([0, 4]));
      state.add(numbers([Number.NaN, null, 9]), runsOf([1, 2], [skipped, 1]));
    }
    const difference = spread(max.result, min.result);
    assert.deepEqual([max.result.valueOf(0), min.result.valueOf(0), difference.valueOf(0)], [7, -1, 8]);
    assert.deepEqual([max.result.has(1), min.result.has(1), difference.has(2)], [false, false, false]);
  });

  it('may be infinite', () => {
    const max = maxima(endless);
    max.reserve(1);
    max.add(numbers([-Infinity, -Infinity]), runsOf([0, 2]));
    assert.deepEqual([max.result.has(0), max.result.valueOf(0)], [true, -Infinity]);
  });
});

describe('counts', () => {
  it('count NaN but no gaps', () => {
    const state = counts(endless);
    state.reserve(2);
    state.add(numbers([1, null, Number.NaN, null, 5]), runsOf([0, 4], [1, 1]));
    assert.deepEqual([state.result.valueOf(0), state.result.valueOf(1)], [2, 1]);
  });
});

describe('the standard deviation', () => {
  function deviationOf(values: readonly (number | null)[], sizes: readonly number[]): number | undefined {
    const state = moments(endless);
    state.reserve(1);
    let from = 0;
    for (const size of sizes) {
      const piece = values.slice(from, from + size);
      state.add(numbers(piece), runsOf([0, piece.length]));
      from += size;
    }
    return state.deviation.has(0) ? state.deviation.valueOf(0) : undefined;
  }

  it('is that of the sample, however the rows come', () => {
    for (const sizes of [[8], [1, 7], [3, 3, 2], [1, 1, 1, 1, 1, 1, 1, 1]]) {
      const found = deviationOf([2, 4, 4, 4, 5, 5, 7, 9], sizes)!;
      assert.ok(Math.abs(found - Math.sqrt(32 / 7)) < 1e-15, `${sizes}: ${found}`);
    }
  });

  it('keeps its digits for values that are large and near to each other', () => {
    const values = [4, 7, 13, 16].map((value) => value + 1e15);
    for (const sizes of [[4], [2, 2], [1, 1, 1, 1]]) {
      assert.ok(Math.abs(deviationOf(values, sizes)! - Math.sqrt(30)) < 1e-12, `${sizes}`);
    }
  });

  it('keeps them for very many pieces, whose means are no doubles', () => {
    const near = Array.from({ length: 1000 }, (_, i) => (i * 7919) % 11);
    const mean = near.reduce((sum, value) => sum + value) / near.length;
    const wanted = Math.sqrt(near.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (near.length - 1));
    for (const size of [1, 3, 1000]) {
      const sizes = Array.from({ length: Math.ceil(1000 / size) }, () => size);
      const found = deviationOf(
        near.map((value) => value + 1e15),
        sizes,
      )!;
      assert.ok(Math.abs(found - wanted) < 1e-12, `${size}: ${found}, ${wanted}`);
    }
  });

  it('is null for one value and 0 for equal ones', () => {
    assert.equal(deviationOf([null, 5, Number.NaN], [3]), undefined);
    assert.equal(deviationOf([0.1, 0.1, 0.1], [3]), 0);
    for (const value of [1.5e308, -1.7976931348623157e308, 5e-324, 1.5990505637277868])
      for (const sizes of [[3], [1, 2], [1, 1, 1]])
        assert.equal(deviationOf([value, value, value], sizes), 0, `${value} in ${sizes}`);
  });

  it('is right for squares that are no doubles', () => {
    const cases: [values: number[], deviation: number][] = [
      [[1.5e308, 1.3e308], 1.414213562373095e307],
      [[1e200, 3e200, 5e200, 5e200], 1.914854215512676e200],
      [[1e-200, 3e-200, 5e-200, 5e-200], 1.914854215512676e-200],
      [[1e-320, 3e-320], 2863 * Number.MIN_VALUE],
      [[1e-200, 3e-200, 1, 1], 0.5773502691896258],
      [[1, 1, 1e200, 1e200], 5.773502691896258e199],
      [[-1e308, 1e308], 1.414213562373095e308],
      [[-1.7e308, 1.7e308], Number.POSITIVE_INFINITY],
    ];
    for (const [values, deviation] of cases) {
      for (const sizes of [[values.length], [2, 2], [1, 1, 1, 1]]) {
        const found = deviationOf(values, sizes)!;
        const isRight = found === deviation || Math.abs(found / deviation - 1) < 1e-3;
        assert.ok(isRight, `${found} of ${values} in ${sizes}`);
        if (deviation > 1e-300 && deviation < 1e308 * 1.7)
          assert.ok(Math.abs(found / deviation - 1) < 1e-14, `${found} of ${values} in ${sizes}`);
      }
    }
    assert.ok(Number.isNaN(deviationOf([1, Number.POSITIVE_INFINITY, 2], [3])));
  });
});

describe('kept values', () => {
  async function percentiles(values: readonly number[], percents: readonly number[]): Promise<number[]> {
    const state = collectedValues(endless);
    state.reserve(1);
    state.add(numbers(values), runsOf([0, values.length]));
    await state.finish(1, never);
    return percents.map((percent) => state.percentile(percent).valueOf(0));
  }

  it('give percentiles between the closest ranks', async () => {
    assert.deepEqual(await percentiles([4, 1, 3, 2], [0, 50, 90, 100]), [1, 2.5, 3.7, 4]);
    assert.deepEqual(await percentiles([7], [50, 99]), [7, 7]);
    assert.deepEqual(
      await percentiles(
        Array.from({ length: 101 }, (_, i) => 100 - i),
        [90, 95, 99],
      ),
      [90, 95, 99],
    );
  });

  it('are sorted right when they are more than a page, and of many slots', async () => {
    const count = 200_000;
    const values = Float64Array.from({ length: count }, (_, i) => (i * 7919) % count);
    const state = collectedValues(endless);
    state.reserve(3);
    state.add({ values, present: undefined }, runsOf([1, count]));
    state.add(numbers([5, null, 6, Number.NaN, 6, 5]), runsOf([2, 6]));
    let pauses = 0;
    await state.finish(3, () => {
      pauses++;
      return undefined;
    });
    assert.equal(state.percentile(50).valueOf(1), (count - 1) / 2);
    assert.equal(state.percentile(100).valueOf(1), count - 1);
    assert.deepEqual([state.mode.has(0), state.mode.valueOf(2)], [false, 5]);
    assert.ok(pauses > 10, 'the thread was given up on the way');
  });

  it('have a mode, the smallest of equals', async () => {
    const state = collectedValues(endless);
    state.reserve(1);
    state.add(numbers([3, 1, 3, 2, 1, 9]), runsOf([0, 6]));
    await state.finish(1, never);
    assert.equal(state.mode.valueOf(0), 1);
  });

  it('lie between their neighbours, whatever these are', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (a, b, fraction) => {
          const [low, high] = [Math.min(a, b), Math.max(a, b)];
          const found = between(low, high, fraction);
          const slack = 1e-15 * Math.max(Math.abs(low), Math.abs(high));
          assert.ok(found >= low - slack && found <= high + slack, `${found}`);
        },
      ),
    );
  });
});
