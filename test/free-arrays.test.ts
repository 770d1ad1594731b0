import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';

describe('arrays that a thread no longer uses', () => {
  for (const when of ['at once', 'at rest'])
    it(`are given back ${when} where they are many, and those in use are left`, async () => {
      const thread = new Worker(new URL('./arrays-of-a-thread.js', import.meta.url), { workerData: when });
      const [left] = await once(thread, 'message');
      assert.deepEqual(left, { inUse: true, unused: false, hasTag: true });
    });
});
