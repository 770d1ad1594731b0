import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';

describe('what a power cut leaves for sure', () => {
  it('has the names that two threads sync at once', async () => {
    const root = mkdtempSync(join(tmpdir(), 'pitwall-record-'));
    const [folder, synced] = [join(root, 'data'), join(root, 'synced')];
    mkdirSync(folder);
    try {
      const lost = ['one', 'two'].map(async (own) => {
        const thread = new Worker(new URL('./disk-record-thread.js', import.meta.url), {
          workerData: { own, folder, synced },
        });
        const [count] = await once(thread, 'message');
        await once(thread, 'exit');
        return count;
      });
      assert.deepEqual(await Promise.all(lost), [0, 0]);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
