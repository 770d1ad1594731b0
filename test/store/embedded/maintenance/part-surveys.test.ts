import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { removeStream } from '../../../../src/store/embedded/catalog/catalog-changes.ts';
import { loadCatalog } from '../../../../src/store/embedded/catalog/catalog-manifest.ts';
import { catalogState } from '../../../../src/store/embedded/catalog/catalog-state.ts';
import { loadParts } from '../../../../src/store/embedded/catalog/known-parts.ts';
import { partSurveys } from '../../../../src/store/embedded/maintenance/part-surveys.ts';
import { openManifest } from '../../../../src/store/embedded/manifest/open-manifest.ts';
import { filePool } from '../../../../src/store/embedded/parts/file-pool.ts';
import { partCache } from '../../../../src/store/embedded/parts/part-cache.ts';
import { partSet } from '../../../../src/store/embedded/parts/part-set.ts';
import { rowsOf } from '../rows.ts';
import { storeFolder } from '../store-folder.ts';

const folder = storeFolder('part-surveys');

describe('surveys of parts', () => {
  it('look again only at parts of streams that have gone, and at all where any rows may have', async () => {
    let store = await folder.open();
    // Windows apart, so that each stream has a part of its own.
    for (const [i, streamId] of ['a', 'b', 'c'].entries()) {
      const rows = rowsOf([{ time: BigInt(i) * 2n ** 52n, cells: { v: 1 } }]);
      await store.append({ workspace: 'w', changes: [{ type: 'rows', topic: 't', streamId, rows: [rows] }] });
    }
    store = await folder.reopenInParts(store, 3);
    await folder.close(store);
    const manifest = await openManifest(join(folder.directory, 'catalog'));
    const directory = join(folder.directory, 'parts');
    const { records } = await loadParts(manifest, directory, (problem) => assert.fail(problem));
    const state = catalogState(() => 0);
    loadCatalog(state, manifest);
    const parts = partSet(directory, records, partCache(0), filePool(4));
    const looked: number[] = [];
    const surveys = partSurveys({
      state,
      parts: {
        get all() {
          return parts.all;
        },
        readIndex(part) {
          looked.push(part.record.window);
          return parts.readIndex(part);
        },
      },
      clock: () => 0,
      onFailure: (_part, error) => assert.fail(error as Error),
    });
    const lookedAt = async () => {
      await surveys.renew(new Set());
      return looked.splice(0).sort((a, b) => a - b);
    };
    assert.deepEqual(await lookedAt(), [0, 4, 8]);
    assert.deepEqual(await lookedAt(), []);
    const b = [0, 1, 2].find((stream) => state.streams.id(stream) === 'b')!;
    removeStream(state, b);
    assert.deepEqual(await lookedAt(), [4]);
    const gone = parts.all.find(({ record }) => record.window === 4)!;
    assert.equal(surveys.of(gone.record)!.dead.all, true);
    assert.deepEqual(await lookedAt(), []);
    state.removals.add(undefined);
    assert.deepEqual(await lookedAt(), [0, 4, 8]);
    await parts.close();
    await manifest.close();
  });
});
