import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type LineOfUnit, stepsFor, stepsWith } from '../../../web/src/plots/axis-steps.ts';

function lineOf(unit: string, low: readonly number[], high = low): LineOfUnit {
  return { unit, points: { low: Float64Array.from(low), high: Float64Array.from(high) } };
}

it('gives an axis whole steps where all that is drawn in its unit is whole', () => {
  const gear = lineOf('', [1, 2, Number.NaN, 3, -1]);
  const speed = lineOf('km/h', [100, 200.5]);
  const between = lineOf('rpm', [1000, 2000], [1000.5, 2000]);
  assert.ok(stepsFor([gear, speed], '').every(Number.isInteger));
  assert.deepEqual(stepsFor([gear], '').slice(0, 4), [1, 2, 5, 10]);
  for (const unit of ['km/h', 'rpm']) {
    const steps = stepsFor([gear, speed, between], unit);
    assert.ok(steps.includes(0.1) && steps.includes(2.5));
    assert.deepEqual(
      steps,
      steps.toSorted((a, b) => a - b),
    );
  }
  assert.ok(stepsFor([gear, lineOf('', [0.5])], '').includes(0.5));
});

it('gives an axis steps as large and as small as doubles are', () => {
  const steps = stepsFor([lineOf('', [-1e300, 1e300, 0.5])], '');
  assert.ok(steps.includes(1e299) && steps.includes(5e307) && steps.includes(1e-300));
  assert.ok(steps.every((step) => step > 0 && Number.isFinite(step)));
});

it('gives an axis two ticks at least, also where it is low', () => {
  const steps = stepsFor([lineOf('', [0.5])], '');
  const whole = stepsFor([lineOf('', [1, 2])], '');
  const leastOf = (own: readonly number[], bounds: readonly [number, number], pixels: number) =>
    stepsWith(own, bounds, pixels)[0];
  assert.equal(leastOf(steps, [0, 100], 300), 10);
  assert.equal(leastOf(steps, [40, 340], 40), 100, 'of 250 there would be one');
  assert.equal(leastOf(steps, [-6, 116], 40), 100);
  assert.equal(leastOf(whole, [2.7, 3.3], 40), 1, 'there is no other whole number');
  assert.equal(leastOf(whole, [0.52, 9.48], 40), 2, 'of 5 there would be one');
  for (let low = 0.1; low < 100; low *= 1.13)
    for (let size = 0.1; size < 1000; size *= 1.17)
      for (const own of size > 3 ? [steps, whole] : [steps]) {
        const step = leastOf(own, [low, low + size], 40)!;
        const ticks = Math.floor((low + size) / step) - Math.ceil(low / step) + 1;
        assert.ok(ticks >= 2, `${ticks} from ${low} to ${low + size}`);
        assert.ok((40 * step) / size >= 8, `${step} from ${low} to ${low + size}`);
      }
});
