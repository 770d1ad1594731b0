import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nearestPlace } from '../../../web/src/lines/nearest.ts';

const noGaps = new Uint8Array(6);

describe('the nearest place', () => {
  it('is found between places in any order, and not beyond them but for a reach', () => {
    const laps = [0, 10, 20, 12, 2, -5];
    assert.equal(nearestPlace(laps, noGaps, 9, 0), 1);
    assert.equal(nearestPlace(laps, noGaps, 16.5, 0), 2);
    assert.equal(nearestPlace(laps, noGaps, -4, 0), 5);
    assert.equal(nearestPlace(laps, noGaps, -7, 1), undefined);
    assert.equal(nearestPlace(laps, noGaps, -7, 2), 5);
    assert.equal(nearestPlace([], noGaps, 0, 10), undefined);
  });

  it('is none in a gap', () => {
    const gaps = Uint8Array.of(0, 0, 1, 0);
    assert.equal(nearestPlace([0, 1, 8, 9], gaps, 3, 1), undefined);
    assert.equal(nearestPlace([0, 1, 8, 9], gaps, 2, 1), 1);
    assert.equal(nearestPlace([0, 1, 8, 9], gaps, 8, 0), 2);
  });

  it('is found among rows that have no place, such as those before the first row of the distance', () => {
    const lap = [Number.NaN, Number.NaN, 1, 2, 3, Number.NaN];
    assert.equal(nearestPlace(lap, noGaps, 2.1, 0), 3);
    assert.equal(nearestPlace(lap, noGaps, 0.5, 0), undefined);
    assert.equal(nearestPlace(lap, noGaps, 3.5, 1), 4);
  });
});
