import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Kind, type ParameterKey } from '../../../../src/domain/parameter-data.ts';
import type { TagFilter } from '../../../../src/domain/query.ts';
import type { Stream } from '../../../../src/domain/stream.ts';
import { PitwallError } from '../../../../src/errors.ts';
import type { Selection } from '../../../../src/query/plan/plan.ts';
import { readManifest } from '../../../../src/store/embedded/manifest/open-manifest.ts';
import type { EmbeddedStore } from '../../../../src/store/embedded/store.ts';
import type { Change } from '../../../../src/store/store.ts';
import { until } from '../../../until.ts';
import { everything } from '../everything.ts';
import { listed } from '../listed.ts';
import { readRows } from '../read-rows.ts';
import { type Cell, rowsOf, type TestRow } from '../rows.ts';
import { storeFolder } from '../store-folder.ts';

const speed = { kind: Kind.Numeric, name: 'speed' } as const;
const gear = { kind: Kind.String, name: 'gear' } as const;
const lap = { kind: Kind.Event, name: 'lap' } as const;

const folder = storeFolder('deletes');

function rows(streamId: string, given: readonly TestRow[], topic = 'cars'): Change {
  return { type: 'rows', topic, streamId, rows: [rowsOf(given)] };
}

/** Rows with the same cells at some times. */
function at(times: readonly number[], cells: Record<string, Cell> = { speed: 1 }): TestRow[] {
  return times.map((time) => ({ time: BigInt(time), cells }));
}

function write(store: EmbeddedStore, ...changes: Change[]): Promise<void> {
  return store.append({ workspace: 'default', changes });
}

function event(streamId: string, times: readonly number[]): Change {
  const written = rowsOf(at(times, { lap: 'x' }));
  const columns = written.columns.map((column) => ({ ...column, kind: Kind.Event }) as typeof column);
  return { type: 'rows', topic: 'cars', streamId, rows: [{ ...written, columns }] };
}

function range(from: number, to: number, fields: Partial<Selection> = {}): Selection {
  return { ...everything, topic: 'cars', from: BigInt(from), to: BigInt(to), ...fields };
}

async function timesOf(store: EmbeddedStore, parameter: ParameterKey = speed): Promise<number[]> {
  const plan = {
    ...everything,
    parameters: [parameter],
    order: 'Asc',
    limit: undefined,
    after: undefined,
  } as const;
  return (await readRows(store, plan)).map(({ timestamp }) => Number(timestamp));
}

function streamOf(store: EmbeddedStore, streamId = 'a', at = folder.now): Stream {
  return listed(store.catalog.streams('default', { streamIds: [streamId] }, at))[0]!;
}

function dataOf(store: EmbeddedStore, streamId = 'a'): [bigint | undefined, bigint | undefined] {
  const { dataStart, dataEnd } = streamOf(store, streamId);
  return [dataStart, dataEnd];
}

const parametersOf = (store: EmbeddedStore, streamId = 'a') =>
  store.catalog.describe('default', 'cars', streamId, folder.now)!.parameters.map(({ name }) => name);

let images = 0;

/** Goes on from a copy of the directory as it stands now: what a process that is killed leaves. */
async function openImage(): Promise<EmbeddedStore> {
  const image = join(folder.root, `image-${images++}`);
  copyDirectory(folder.directory, image);
  return folder.open({ dataDir: image });
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
  const parts = join(folder.directory, 'parts');
  // A part may be merged away between the listing and the look.
  const sizeOf = (name: string) => statSync(join(parts, name), { throwIfNoEntry: false })?.size ?? 0;
  return readdirSync(parts).reduce((sum, name) => sum + sizeOf(name), 0);
}

describe('a delete of rows', () => {
  it('takes the rows of a range, both ends included, from log and parts alike', async () => {
    let store = await folder.open();
    await write(store, rows('a', at([1, 2, 3, 4, 5])));
    store = await folder.reopenInParts(store, 1);
    await write(store, rows('a', at([3, 4, 6, 7])));
    assert.equal(await store.deleteRows(range(3, 6)), 4);
    assert.deepEqual(await timesOf(store), [1, 2, 7]);
    store = await folder.reopen(store);
    assert.deepEqual(await timesOf(store), [1, 2, 7]);
  });

  it('leaves alone what is written after it, also while it is computed', async () => {
    let store = await folder.open();
    await write(store, rows('a', at([1, 2, 3])));
    const deleting = store.deleteRows(range(1, 3));
    const writing = write(store, rows('a', at([2, 9])));
    assert.equal(await deleting, 3);
    await writing;
    assert.deepEqual(await timesOf(store), [2, 9]);
    assert.deepEqual(dataOf(store), [2n, 9n]);
    store = await folder.reopenInParts(store, 1);
    assert.deepEqual(await timesOf(store), [2, 9]);
    assert.deepEqual(dataOf(store), [2n, 9n]);
  });

  it('counts rows that lost a value once, however often they were written', async () => {
    let store = await folder.open();
    await write(store, rows('a', at([1, 2])));
    store = await folder.reopenInParts(store, 1);
    await write(store, rows('a', at([2, 3], { speed: 2, gear: 'N' })));
    assert.equal(await store.deleteRows(range(1, 3), [gear]), 2);
    assert.equal(await store.deleteRows(range(1, 3), [gear]), 0);
    assert.equal(await store.deleteRows(range(1, 3)), 3);
  });

  it('takes only the parameters that it names, and never events', async () => {
    let store = await folder.open();
    await write(store, rows('a', at([1, 2], { speed: 1, gear: 'N' })), event('a', [2, 8]));
    assert.equal(await store.deleteRows(range(0, 9), [gear]), 2);
    assert.deepEqual(parametersOf(store), ['speed']);
    assert.equal(await store.deleteRows(range(0, 9)), 2);
    for (let restart = 0; restart < 2; restart++) {
      assert.deepEqual(await timesOf(store, lap), [2, 8]);
      assert.deepEqual(await timesOf(store), []);
      assert.deepEqual(parametersOf(store), []);
      assert.deepEqual(dataOf(store), [2n, 8n]);
      store = await folder.reopen(store);
    }
  });

  it('can be for rows with some tags', async () => {
    const store = await folder.open();
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

  it('takes nothing where its patterns take too long', async () => {
    const store = await folder.open();
    const tagged = [1, 2].map(
      (time) => ({ time: BigInt(time), tags: [['lap', 'ab'.repeat(30_000)]], cells: { speed: 1 } }) as const,
    );
    await write(store, rows('a', tagged));
    const tagFilters: TagFilter[] = [{ tag: 'lap', operator: 'NotLike', values: ['a[ab]{900}[^ab]'] }];
    await assert.rejects(
      store.deleteRows(range(0, 9, { tagFilters })),
      (error) => error instanceof PitwallError && error.code === 'query_too_slow',
    );
    assert.deepEqual(await timesOf(store), [1, 2]);
    await folder.close(store);
  });

  it('moves lastUpdate and leaves the status as it is', async () => {
    let store = await folder.open();
    await write(store, rows('a', at([1])), rows('b', at([1])));
    await write(store, { type: 'close', topic: 'cars', streamId: 'b', endType: 'Closed' });
    folder.now += 100_000;
    await store.deleteRows(range(5, 6));
    for (let restart = 0; restart < 2; restart++) {
      assert.deepEqual(
        ['a', 'b'].map((id) => [streamOf(store, id).status, streamOf(store, id).lastUpdate]),
        [
          ['Interrupted', folder.now],
          ['Closed', folder.now],
        ],
      );
      store = await folder.reopenInParts(store, 1);
    }
  });

  it('is whole after a kill at any moment, with extents to match', async () => {
    let store = await folder.open();
    const cells = { speed: 1, gear: 'N' };
    await write(store, rows('a', [...at([1, 2], cells), ...at([3, 4])]));
    store = await folder.reopenInParts(store, 1);
    await write(store, rows('a', at([5], cells)));
    const outcomes = new Set<string>();
    let isDone = false;
    const deleting = Promise.all([store.deleteRows(range(4, 9)), store.deleteRows(range(1, 2))]).then(() => {
      isDone = true;
    });
    const images: EmbeddedStore[] = [];
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

  it('has a part written again for many small deletes, and later for a few', async () => {
    let store = await folder.open();
    await write(store, rows('a', at(Array.from({ length: 2000 }, (_, i) => i))));
    store = await folder.reopenInParts(store, 1);
    const names = () => String(readdirSync(join(folder.directory, 'parts')));
    const first = names();
    for (let i = 0; i < 31; i++) assert.equal(await store.deleteRows(range(20 * i, 20 * i)), 1);
    assert.equal(names(), first);
    assert.equal(await store.deleteRows(range(1000, 1000)), 1);
    // For a moment the folder has both, the new one and the one that it replaces.
    await until(() => names() !== first && !names().includes(','));
    const second = names();
    assert.equal(await store.deleteRows(range(1001, 1001)), 1);
    assert.equal(names(), second);
    folder.now += 10_000;
    await until(() => !names().includes(second));
    assert.equal((await timesOf(store)).length, 2000 - 33);
    assert.deepEqual(dataOf(store), [1n, 1999n]);
  });

  it('finds the first row and the last again, and what parameters are left, delete by delete', async () => {
    let store = await folder.open();
    await write(store, rows('a', at([1, 2, 3, 4, 5, 6, 7, 8, 9])), rows('a', at([4, 8], { gear: 'N' })));
    store = await folder.reopenInParts(store, 1);
    const expected: [from: number, to: number, first: number, last: number, names: string[]][] = [
      [5, 5, 1, 9, ['speed', 'gear']],
      [4, 4, 1, 9, ['speed', 'gear']],
      [9, 9, 1, 8, ['speed', 'gear']],
      [1, 2, 3, 8, ['speed', 'gear']],
      [8, 8, 3, 7, ['speed']],
      [6, 6, 3, 7, ['speed']],
    ];
    for (const [from, to, first, last, names] of expected) {
      await store.deleteRows(range(from, to));
      assert.deepEqual(dataOf(store), [BigInt(first), BigInt(last)], `after ${from} to ${to}`);
      assert.deepEqual(parametersOf(store), names, `after ${from} to ${to}`);
    }
    // All that is left, in two at a time.
    await Promise.all([store.deleteRows(range(3, 3)), store.deleteRows(range(4, 9))]);
    assert.deepEqual(dataOf(store), [undefined, undefined]);
    assert.deepEqual(parametersOf(store), []);
  });

  it('frees the disk, and its tombstone goes when no part needs it', async () => {
    let store = await folder.open();
    const noise = Array.from({ length: 20_000 }, (_, i) => ({
      time: BigInt(i),
      cells: { speed: Math.random() },
    }));
    for (const streamId of ['a', 'b']) await write(store, rows(streamId, noise));
    store = await folder.reopenInParts(store, 2);
    const before = partBytes();
    assert.equal(await store.deleteRows(range(0, 9_999)), 20_000);
    await until(() => partBytes() < 0.6 * before);
    assert.equal((await timesOf(store)).length, 20_000);
    assert.equal(await store.deleteRows(range(0, 99_999, { streamIds: ['a'] })), 10_000);
    await until(() => partBytes() < 0.3 * before);
    assert.deepEqual(dataOf(store, 'b'), [10_000n, 19_999n]);
    store = await folder.reopen(store);
    assert.equal((await timesOf(store)).length, 10_000);
    // The tombstones reach the manifest with the flush of their records, and leave it when parts are looked at again.
    const tombstones = async () => {
      const manifest = await readManifest(join(folder.directory, 'catalog'));
      const count = manifest.locations.count('masks');
      manifest.close();
      return count;
    };
    store = await folder.reopen(store);
    store = await folder.reopen(store);
    await folder.close(store);
    assert.equal(await tombstones(), 0);
  });
});
