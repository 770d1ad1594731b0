import assert from 'node:assert/strict';
import { it } from 'node:test';
import { logPlaces, logPlacesWith } from '../../../web/src/plots/log-places.ts';

const toldOf = (bounds: readonly [number, number], pixels: number, room = 18) =>
  logPlacesWith(room, logPlaces(bounds), pixels / Math.log10(bounds[1] / bounds[0])).filter(
    (place) => place !== null,
  );

it('gives a logarithmic axis the digits of powers of ten, wherever it begins', () => {
  assert.deepEqual(logPlaces([47.3, 330]), [50, 60, 70, 80, 90, 100, 200, 300]);
  assert.deepEqual(
    logPlaces([0.0015, 0.012]),
    [0.002, 0.003, 0.004, 0.005, 0.006, 0.007, 0.008, 0.009, 0.01],
  );
  assert.deepEqual(logPlaces([3.1, 3.7]), [3.2, 3.4, 3.6], 'where there are no two of them, round numbers');
  assert.deepEqual(logPlaces([0, 1]), []);
});

it('tells as many of them as have room, and two at least', () => {
  assert.deepEqual(toldOf([0.5, 2000], 200), [1, 10, 100, 1000]);
  assert.deepEqual(toldOf([0.9, 110], 300), [1, 2, 5, 10, 20, 50, 100]);
  assert.deepEqual(toldOf([1e-9, 1e9], 100), [1e-8, 1e-4, 1, 1e4, 1e8]);
  assert.deepEqual(toldOf([15, 95], 40), [20, 90]);
  assert.deepEqual(toldOf([3.1, 3.7], 40), [3.2, 3.4, 3.6]);
});
