import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type HeadSlab, headSlab } from '../../../../src/store/embedded/log/head.ts';
import { leftSlabs } from '../../../../src/store/embedded/log/left-slabs.ts';
import { makeSlab } from '../../../../src/store/embedded/log/slab.ts';

const slabBytes = 4096;

function slab(sequence: number): HeadSlab {
  return headSlab(makeSlab(sequence, new SharedArrayBuffer(slabBytes)));
}

describe('slabs that only reads hold', () => {
  it('end no other read while one that was told to end still has its slabs', () => {
    const left = leftSlabs(slabBytes);
    const heads = [slab(1), slab(2), slab(3)];
    const told: number[] = [];
    const reads = heads.map((head, i) => {
      left.pin([head]);
      const read = left.join([head], () => told.push(i));
      read.waits();
      return read;
    });
    left.sealed(heads[0]!);
    left.sealed(heads[1]!);
    assert.deepEqual(told, [0]);
    assert.equal(left.bytes, 2 * slabBytes);
    left.sealed(heads[2]!);
    assert.deepEqual(told, [0, 1]);
    // The first lets go, which leaves as much as before: two slabs, of which one is about to go.
    reads[0]!.leave();
    left.unpin([heads[0]!]);
    assert.equal(left.bytes, 2 * slabBytes);
    reads[2]!.waits();
    assert.deepEqual(told, [0, 1]);
    assert.equal(left.ended, 2);
  });

  it('stay for another read of theirs when one that was told to end has left', () => {
    const left = leftSlabs(0);
    const head = slab(1);
    left.pin([head]);
    left.pin([head]);
    let isTold = false;
    const first = left.join([head], () => {
      first.leave();
      left.unpin([head]);
    });
    first.waits();
    left.sealed(head);
    assert.equal(left.bytes, slabBytes);
    const second = left.join([head], () => {
      isTold = true;
    });
    second.waits();
    assert.ok(isTold);
  });
});
