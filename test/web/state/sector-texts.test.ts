import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { roundMark, sectorsOf } from '../../../web/src/state/sector-texts.ts';

describe('a mark along the way', () => {
  it('is round for the length of the lap, in whatever unit that is', () => {
    const thirds = (way: number) => [1, 2].map((part) => roundMark((way * part) / 3, way));
    assert.deepEqual(thirds(5793.2), [1931, 3862]);
    // Kilometres, and a share of the lap.
    assert.deepEqual(thirds(5.7932), [1.931, 3.862]);
    assert.deepEqual(thirds(1), [0.333, 0.667]);
    assert.deepEqual(thirds(57_932), [19_311, 38_621]);
  });

  it('is where somebody has clicked', () => {
    assert.equal(roundMark(1234.567, 5793.2, true), 1234.6);
    assert.equal(roundMark(1.234567, 5.7932, true), 1.2346);
    assert.equal(roundMark(0.0321, 1, true), 0.0321);
  });

  it('stays as it is where the length is none', () => {
    for (const way of [0, Number.NaN, 1e-300]) assert.equal(roundMark(0.25, way, true), 0.25);
    assert.deepEqual(sectorsOf('3~1~x~1~-2'), [1, 3]);
  });
});
