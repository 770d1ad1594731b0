import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { areWhole, roundNumbers } from '../../../web/src/plots/number-ticks.ts';

describe('round numbers', () => {
  it('are at steps of 1, 2 and 5, within the bounds', () => {
    assert.deepEqual(roundNumbers([0, 1], 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
    assert.deepEqual(roundNumbers([-7, 12], 4), [-5, 0, 5, 10]);
    assert.deepEqual(roundNumbers([0.1, 0.35], 2), [0.2]);
  });

  it('are whole where all that is drawn is', () => {
    assert.deepEqual(roundNumbers([0, 8], 20, true), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert.deepEqual(roundNumbers([-0.2, 1.3], 20, true), [0, 1]);
    assert.deepEqual(roundNumbers([0, 100], 5, true), [0, 20, 40, 60, 80, 100]);
    assert.ok(areWhole([-3, 0, 7, Number.NaN, Number.POSITIVE_INFINITY, 1e300]));
    assert.ok(!areWhole([1, 2.5]));
  });

  it('are none where doubles do not tell them apart, as around one time in microseconds', () => {
    const microseconds = 1_800_000_000_000_000;
    assert.deepEqual(roundNumbers([microseconds - 0.5, microseconds + 0.5], 8), []);
    assert.deepEqual(roundNumbers([5, 5], 8), []);
    assert.deepEqual(roundNumbers([Number.NEGATIVE_INFINITY, 5], 8), []);
  });
});
