import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { slopeOf } from '../../../web/src/measure/slope-load.ts';

const seconds = (at: readonly number[]) => at.map((second) => BigInt(second) * 1_000_000_000n);

describe('the slope of rows', () => {
  it('is that of the line that fits best, not of the first row and the last one', () => {
    assert.equal(slopeOf(seconds([0, 1, 2, 3]), [0, 2, 4, 6]), 2);
    assert.equal(slopeOf(seconds([0, 1, 2, 3, 4]), [5, 2, 2, 2, 5]), 0);
  });

  it('counts a mean as often as it has rows', () => {
    const rows = slopeOf(seconds([0, 0, 0, 1, 2]), [1, 1, 1, 4, 2]);
    assert.equal(slopeOf(seconds([0, 1, 2]), [1, 4, 2], [3, 1, 1]), rows);
  });

  it('leaves out what is no number, and is none of a single time', () => {
    assert.equal(slopeOf(seconds([0, 1, 2]), [0, null, 4]), 2);
    assert.equal(slopeOf(seconds([0, 1, 2]), [0, Number.NaN, 4]), 2);
    assert.equal(slopeOf(seconds([1, 1]), [0, 4]), undefined);
    assert.equal(slopeOf([], []), undefined);
  });
});
