import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { editDistance } from '../../../src/wire/base/nearest.ts';
import { distanceWithin, searchNear } from '../../../src/wire/base/nearest-name.ts';

function nearestOf(wanted: string, known: readonly string[]): string | undefined {
  const search = searchNear(wanted);
  let found: string | undefined;
  for (const name of known) {
    const distance = search.distanceTo(name);
    if (distance === undefined) continue;
    found = name;
    search.take(distance, name);
  }
  return found;
}

describe('the nearest name', () => {
  it('is few edits away, without regard to case', () => {
    const known = ['Throttle', 'Speed', 'SpeedFL', 'brake', 'Oil Temp'];
    assert.equal(nearestOf('speed', known), 'Speed');
    assert.equal(nearestOf('Sepedfl', known), 'SpeedFL');
    assert.equal(nearestOf('OilTemp', known), 'Oil Temp');
    assert.equal(nearestOf('Brakes', known), 'brake');
    assert.equal(nearestOf('Latitude', known), undefined);
    assert.equal(nearestOf('x', []), undefined);
    assert.equal(nearestOf('zz', ['a', 'GS', 'x']), undefined);
    assert.equal(nearestOf('t', ['x', 'T']), 'T');
    assert.equal(nearestOf('Gs', ['GSx', 'G']), 'G');
  });

  it('does not depend on the order in which names come', () => {
    const known = ['SpeedB', 'SpeedA', 'Speed', 'speed'];
    for (const wanted of ['SpeedC', 'sped', 'Speed']) {
      const found = nearestOf(wanted, known);
      assert.ok(found !== undefined);
      assert.equal(nearestOf(wanted, known.toReversed()), found);
    }
    assert.equal(nearestOf('SpeedC', known), 'Speed');
  });

  it('has as many edits as a plain count says, where these are not too many', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 });
    fc.assert(
      fc.property(text, text, fc.nat(8), (a, b, most) => {
        const edits = editDistance(a, b);
        assert.equal(distanceWithin(a, b, most), edits <= most ? edits : undefined);
      }),
      { numRuns: 2000 },
    );
  });

  it('is looked for in so many names only, and in the beginning of long ones', () => {
    const search = searchNear('x'.repeat(1000));
    const far = `${'x'.repeat(60)}${'y'.repeat(940)}`;
    assert.equal(search.distanceTo(far), 4);
    let compared = 1;
    while (search.distanceTo(far) !== undefined) compared++;
    assert.equal(compared, 20_000);
  });
});
