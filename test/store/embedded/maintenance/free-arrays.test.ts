import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { freeArrays } from '../../../../src/store/embedded/maintenance/free-arrays.ts';

describe('arrays that a thread no longer uses', () => {
  it('are given back at once where they are many, and those in use are left', async () => {
    freeArrays();
    const held = Array.from({ length: 1500 }, () => new Float64Array(2048));
    const kept = held[0]!;
    const [first, other] = [new WeakRef(kept), new WeakRef(held[1]!)];
    // What a reference was made to in this turn stays until its end.
    await nextTurn();
    held.length = 0;
    freeArrays();
    assert.ok(other.deref() === undefined);
    assert.ok(first.deref() === kept);
  });
});
