import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { slabSizes } from '../../../../src/store/embedded/log/slab-sizes.ts';

const mebibyte = 1 << 20;

describe('the sizes of slabs', () => {
  it('grow from one that is filled to the next, and begin anew after a rest', () => {
    const sizes = slabSizes(16 * mebibyte);
    const seen: number[] = [];
    for (let i = 0; i < 4; i++) {
      seen.push(sizes.forRecord(100) / mebibyte);
      sizes.grow();
    }
    sizes.rest();
    assert.deepEqual([...seen, sizes.forRecord(100) / mebibyte], [1, 4, 16, 16, 1]);
  });

  it('are the full one where that is smaller than the usual first', () => {
    const sizes = slabSizes(64 * 1024);
    assert.deepEqual([sizes.first, sizes.forRecord(8), sizes.after(64 * 1024)], [65_536, 65_536, 65_536]);
  });

  it('have room for the record: a larger size, or one of its own in whole pages', () => {
    const sizes = slabSizes(16 * mebibyte);
    assert.equal(sizes.forRecord(2 * mebibyte), 4 * mebibyte);
    assert.equal(sizes.forRecord(17 * mebibyte + 8), 17 * mebibyte + 4096);
    assert.equal(sizes.forRecord(8), 16 * mebibyte);
  });
});
