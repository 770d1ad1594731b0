import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { Kind, type ParameterKey } from '../../../../src/domain/parameter-data.ts';
import type { TagFilter } from '../../../../src/domain/query.ts';
import type { Stream } from '../../../../src/domain/stream.ts';
import { maxTimestamp, minTimestamp } from '../../../../src/domain/timestamp.ts';
import type { Selection } from '../../../../src/query/plan.ts';
import { openManifest } from '../../../../src/store/embedded/catalog/manifest.ts';
import { type EmbeddedStoreOptions, openEmbeddedStore } from '../../../../src/store/embedded/store.ts';
import type { Change, Store } from '../../../../src/store/store.ts';
import { readRows } from '../read-rows.ts';
import { type Cell, rowsOf, type TestRow } from '../rows.ts';

const speed = { kind: Kind.Numeric, name: 'speed' } as const;
const gear = { kind: Kind.String, name: 'gear' } as const;
const lap = { kind: Kind.Event, name: 'lap' } as const;

let root: string;
let directory: string;
let now: number;
let opened: Store[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pitwall-deletes-'));
  directory = join(root, 'data');
  now = 1_000_000;
  opened = [];
});
afterEach(async () => {
  for (const store of opened) await store.close();
  rmSync(root, { recursive: true });
});

async function openStore(options: Partial<EmbeddedStoreOptions> = {}): Promise<Store> {
  const store = await openEmbeddedStore({
    dataDir: directory,
    headBytes: 256 * 1024,
    slabBytes: 64 * 1024,
    interruptedAfterMs: 60_000,
    clock: () => now,
    log: { info() {}, warn() {}, error() {} },
    ...options,
  });
  opened.push(store);
  return store;
}

async function closeStore(store: Store): Promise<void> {
  opened = opened.filter((other) => other !== store);
  await store.close();
}

async function reopen(store: Store): Promise<Store> {
  await closeStore(store);
  return openStore();
}

/** A start moves what it finds in the log to parts. */
async function reopenInParts(store: Store, parts: number): Promise<Store> {
  const again = await reopen(store);
  await until(() => again.health().parts >= parts);
  return again;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}

function rows(streamId: string, given: readonly TestRow[], topic = 'cars'): Change {
  return { type: 'rows', topic, streamId, rows: [rowsOf(given)] };
}

/** Rows with the same cells at some times. */
function at(times: readonly number[], cells: Record<string, Cell> = { speed: 1 }): TestRow[] {
  return times.map((time) => ({ time: BigInt(time), cells }));
}

function write(store: Store, ...changes: Change[]): Promise<void> {
  return store.append({ workspace: 'default', changes });
}

function event(streamId: string, times: readonly number[]): Change {
  const written = rowsOf(at(times, { lap: 'x' }));
  const columns = written.columns.map((column) => ({ ...column, kind: Kind.Event }) as typeof column);
  return { type: 'rows', topic: 'cars', streamId, rows: [{ ...written, columns }] };
}

const everything: Selection = {
  workspace: 'default',
  streamIds: undefined,
  topic: undefined,
  from: minTimestamp,
  to: maxTimestamp,
  tagFilters: [],
};

function range(from: number, to: number, fields: Partial<Selection> = {}): Selection {
  return { ...everything, topic: 'cars', from: BigInt(from), to: BigInt(to), ...fields };
}

async function timesOf(store: Store, parameter: ParameterKey = speed): Promise<number[]> {
  const plan = {
    ...everything,
    parameters: [parameter],
    order: 'Asc',
    limit: undefined,
    after: undefined,
  } as const;
  return (await readRows(store, plan)).map(({ timestamp }) => Number(timestamp));
}

function streamOf(store: Store, streamId = 'a', at = now): Stream {
  return store.catalog.streams('default', { streamIds: [streamId] }, at)[0]!;
}

function dataOf(store: Store, streamId = 'a'): [bigint | undefined, bigint | undefined] {
  const { dataStart, dataEnd } = streamOf(store, streamId);
  return [dataStart, dataEnd];
}

const parametersOf = (store: Store, streamId = 'a') =>
  store.catalog.describe('default', 'cars', streamId, now)!.parameters.map(({ name }) => name);

/** Goes on from a copy of the directory as it stands now: what a process that is killed leaves. */
async function openImage(): Promise<Store> {
  const image = join(root, `image-${opened.length}`);
  copyDirectory(directory, image);
  return openStore({ dataDir: image });
}

function copyDirectory(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyDirectory(source, target);
    else if (entry.isFile()) copyFileSync(source, target);
  }
}

function partBytes(): number {
  const folder = join(directory, 'parts');
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

describe('a delete of rows', () => {
  it('takes the rows of a range, both ends included, from log and parts alike', async () => {
    let store = await openStore();
    await write(store, rows('a', at([1, 2, 3, 4, 5])));
    store = await reopenInParts(store, 1);
    await write(store, rows('a', at([3, 4, 6, 7])));
    assert.equal(await store.deleteRows(range(3, 6)), 4);
    assert.deepEqual(await timesOf(store), [1, 2, 7]);
    store = await reopen(store);
    assert.deepEqual(await timesOf(store), [1, 2, 7]);
  });

  it('leaves alone what is written after it, also while it is computed', async () => {
    let store = await openStore();
    await write(store, rows('a', at([1, 2, 3])));
    const deleting = store.deleteRows(range(1, 3));
    const writing = write(store, rows('a', at([2, 9])));
    assert.equal(await deleting, 3);
    await writing;
    assert.deepEqual(await timesOf(store), [2, 9]);
    assert.deepEqual(dataOf(store), [2n, 9n]);
    store = await reopenInParts(store, 1);
    assert.deepEqual(await timesOf(store), [2, 9]);
    assert.deepEqual(dataOf(store), [2n, 9n]);
  });

  it('counts rows that lost a value once, however often they were written', async () => {
    let store = await openStore();
    await write(store, rows('a', at([1, 2])));
    store = await reopenInParts(store, 1);
    await write(store, rows('a', at([2, 3], { speed: 2, gear: 'N' })));
    assert.equal(await store.deleteRows(range(1, 3), [gear]), 2);
    assert.equal(await store.deleteRows(range(1, 3), [gear]), 0);
    assert.equal(await store.deleteRows(range(1, 3)), 3);
  });

  it('takes only the parameters that it names, and never events', async () => {
    let store = await openStore();
    await write(store, rows('a', at([1, 2], { speed: 1, gear: 'N' })), event('a', [2, 8]));
    assert.equal(await store.deleteRows(range(0, 9), [gear]), 2);
    assert.deepEqual(parametersOf(store), ['speed']);
    assert.equal(await store.deleteRows(range(0, 9)), 2);
    for (let restart = 0; restart < 2; restart++) {
      assert.deepEqual(await timesOf(store, lap), [2, 8]);
      assert.deepEqual(await timesOf(store), []);
      assert.deepEqual(parametersOf(store), []);
      assert.deepEqual(dataOf(store), [2n, 8n]);
      store = await reopen(store);
    }
  });

  it('can be for rows with some tags', async () => {
    const store = await openStore();
    const tagged = (time: number, value: string): TestRow => ({
      time: BigInt(time),
      tags: [['lap', value]],
      cells: { speed: 1 },
    });
    await write(store, rows('a', [tagged(1, '1'), tagged(2, '2'), ...at([3])]));
    const tagFilters: TagFilter[] = [{ tag: 'lap', operator: 'Like', values: ['^[23]$'] }];
    assert.equal(await store.deleteRows(range(0, 9, { tagFilters })), 1);
    assert.deepEqual(await timesOf(store), [1, 3]);
  });

  it('moves lastUpdate and leaves the status as it is', async () => {
    let store = await openStore();
    await write(store, rows('a', at([1])), rows('b', at([1])));
    await write(store, { type: 'close', topic: 'cars', streamId: 'b', endType: 'Closed' });
    now += 100_000;
    await store.deleteRows(range(5, 6));
    for (let restart = 0; restart < 2; restart++) {
      assert.deepEqual(
        ['a', 'b'].map((id) => [streamOf(store, id).status, streamOf(store, id).lastUpdate]),
        [
          ['Interrupted', now],
          ['Closed', now],
        ],
      );
      store = await reopenInParts(store, 1);
    }
  });

  it('is whole after a kill at any moment, with extents to match', async () => {
    let store = await openStore();
    const cells = { speed: 1, gear: 'N' };
    await write(store, rows('a', [...at([1, 2], cells), ...at([3, 4])]));
    store = await reopenInParts(store, 1);
    await write(store, rows('a', at([5], cells)));
    const outcomes = new Set<string>();
    let isDone = false;
    const deleting = Promise.all([store.deleteRows(range(4, 9)), store.deleteRows(range(1, 2))]).then(() => {
      isDone = true;
    });
    const images: Store[] = [];
    while (!isDone) {
      images.push(await openImage());
      await new Promise((resolve) => setImmediate(resolve));
    }
    await deleting;
    images.push(await openImage());
    for (const image of images) {
      const times = await timesOf(image);
      const [first, last] = dataOf(image);
      outcomes.add(String(times));
      assert.deepEqual([first, last], [BigInt(times[0]!), BigInt(times.at(-1)!)], `of ${times}`);
      assert.deepEqual(
        parametersOf(image),
        times.includes(1) || times.includes(5) ? ['speed', 'gear'] : ['speed'],
      );
    }
    for (const outcome of outcomes) {
      assert.ok(['1,2,3,4,5', '1,2,3', '3'].includes(outcome), outcome);
    }
    assert.ok(outcomes.has('3'));
  });

  it('frees the disk, and its mask goes when no part needs it', async () => {
    let store = await openStore();
    const noise = Array.from({ length: 20_000 }, (_, i) => ({
      time: BigInt(i),
      cells: { speed: Math.random() },
    }));
    for (const streamId of ['a', 'b']) await write(store, rows(streamId, noise));
    store = await reopenInParts(store, 2);
    const before = partBytes();
    assert.equal(await store.deleteRows(range(0, 9_999)), 20_000);
    await until(() => partBytes() < 0.6 * before);
    assert.equal((await timesOf(store)).length, 20_000);
    assert.equal(await store.deleteRows(range(0, 99_999, { streamIds: ['a'] })), 10_000);
    await until(() => partBytes() < 0.3 * before);
    assert.deepEqual(dataOf(store, 'b'), [10_000n, 19_999n]);
    store = await reopen(store);
    assert.equal((await timesOf(store)).length, 10_000);
    // The masks reach the manifest with the flush of their records, and leave it when parts are looked at again.
    const masks = () => {
      const manifest = openManifest(join(directory, 'catalog'), { readOnly: true });
      const count = manifest.count('masks');
      return manifest.close().then(() => count);
    };
    store = await reopen(store);
    store = await reopen(store);
    await closeStore(store);
    assert.equal(await masks(), 0);
  });
});
