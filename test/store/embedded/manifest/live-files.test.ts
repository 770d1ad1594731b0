import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileOpener, listFiles } from '../../../../src/store/embedded/manifest/catalog-files.ts';
import { liveFiles } from '../../../../src/store/embedded/manifest/live-files.ts';
import { loadFiles } from '../../../../src/store/embedded/manifest/load-files.ts';
import type { ManifestChange } from '../../../../src/store/embedded/manifest/manifest.ts';
import { openManifest } from '../../../../src/store/embedded/manifest/open-manifest.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pitwall-live-files-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const workspace = (key: string): ManifestChange => ({ table: 'workspaces', key, value: { name: key } });

describe('the files of a manifest', () => {
  it('keep every commit where a new file cannot be opened to be read', async () => {
    await (await openManifest(directory)).close();
    const found = await listFiles(directory);
    const open = fileOpener();
    const loaded = await loadFiles(directory, found, open);
    let isFull = false;
    const openFew: typeof open = (path, number) => {
      if (isFull) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
      return open(path, number);
    };
    const next = 1 + Math.max(...found.snapshots, ...found.edits);
    const live = await liveFiles(directory, loaded, openFew, next);
    await live.commit([workspace('before')]);
    isFull = true;
    await assert.rejects(live.queue.between(live.rotate), { code: 'EMFILE' });
    isFull = false;
    await live.commit([workspace('between')]);
    await live.queue.between(live.rotate);
    await live.commit([workspace('after')]);
    await live.close();

    const problems: string[] = [];
    const manifest = await openManifest(directory, { report: (problem) => problems.push(problem) });
    const names = [...manifest.entries('workspaces')].map(({ key }) => key);
    await manifest.close();
    assert.deepEqual([names, problems], [['after', 'before', 'between'], []]);
  });
});
