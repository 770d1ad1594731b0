import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PitwallError } from '../../src/errors.ts';
import { waitForRoom } from '../../src/ingest/room.ts';

describe('waiting for room in the store', () => {
  it('does not wait while there is room', () => {
    assert.equal(waitForRoom({ room: () => undefined }), undefined);
  });

  it('waits again when others took the room in the meantime', async () => {
    const answers = [Promise.resolve(), Promise.resolve(), undefined];
    let asked = 0;
    await waitForRoom({ room: () => answers[asked++] });
    assert.equal(asked, 3);
  });

  it('sends a write away when it takes too long', async () => {
    const never = new Promise<void>(() => {});
    await assert.rejects(
      async () => waitForRoom({ room: () => never }, 1),
      (error) => error instanceof PitwallError && error.code === 'overloaded',
    );
  });

  it('passes on why the store cannot make room', async () => {
    const failed = Promise.reject(new PitwallError('storage_failed'));
    await assert.rejects(async () => waitForRoom({ room: () => failed }), /storage has failed/);
  });
});
