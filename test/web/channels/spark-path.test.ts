import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sparkPath } from '../../../web/src/channels/spark-path.ts';

/** How far down the line is, point by point, of buckets with these ends. */
function heights(low: readonly number[], high: readonly number[]): number[] {
  const spark = { from: 0n, bucket: 1n, low, high, last: undefined, to: 10n };
  const path = sparkPath(spark, 100, 30);
  return [...path.matchAll(/ ([\d.]+)/g)].map(([, y]) => Number(y));
}

describe('the line of a channel in the list', () => {
  it('rises where values rise, and falls where they fall', () => {
    const rising = heights([0, 10, 20, 30], [10, 20, 30, 40]);
    assert.deepEqual(
      rising,
      rising.toSorted((a, b) => b - a),
    );
    const falling = heights([30, 20, 10, 0], [40, 30, 20, 10]).slice(1);
    assert.deepEqual(
      falling,
      falling.toSorted((a, b) => a - b),
    );
  });

  it('has a place for every double', () => {
    const { MAX_VALUE: most, MIN_VALUE: least } = Number;
    assert.deepEqual(
      heights([-most, 0, most], [-most, 0, most]).filter((_, i) => i % 2 === 0),
      [28.5, 15, 1.5],
    );
    assert.deepEqual(
      heights([0, least], [0, least]).filter((_, i) => i % 2 === 0),
      [28.5, 1.5],
    );
  });

  it('leaves out hours without data: where buckets have several rows, also if most steps are long', () => {
    const pieces = (low: readonly number[], high: readonly number[]) =>
      sparkPath({ from: 0n, bucket: 1n, low, high, last: undefined, to: 64n }, 64, 30).split('M').length - 1;
    const at = (places: readonly number[], value: number) =>
      Array.from({ length: 64 }, (_, i) => (places.includes(i) ? value : Number.NaN));
    assert.equal(pieces(at([0, 20, 63], 1), at([0, 20, 63], 2)), 3);
    // One row a bucket, now and then: they belong together.
    assert.equal(pieces(at([0, 16, 32, 48], 1), at([0, 16, 32, 48], 1)), 1);
  });

  it('goes through both ends of each bucket', () => {
    assert.equal(heights([0, 0, 5], [10, 10, 10]).length, 6);
  });
});
