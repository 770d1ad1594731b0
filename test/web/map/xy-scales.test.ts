import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { extremesOf, mapHeight, reach, scalesOf } from '../../../web/src/map/xy-scales.ts';

const lap = { x: [5000, 5100], y: [300, 400] };
const empty = { x: [], y: [] };

describe('scales of one parameter over another', () => {
  it('fit the rows that there are: a run without any changes nothing', () => {
    const alone = scalesOf([lap], 400, 300, false);
    assert.deepEqual(alone.across, [5000, 5100]);
    assert.deepEqual(scalesOf([lap, empty], 400, 300, false).across, alone.across);
    assert.deepEqual(scalesOf([lap, empty], 400, 300, false).up, alone.up);
    assert.equal(mapHeight([lap, empty], 400), mapHeight([lap], 400));
  });

  it('have some room where there is one value, and do not widen what others reach', () => {
    assert.deepEqual(reach([7]), [6.5, 7.5]);
    const [low, high] = reach([1.8e18]);
    assert.ok(low < 1.8e18 && high > 1.8e18);
    const lines = [
      { x: [0, 10], y: [1, 1] },
      { x: [10, 10], y: [1, 1] },
    ];
    assert.deepEqual(scalesOf(lines, 400, 300, false).across, [0, 10]);
    assert.deepEqual(extremesOf([Number.NaN, Number.POSITIVE_INFINITY]), []);
  });
});

it('keeps scales within doubles, however far the values are apart', () => {
  const { MAX_VALUE: most } = Number;
  const { xOf, yOf, up } = scalesOf([{ x: [-most, 0, most], y: [most, most, -most] }], 400, 300, false);
  assert.deepEqual([xOf(-most), xOf(0), xOf(most)], [64, 64 + 162, 400 - 12]);
  assert.deepEqual(up, [-most, most]);
  assert.ok(yOf(most) < yOf(0) && yOf(0) < yOf(-most));
  assert.ok(reach([most]).every(Number.isFinite));
});
