import assert from 'node:assert/strict';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import { loadCatalog } from '../../../../src/store/embedded/catalog/catalog-manifest.ts';
import { catalogState } from '../../../../src/store/embedded/catalog/catalog-state.ts';
import { loadParts } from '../../../../src/store/embedded/catalog/known-parts.ts';
import { backgroundWorker } from '../../../../src/store/embedded/maintenance/background.ts';
import { type Merger, merger } from '../../../../src/store/embedded/maintenance/merger.ts';
import { CommitsEnded } from '../../../../src/store/embedded/manifest/commit-queue.ts';
import type { CopyableManifest, Manifest } from '../../../../src/store/embedded/manifest/manifest.ts';
import { openManifest } from '../../../../src/store/embedded/manifest/open-manifest.ts';
import { filePool } from '../../../../src/store/embedded/parts/file-pool.ts';
import { partCache } from '../../../../src/store/embedded/parts/part-cache.ts';
import { partNumbers } from '../../../../src/store/embedded/parts/part-record.ts';
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
  /** What a merge in the worker fails with, once each. */
  readonly faults: Error[];
  /** Merges that the worker was asked for, by their parts. */
  readonly asked: number[][];
  /** Milliseconds of a clock that never goes back. */
  now: number;
  /** How often the merger has asked which parts it has to leave alone: two to five times in each look that finds nothing to do. */
  askedNow: number;
}

let bench: Bench | undefined;

async function benchOn(failure?: Error): Promise<Bench> {
  // Nothing but full slabs becomes parts, of equal sizes, and they stay so.
  const store = await folder.open({ quietMs: 3_600_000 });
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
  loadCatalog(state, manifest);
  const parts = partSet(partsFolder(), records, partCache(0), filePool(16));
  const failing: Manifest = {
    ...manifest,
    async commit(changes) {
      made.attempts++;
      if (made.failure !== undefined) throw made.failure;
      await manifest.commit(changes);
    },
  };
  const warnings: string[] = [];
  const background = backgroundWorker(() => false);
  const merge = merger({
    manifest: failing,
    state,
    parts,
    directory: partsFolder(),
    background: {
      ...background,
      async merge(job) {
        made.asked.push(job.parts.map(({ number }) => number));
        const fault = made.faults.shift();
        if (fault !== undefined) throw fault;
        return background.merge(job);
      },
    },
    numbers: partNumbers(nextPart),
    clock: () => 0,
    monotonicMs() {
      made.askedNow++;
      return made.now;
    },
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
    faults: [],
    asked: [],
    now: 0,
    askedNow: 0,
  };
  bench = made;
  return made;
}

/**
 * Has the merger look for work once from its beginning to its end. One look may be under way, and rest after surveys: those
 * looks count, too, that are about merges only.
 */
async function look(on: Bench): Promise<void> {
  const before = on.askedNow;
  await until(() => {
    on.merge.wake();
    return on.askedNow > before + 10;
  });
}

async function close({ merge, parts, manifest }: Bench): Promise<void> {
  bench = undefined;
  await merge.close();
  await parts.close();
  await manifest.close();
  rmSync(folder.directory, { recursive: true });
}

describe('the merger', () => {
  afterEach(async () => {
    if (bench !== undefined) await close(bench);
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

  it('leaves a damaged part alone for good, and merges the others', async () => {
    const on = await benchOn();
    const numbers = on.parts.all.map(({ record }) => record.number);
    const { path } = on.parts.all[0]!;
    const bytes = readFileSync(path);
    for (let i = 0; i < 40; i++) bytes[i]! ^= 0x55;
    writeFileSync(path, bytes);
    on.merge.wake();
    await until(() => on.parts.all.length === 2);
    assert.deepEqual(on.asked, [numbers, numbers.slice(1)]);
    assert.deepEqual(on.warnings, ['a damaged part is not merged']);
    on.now += 1e9;
    await look(on);
    assert.equal(on.asked.length, 2);
    assert.deepEqual(readFileSync(path), bytes);
  });

  it('tries parts again that it could not read, after a while', async () => {
    const on = await benchOn();
    const { path } = on.parts.all.at(-1)!;
    const all = on.before.length;
    renameSync(path, `${path}.away`);
    on.merge.wake();
    await until(() => on.parts.all.length === 2);
    assert.deepEqual(on.warnings, ['parts could not be merged; trying again later']);
    renameSync(`${path}.away`, path);
    on.now += 59_999;
    await look(on);
    assert.deepEqual(
      on.asked.map(({ length }) => length),
      [all - 1],
    );
    on.now += 1;
    on.merge.wake();
    await until(() => on.asked.length === 2);
  });

  it('has a pause after what the worker could not do, whatever it was, and then does it', async () => {
    for (const fault of [
      Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' }),
      Object.assign(new Error('ENOMEM: not enough memory'), { code: 'ENOMEM' }),
      new Error('the background worker stopped'),
    ]) {
      const on = await benchOn();
      on.faults.push(fault);
      on.merge.wake();
      await until(() => on.warnings.length === 1);
      await look(on);
      assert.equal(on.asked.length, 1);
      on.now += 60_000;
      on.merge.wake();
      await until(() => on.parts.all.length === 1);
      await close(on);
    }
  });

  it('blames no part where no file can be opened: the next look merges', async () => {
    const on = await benchOn();
    on.faults.push(Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' }));
    on.merge.wake();
    await until(() => on.warnings.length === 1);
    assert.deepEqual(on.warnings, ['parts could not be merged: no file can be opened']);
    await until(() => {
      on.merge.wake();
      return on.parts.all.length === 1;
    });
  });
});
