import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hasWholeSteps, type LineOfUnit, stepsOf } from '../../../web/src/plots/axis-steps.ts';

function lineOf(unit: string, low: readonly number[], high = low): LineOfUnit {
  return { unit, points: { low: Float64Array.from(low), high: Float64Array.from(high) } };
}

it('gives an axis whole steps where all that is drawn in its unit is whole', () => {
  const gear = lineOf('', [1, 2, Number.NaN, 3, -1]);
  const speed = lineOf('km/h', [100, 200.5]);
  const between = lineOf('rpm', [1000, 2000], [1000.5, 2000]);
  assert.equal(hasWholeSteps([gear, speed, between], ''), true);
  assert.equal(hasWholeSteps([gear, speed, between], 'km/h'), false);
  assert.equal(hasWholeSteps([gear, speed, between], 'rpm'), false);
  assert.equal(hasWholeSteps([gear, lineOf('', [0.5])], ''), false);
  assert.deepEqual(stepsOf(true, [0, 1], 300).slice(0, 5), [1, 2, 5, 10, 20]);
  assert.deepEqual(stepsOf(false, [0, 1], 300).slice(0, 6), [0.1, 0.2, 0.25, 0.5, 1, 2]);
});

it('gives an axis steps as large and as small as doubles are', () => {
  assert.equal(stepsOf(false, [-1e300, 1e300], 300)[0], 2e299);
  assert.equal(stepsOf(false, [0, 9e307], 300)[0], 1e307);
  assert.equal(stepsOf(false, [0, 1e-300], 300)[0], 1e-301);
  assert.equal(stepsOf(false, [0, 5e-323], 300)[0], 1e-323);
  for (const bounds of [
    [-1e308, 1e308],
    [0, 5e-324],
    [1e15, 1e15 + 1],
  ] as const) {
    const steps = stepsOf(false, bounds, 300);
    assert.ok(steps.every((step) => step > 0 && Number.isFinite(step)));
    assert.deepEqual(
      steps,
      steps.toSorted((a, b) => a - b),
    );
  }
});

it('gives an axis two ticks at least, also where it is low', () => {
  const leastOf = (isWhole: boolean, bounds: readonly [number, number], pixels: number) =>
    stepsOf(isWhole, bounds, pixels)[0];
  assert.equal(leastOf(false, [0, 100], 300), 10);
  assert.equal(leastOf(false, [40, 340], 40), 100, 'of 250 there would be one');
  assert.equal(leastOf(false, [-6, 116], 40), 100);
  assert.equal(leastOf(true, [2.7, 3.3], 40), 1, 'there is no other whole number');
  assert.equal(leastOf(true, [0.52, 9.48], 40), 2, 'of 5 there would be one');
  for (let low = 0.1; low < 100; low *= 1.13)
    for (let size = 0.1; size < 1000; size *= 1.17)
      for (const isWhole of size > 3 ? [false, true] : [false]) {
        const step = leastOf(isWhole, [low, low + size], 40)!;
        const ticks = Math.floor((low + size) / step) - Math.ceil(low / step) + 1;
        assert.ok(ticks >= 2, `${ticks} from ${low} to ${low + size}`);
        assert.ok((40 * step) / size >= 8, `${step} from ${low} to ${low + size}`);
      }
});
