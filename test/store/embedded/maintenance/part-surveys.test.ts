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

const yearMs = 365 * 86_400_000;

/** Surveys of the parts that a store has left, in which each stream has one of its own; what was looked at, by window. */
async function surveying(clock: () => number) {
  let store = await folder.open();
  for (const [i, streamId] of ['a', 'b', 'c'].entries()) {
    const rows = rowsOf(
      Array.from({ length: 10 }, (_, row) => ({
        time: BigInt(i) * 2n ** 52n + BigInt(row),
        cells: { v: 1 },
      })),
    );
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
    clock,
    onFailure: (_part, error) => assert.fail(error as Error),
  });
  const number = (streamId: string) => [0, 1, 2].find((one) => state.streams.id(one) === streamId)!;
  return {
    state,
    number,
    /** Of the part with the rows of a stream. */
    of: (stream: 0 | 1 | 2) => {
      const { record } = parts.all.find((part) => part.record.window === 4 * stream)!;
      return surveys.of(record)!;
    },
    remove: (streamId: string) => removeStream(state, number(streamId)),
    async lookedAt() {
      await surveys.renew(new Set());
      return looked.splice(0).sort((a, b) => a - b);
    },
    async close() {
      await parts.close();
      await manifest.close();
    },
  };
}

describe('surveys of parts', () => {
  it('look again only at parts of streams that have gone, and at all where any rows may have', async () => {
    const { state, of, remove, lookedAt, close } = await surveying(() => 0);
    assert.deepEqual(await lookedAt(), [0, 4, 8]);
    assert.deepEqual(await lookedAt(), []);
    remove('b');
    assert.deepEqual(await lookedAt(), [4]);
    assert.equal(of(1).dead.all, true);
    assert.deepEqual(await lookedAt(), []);
    state.removals.add(undefined);
    assert.deepEqual(await lookedAt(), [0, 4, 8]);
    await close();
  });

  it('count from now on where the clock was ahead when rows were deleted, and is set back', async () => {
    let now = folder.now + yearMs;
    const { state, number, of, remove, lookedAt, close } = await surveying(() => now);
    state.tombstones.put({
      lsn: 1_000_000,
      arrival: now,
      streams: Uint32Array.of(number('a')),
      from: 3n,
      to: 3n,
      parameters: undefined,
      tagFilters: [],
    });
    remove('b');
    await lookedAt();
    assert.deepEqual([of(0).touchedSince, of(1).goneSince], [now, now]);
    now -= yearMs;
    assert.deepEqual(await lookedAt(), [0, 4, 8]);
    assert.deepEqual([of(0).touchedSince, of(1).goneSince], [now, now]);
    assert.deepEqual(await lookedAt(), []);
    await close();
  });
});
