import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';

describe('arrays that a thread no longer uses', () => {
  it('are given back at once where they are many, and those in use are left', async () => {
    const thread = new Worker(new URL('./arrays-of-a-thread.js', import.meta.url));
    const [left] = await once(thread, 'message');
    assert.deepEqual(left, { inUse: true, unused: false });
  });
});
