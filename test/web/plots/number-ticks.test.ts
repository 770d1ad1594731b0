import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { areWhole, roundNumbers } from '../../../web/src/plots/number-ticks.ts';

describe('round numbers', () => {
  it('are at steps of 1, 2 and 5, within the bounds', () => {
    assert.deepEqual(roundNumbers([0, 1], 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
    assert.deepEqual(roundNumbers([-7, 12], 4), [-5, 0, 5, 10]);
    assert.deepEqual(roundNumbers([0.1, 0.35], 2), [0.1, 0.2, 0.3]);
  });

  it('are two at least, however little room there is', () => {
    assert.deepEqual(roundNumbers([40, 340], 1), [100, 200, 300]);
    for (const [low, high] of [
      [0.1, 9.9],
      [6, 14],
      [-1, 4.9],
      [99, 401],
      [0.35, 0.85],
    ] as const)
      for (const count of [0.4, 1, 1.7, 3])
        assert.ok(roundNumbers([low, high], count).length >= 2, `${low} to ${high}, ${count}`);
    assert.deepEqual(roundNumbers([2.7, 3.3], 1, true), [3], 'there is no other whole number');
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
