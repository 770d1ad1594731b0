import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import { loadCatalog } from '../../../../src/store/embedded/catalog/catalog-manifest.ts';
import { catalogState } from '../../../../src/store/embedded/catalog/catalog-state.ts';
import { CommitsEnded } from '../../../../src/store/embedded/catalog/commit-queue.ts';
import {
  type CopyableManifest,
  type Manifest,
  openManifest,
} from '../../../../src/store/embedded/catalog/manifest.ts';
import { backgroundWorker } from '../../../../src/store/embedded/parts/background.ts';
import { blockCache } from '../../../../src/store/embedded/parts/block-cache.ts';
import { loadParts } from '../../../../src/store/embedded/parts/known-parts.ts';
import { type Merger, merger } from '../../../../src/store/embedded/parts/merger.ts';
import { type PartSet, partSet } from '../../../../src/store/embedded/parts/part-set.ts';
import { until } from '../../../until.ts';
import { rowsOf } from '../rows.ts';
import { storeFolder } from '../store-folder.ts';

const folder = storeFolder('merger');
const partsFolder = () => join(folder.directory, 'parts');

/** A merger on a folder with several parts of one window, and what it works on. */
interface Bench {
  readonly merge: Merger;
  readonly parts: PartSet;
  readonly manifest: CopyableManifest;
  readonly before: readonly string[];
  readonly warnings: string[];
  /** What a commit of the merger fails with, until it is taken away. */
  failure: Error | undefined;
  attempts: number;
}

let bench: Bench | undefined;

async function benchOn(failure: Error): Promise<Bench> {
  const store = await folder.open();
  for (let i = 0; store.health().parts < 3; i++) {
    const rows = rowsOf(
      Array.from({ length: 1000 }, (_, j) => ({ time: BigInt(1000 * i + j), cells: { v: Math.sqrt(j) } })),
    );
    await store.append({
      workspace: 'default',
      changes: [{ type: 'rows', topic: 't', streamId: 's', rows: [rows] }],
    });
    await store.room();
  }
  await folder.close(store);
  const manifest = await openManifest(join(folder.directory, 'catalog'));
  const { records, nextPart } = await loadParts(manifest, partsFolder(), (problem) => assert.fail(problem));
  const state = catalogState(() => 0);
  loadCatalog(state, manifest, (table, key) => assert.fail(`${table}/${key} is damaged`));
  const parts = partSet(partsFolder(), records, blockCache(0));
  const failing: Manifest = {
    ...manifest,
    async commit(changes) {
      made.attempts++;
      if (made.failure !== undefined) throw made.failure;
      await manifest.commit(changes);
    },
  };
  let next = nextPart;
  const warnings: string[] = [];
  const merge = merger({
    manifest: failing,
    state,
    parts,
    directory: partsFolder(),
    background: backgroundWorker(),
    flush: {
      takePartNumbers(count) {
        next += count;
        return next - count;
      },
    },
    clock: () => 0,
    quietMs: 0,
    log: { warn: (_fields, message) => warnings.push(message) },
  });
  const made: Bench = {
    merge,
    parts,
    manifest,
    before: readdirSync(partsFolder()),
    warnings,
    failure,
    attempts: 0,
  };
  bench = made;
  return made;
}

describe('the merger', () => {
  afterEach(async () => {
    await bench?.merge.close();
    await bench?.parts.close();
    await bench?.manifest.close();
    bench = undefined;
  });

  it('takes back the part of a merge that could not be committed, and merges later', async () => {
    const full = Object.assign(new Error('injected'), { code: 'ENOSPC' });
    const on = await benchOn(full);
    on.merge.wake();
    await until(() => on.warnings.length > 0);
    assert.deepEqual(readdirSync(partsFolder()), on.before);
    on.failure = undefined;
    on.merge.wake();
    await until(() => on.parts.all.length < on.before.length);
  });

  it('leaves the files as they are where nobody knows what was committed, and stops', async () => {
    const on = await benchOn(new CommitsEnded(new Error('injected')));
    on.merge.wake();
    await until(() => readdirSync(partsFolder()).length > on.before.length);
    await until(() => on.attempts === 1);
    on.failure = undefined;
    on.merge.wake();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(on.parts.all.length, on.before.length);
    assert.equal(on.attempts, 1);
    assert.ok(on.before.every((name) => readdirSync(partsFolder()).includes(name)));
  });
});
