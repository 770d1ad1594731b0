import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { open } from 'lmdb';
import { openManifest } from '../../../../src/store/embedded/catalog/manifest.ts';

describe('the manifest', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'pitwall-manifest-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it('shows a transaction when it is on disk, to a snapshot too', async () => {
    const manifest = await openManifest(directory);
    await manifest.commit([{ table: 'meta', key: 'lsn', value: 1 }]);
    const before = manifest.snapshot();
    const committed = manifest.commit([{ table: 'meta', key: 'lsn', value: 2 }]);
    assert.equal(manifest.read('meta', 'lsn'), 1);
    await committed;
    assert.equal(manifest.read('meta', 'lsn'), 2);
    assert.equal(before.read('meta', 'lsn'), 1);
    before.release();
    await manifest.close();
  });

  it('has what a release with overlapping syncs committed', async () => {
    const manifest = await openManifest(directory);
    await manifest.commit([{ table: 'meta', key: 'lsn', value: 7 }]);
    await manifest.close();
    const options = { encoding: 'binary', maxDbs: 12 } as const;
    const older = open({ path: directory, ...options });
    const meta = older.openDB<Buffer, string>({ name: 'meta', ...options });
    const bytes = Buffer.from(meta.get('lsn')!);
    for (let i = 0; i < 10; i++) await meta.put(`copy ${i}`, bytes);
    await older.close();
    for (let round = 0; round < 2; round++) {
      const again = await openManifest(directory);
      assert.equal(again.read('meta', 'copy 9'), 7);
      await again.commit([{ table: 'meta', key: 'lsn', value: 8 + round }]);
      assert.equal(again.read('meta', 'lsn'), 8 + round);
      await again.close();
    }
  });
});
