import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { digitsOf, scaleInto } from '../../../../src/store/clickhouse/insert/decimals.ts';
import { createRandom } from '../../../fuzz/random.ts';

const digits = (...numbers: number[]) => digitsOf(Float64Array.from(numbers), 0);

/** What the columns say, as ClickHouse divides. */
function scaled(numbers: Float64Array, count: number): number[] {
  const words = new Uint32Array(2 * numbers.length);
  scaleInto(words, 0, numbers, count);
  return Array.from(new BigInt64Array(words.buffer), (whole) => Number(whole) / 10 ** count);
}

describe('numbers as integers of their digits', () => {
  it('have the fewest digits that all of them need', () => {
    assert.equal(digits(1, 2, -3), 0);
    assert.equal(digits(1, 2.5, -3), 1);
    assert.equal(digits(0.1, 2.25, 1), 2);
    assert.equal(digits(0.000001, 1), 6);
    assert.equal(digitsOf(Float64Array.of(1, 2), 3), 3);
  });

  it('are not those that no short decimal says', () => {
    for (const number of [1 / 3, 1e-7, -0, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60, 5e-324]) {
      assert.equal(digits(1, number), undefined, String(number));
    }
    // Each has its place, but with the digits of the other one it is too large.
    assert.equal(digits(1e12), 0);
    assert.equal(digits(1e12, 0.001), undefined);
  });

  it('come back to the bit', () => {
    const random = createRandom(5);
    for (let round = 0; round < 2000; round++) {
      const count = random.below(7);
      const size = 10 ** random.below(8);
      const numbers = Float64Array.from({ length: 50 }, () =>
        Number(((random.below(2 ** 31) / 2 ** 31 - 0.5) * size).toFixed(count)),
      ).map((number) => (number === 0 ? 0 : number));
      const found = digitsOf(numbers, 0);
      assert.ok(found !== undefined && found <= count);
      assert.deepEqual(scaled(numbers, found), [...numbers]);
    }
  });
});
