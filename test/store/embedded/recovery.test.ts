import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { directoryPaths } from '../../../src/store/embedded/files/directory.ts';
import { type Files, realFiles } from '../../../src/store/embedded/files/files.ts';
import { openManifest } from '../../../src/store/embedded/manifest/open-manifest.ts';
import { recoverState } from '../../../src/store/embedded/recovery.ts';
import { catalogView } from './catalog-view.ts';
import { faultyFiles, unreadableFiles } from './faulty-files.ts';
import { rowsOf } from './rows.ts';
import { storeFolder } from './store-folder.ts';

const folder = storeFolder('recovery');

/** Three records in the log, the second in a page of its own, recovered through files with faults. */
async function recovered(faultsOf: (files: Files) => Files) {
  const store = await folder.open();
  for (const streamId of ['a', 'b', 'c']) {
    const rows = [rowsOf([{ time: 1n, cells: { speed: 1 } }])];
    await store.append({ workspace: 'default', changes: [{ type: 'rows', topic: 'cars', streamId, rows }] });
  }
  await folder.close(store);
  const paths = directoryPaths(folder.directory);
  const manifest = await openManifest(paths.catalog);
  const problems: string[] = [];
  try {
    const { state, unsettled } = await recoverState({
      paths,
      manifest,
      cacheBytes: 0,
      indexBytes: 0,
      maxFiles: 1,
      clock: () => folder.now,
      monotonicMs: () => 0,
      log: { info() {}, warn() {}, error() {} },
      files: faultsOf(realFiles(paths.log)),
      report: (problem) => problems.push(problem),
    });
    const streams = catalogView(state, 60_000)
      .streams('default', {}, folder.now)
      .map(({ streamId }) => streamId);
    return { streams, isSettled: unsettled === undefined, problems };
  } finally {
    await manifest.close();
  }
}

describe('the recovery of a directory', () => {
  it('goes on around bytes of the log that the disk cannot read, and names them', async () => {
    const { streams, isSettled, problems } = await recovered((files) => {
      const name = readdirSync(directoryPaths(folder.directory).log).find((one) =>
        one.startsWith('segment'),
      )!;
      return unreadableFiles(files, [{ name, from: 5000, to: 5001 }]);
    });
    assert.deepEqual(streams, ['a', 'c']);
    assert.equal(isSettled, true);
    assert.match(problems.join('\n'), /segment-\d+\.log: bytes 4096 to 8192: the disk cannot read .*EIO/);
  });

  it('gives what it found where the disk takes nothing, and says that nothing may be written', async () => {
    const { streams, isSettled, problems } = await recovered((files) =>
      faultyFiles(files, { code: 'EIO', first: 0, times: 100 }),
    );
    assert.deepEqual([streams, isSettled], [['a', 'b', 'c'], false]);
    assert.match(problems.join('\n'), /log could not be made safe, so nothing is written: .*EIO/);
  });
});
