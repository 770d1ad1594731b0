import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { roundNumbers } from '../../../web/src/plots/number-ticks.ts';

describe('round numbers', () => {
  it('are at steps of 1, 2 and 5, within the bounds', () => {
    assert.deepEqual(roundNumbers([0, 1], 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
    assert.deepEqual(roundNumbers([-7, 12], 4), [-5, 0, 5, 10]);
    assert.deepEqual(roundNumbers([0.1, 0.35], 2), [0.2]);
  });

  it('are none where doubles do not tell them apart, as around one time in microseconds', () => {
    const microseconds = 1_800_000_000_000_000;
    assert.deepEqual(roundNumbers([microseconds - 0.5, microseconds + 0.5], 8), []);
    assert.deepEqual(roundNumbers([5, 5], 8), []);
    assert.deepEqual(roundNumbers([Number.NEGATIVE_INFINITY, 5], 8), []);
  });
});
