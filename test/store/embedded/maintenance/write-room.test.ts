import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WriteRoom } from '../../../../src/store/embedded/maintenance/write-room.ts';

describe('the room for rows that are in no part yet', () => {
  it('is half taken, then full, as slabs wait to be sealed', async () => {
    const flush = { waitingBytes: 0, failure: undefined, progress: () => Promise.resolve() };
    const room = new WriteRoom(flush, { slabBytes: 10 }, 100);
    assert.deepEqual([room.isHalfTaken, room.wait()], [false, undefined]);
    flush.waitingBytes = 40;
    assert.equal(room.isHalfTaken, false);
    flush.waitingBytes = 50;
    assert.deepEqual([room.isHalfTaken, room.wait()], [true, undefined]);
    flush.waitingBytes = 90;
    assert.equal(room.isHalfTaken, true);
    await assert.doesNotReject(room.wait()!);
  });
});
