import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { captureMoment } from '../../../../src/store/embedded/backup/backup-moment.ts';
import { headSlab } from '../../../../src/store/embedded/log/head.ts';
import { leftSlabs } from '../../../../src/store/embedded/log/left-slabs.ts';
import { makeSlab } from '../../../../src/store/embedded/log/slab.ts';
import { openManifest } from '../../../../src/store/embedded/manifest/open-manifest.ts';
import { filePool } from '../../../../src/store/embedded/parts/file-pool.ts';
import { partCache } from '../../../../src/store/embedded/parts/part-cache.ts';
import { partSet } from '../../../../src/store/embedded/parts/part-set.ts';

describe('the moment of a backup', () => {
  it('counts the slabs that it alone holds, and gives them back', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pitwall-moment-'));
    const manifest = await openManifest(folder);
    try {
      const slab = makeSlab(1, new SharedArrayBuffer(4096));
      slab.firstLsn = 1;
      slab.lastLsn = 5;
      const head = headSlab(slab);
      const left = leftSlabs(1 << 20);
      const parts = partSet(folder, [], partCache(0), filePool(1));
      const source = { manifest, parts, heads: () => [head], left, syncedLsn: () => 5 };
      const moment = await captureMoment(source, new AbortController().signal);
      assert.equal(left.bytes, 0);
      left.sealed(head);
      assert.equal(left.bytes, 4096);
      moment.releaseMemory();
      assert.equal(left.bytes, 0);
      moment.release();
      assert.equal(head.pins, 0);
    } finally {
      await manifest.close();
      rmSync(folder, { recursive: true });
    }
  });
});
