import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { skipped } from '../../../src/query/runs/runs.ts';
import { sums } from '../../../src/query/states/sums.ts';
import { seededRandom } from '../../store/embedded/random.ts';
import { units } from '../reference-exact.ts';
import { endless, numbers, runsOf } from '../runs-of.ts';

function sumOf(values: readonly (number | null)[], pieces = 1): { sum: number; mean: number; has: boolean } {
  const state = sums(endless);
  state.reserve(1);
  const size = Math.ceil(values.length / pieces);
  for (let from = 0; from < values.length; from += size) {
    const piece = values.slice(from, from + size);
    state.add(numbers(piece), runsOf([0, piece.length]));
  }
  return { sum: state.sum.valueOf(0), mean: state.mean.valueOf(0), has: state.sum.has(0) };
}

describe('a sum', () => {
  it('of ten million values is right to the last digit, and so is the mean', () => {
    const random = seededRandom(11);
    const state = sums(endless);
    state.reserve(1);
    let exact = 0n;
    const values = new Float64Array(10_000);
    for (let i = 0; i < values.length; i++) values[i] = 20 + Math.round(random.next() * 1000) / 1000;
    for (const value of values) exact += units(value);
    for (let i = 0; i < 1000; i++) state.add({ values, present: undefined }, runsOf([0, values.length]));
    exact *= 1000n;
    const sum = state.sum.valueOf(0);
    const off = units(sum) - exact;
    const ulp = units(sum + 2 ** (Math.floor(Math.log2(sum)) - 52)) - units(sum);
    assert.ok(2n * (off < 0n ? -off : off) <= ulp, `${sum} is off by ${off} units of ${ulp}`);
    assert.equal(state.mean.valueOf(0), sum / 1e7);
    // Plain addition is not good enough for that.
    let plain = 0;
    for (let i = 0; i < 1000; i++) for (const value of values) plain += value;
    assert.notEqual(plain, sum);
  });

  it('does not lose small values among large ones, in runs or one by one', () => {
    assert.equal(sumOf([1e16, 1, 1, -1e16]).sum, 2);
    assert.equal(sumOf([1e16, 1, 1, -1e16], 4).sum, 2);
    assert.equal(sumOf([1e100, 1, null, -1e100]).sum, 1);
  });

  it('skips NaN and gaps, and is null where nothing is left', () => {
    assert.deepEqual(sumOf([1, Number.NaN, null, 4]), { sum: 5, mean: 2.5, has: true });
    assert.equal(sumOf([Number.NaN, null]).has, false);
  });

  it('follows infinities', () => {
    assert.equal(sumOf([1, Infinity, 2]).sum, Infinity);
    assert.equal(sumOf([1, -Infinity, 2], 3).mean, -Infinity);
    assert.ok(Number.isNaN(sumOf([Infinity, -Infinity, 1]).sum));
  });

  it('comes back where it left the doubles on its way, with all its digits', () => {
    assert.deepEqual(sumOf([1.5e308, 1.5e308, -1.5e308]).sum, 1.5e308);
    assert.equal(sumOf([1.5e308, 1.5e308, -1.5e308, -1.5e308, 1], 5).sum, 1);
    assert.equal(sumOf([1.5e308, 1.5e308]).sum, Infinity);
    assert.equal(sumOf([1.5e308, null, 1.3e308], 2).mean, 1.4e308);
    assert.equal(sumOf([1.5e308, 1.5e308, -Infinity]).mean, -Infinity);
    const joined = sums(endless);
    joined.reserve(2);
    for (const [slot, values] of [[1.5e308, 1.5e308], [-1.2e308, -1.2e308], [1.5e308]].entries()) {
      const other = sums(endless);
      other.reserve(1);
      other.add(numbers(values), runsOf([0, values.length]));
      joined.join(other.give(), Uint32Array.of(slot === 2 ? 1 : 0));
    }
    joined.add(numbers([1.5e308]), runsOf([1, 1]));
    assert.equal(joined.mean.valueOf(0), (1.5e308 - 1.2e308) / 2);
    assert.equal(joined.mean.valueOf(1), 1.5e308);
  });

  it('of equal values gives a mean that is their value, however they come', () => {
    const random = seededRandom(5);
    const values = [1.5990505637277868, 0.1, 1e-310, 5e-324, -1.7e308, 2 ** 53 - 1, 1 / 3];
    for (let i = 0; i < 2000; i++)
      values.push((random.next() - 0.5) * 10 ** Math.floor(40 * random.next() - 20));
    for (const value of values) {
      const count = 1 + Math.floor(200 * random.next());
      const copies = new Array<number>(count).fill(value);
      assert.equal(sumOf(copies).mean, value, `${count} times`);
      assert.equal(sumOf(copies, 3).mean, value, `${count} times, in pieces`);
      if (Math.abs(value) > 1e300) continue;
      const state = sums(endless);
      state.reserve(1);
      const [one, product] = [Float64Array.of(value), Float64Array.of(value * count)];
      state.addSums(0, { sum: product, min: one, max: one }, Float64Array.of(count), 0, 1);
      state.add(numbers([value]), runsOf([0, 1]));
      assert.equal(state.mean.valueOf(0), value, `${count} times, known together`);
    }
  });

  it('belongs to its slot; skipped rows belong to none', () => {
    const state = sums(endless);
    state.reserve(2);
    state.add(numbers([1, 2, 4, 8, 16]), runsOf([0, 1], [skipped, 2], [1, 1], [0, 1]));
    assert.deepEqual([state.sum.valueOf(0), state.sum.valueOf(1)], [17, 8]);
    state.reserve(1000);
    assert.deepEqual([state.sum.valueOf(0), state.sum.has(999)], [17, false]);
  });

  it('takes known sums of values that are too large to be multiplied, or infinite', () => {
    for (const value of [1e300, -1.7e308, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      const state = sums(endless);
      state.reserve(1);
      const one = Float64Array.of(value);
      state.addSums(0, { sum: one, min: one, max: one }, Float64Array.of(1), 0, 1);
      assert.deepEqual([state.sum.valueOf(0), state.mean.valueOf(0)], [value, value]);
    }
  });

  it('takes the known sums of frames, of which the last may be short', () => {
    const state = sums(endless);
    state.reserve(2);
    const known = {
      sum: Float64Array.of(128, 256, 99, 10),
      min: Float64Array.of(0, 1, 0, 1),
      max: Float64Array.of(2, 3, 1, 1),
    };
    state.addFrames(known, runsOf([0, 2], [skipped, 1], [1, 1]), 3 * 128 + 10);
    assert.deepEqual([state.sum.valueOf(0), state.mean.valueOf(0)], [384, 1.5]);
    assert.deepEqual([state.sum.valueOf(1), state.mean.valueOf(1)], [10, 1]);
  });
});
