import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import type { WorkspaceRecord } from '../../../../src/domain/principal.ts';
import { maxTimestamp } from '../../../../src/domain/timestamp.ts';
import { PitwallError } from '../../../../src/errors.ts';
import type { Selection } from '../../../../src/query/plan/plan.ts';
import { type EmbeddedStore, openEmbeddedStore } from '../../../../src/store/embedded/store.ts';
import type { Change } from '../../../../src/store/store.ts';
import { until } from '../../../until.ts';
import { everything } from '../everything.ts';
import { listed } from '../listed.ts';
import { type ReadRow, readRows, rowsOfBlock } from '../read-rows.ts';
import { type Cell, rowsOf, type TestRow } from '../rows.ts';

const hourMs = 3_600_000;
const hour = 3_600_000_000_000n;
const speed = { kind: Kind.Numeric, name: 'speed' } as const;

let root: string;
let now: number;
let opened: EmbeddedStore[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pitwall-retention-'));
  // The last 100 hours lie in one window.
  now = 1200 * hourMs;
  opened = [];
});
afterEach(async () => {
  for (const store of opened) await store.close();
  rmSync(root, { recursive: true });
});

async function openStore(): Promise<EmbeddedStore> {
  const store = await openEmbeddedStore({
    dataDir: join(root, 'data'),
    headBytes: 256 * 1024,
    slabBytes: 64 * 1024,
    interruptedAfterMs: 60_000,
    clock: () => now,
    log: { info() {}, warn() {}, error() {} },
  });
  opened.push(store);
  return store;
}

async function reopen(store: EmbeddedStore): Promise<EmbeddedStore> {
  opened = opened.filter((other) => other !== store);
  await store.close();
  return openStore();
}

/** A start moves what it finds in the log to parts. */
async function reopenInParts(store: EmbeddedStore, parts: number): Promise<EmbeddedStore> {
  const again = await reopen(store);
  await until(() => again.health().parts >= parts);
  return again;
}

const write = (store: EmbeddedStore, ...changes: Change[]) => store.append({ workspace: 'default', changes });

/** Rows so many hours old, now. */
function aged(
  streamId: string,
  hours: readonly number[],
  cells: Record<string, Cell> = { speed: 1 },
): Change {
  const rows: TestRow[] = hours.map((age) => ({
    time: BigInt(now) * 1_000_000n - BigInt(age) * hour,
    tags: [['age', String(age)]],
    cells,
  }));
  return { type: 'rows', topic: 'cars', streamId, rows: [rowsOf(rows)] };
}

const keep = (hours: number | undefined, topic = 'cars'): Change => ({
  type: 'topic',
  topic,
  retention: hours === undefined ? undefined : BigInt(hours) * hour,
});

function settings(given: Partial<WorkspaceRecord>): Change {
  return { type: 'workspace', workspace: { name: 'default', createdAt: 1, ...given } };
}

const everyRow = { ...everything, order: 'Desc', limit: undefined, after: undefined } as const;

async function agesOf(store: EmbeddedStore, parameter = speed): Promise<number[]> {
  return agesOfRows(await readRows(store, { ...everyRow, parameters: [parameter] }));
}

function agesOfRows(rows: readonly ReadRow[]): number[] {
  return rows.map(({ timestamp }) => Number((BigInt(now) * 1_000_000n - timestamp) / hour));
}

const neverAborted = new AbortController().signal;

const hardDelete = (store: EmbeddedStore) =>
  store.changeStreams({ workspace: 'default', action: 'hardDelete', filter: {}, now });

const removeWorkspace = (store: EmbeddedStore) => write(store, { type: 'removeWorkspace', name: 'default' });

const valuesOf = (store: EmbeddedStore, selection: Partial<Selection> = {}) =>
  store.tagValues({ ...everything, ...selection }, 'age', new AbortController().signal);

function dataOf(store: EmbeddedStore, streamId = 'a') {
  const { dataStart, dataEnd } = listed(store.catalog.streams('default', { streamIds: [streamId] }, now))[0]!;
  const age = (time: bigint | undefined) =>
    time === undefined ? undefined : Number((BigInt(now) * 1_000_000n - time) / hour);
  return [age(dataStart), age(dataEnd)];
}

const isCode = (code: string) => (error: unknown) => error instanceof PitwallError && error.code === code;

describe('retention', () => {
  it('hides rows beyond it from every read at once, in parts and in the log', async () => {
    let store = await openStore();
    await write(store, aged('a', [1, 5, 9]));
    store = await reopenInParts(store, 1);
    await write(store, aged('a', [2, 8]), aged('b', [9], { speed: 1 }));
    await write(store, keep(6));
    for (let restart = 0; restart < 2; restart++) {
      assert.deepEqual(await agesOf(store), [1, 2, 5]);
      assert.deepEqual(await valuesOf(store), ['1', '2', '5']);
      // What a stop left undone is done soon after the start.
      await until(() => restart === 0 || dataOf(store)[0] === 5);
      assert.deepEqual(dataOf(store), [5, 1]);
      assert.deepEqual(dataOf(store, 'b'), [undefined, undefined]);
      assert.deepEqual(store.catalog.describe('default', 'cars', 'b', now)!.parameters, []);
      store = await reopen(store);
    }
  });

  it('goes on with time, and comes off again for what has not expired', async () => {
    const store = await openStore();
    await write(store, keep(6), aged('a', [1, 4]));
    now += 3 * hourMs;
    assert.deepEqual(await agesOf(store), [4]);
    assert.equal(dataOf(store)[1], 4);
    assert.ok(dataOf(store)[0]! <= 6);
    await write(store, keep(undefined));
    now += 3 * hourMs;
    assert.deepEqual(await agesOf(store), [7]);
  });

  it('holds for a read to its end, though its streams go for good meanwhile', async () => {
    const store = await openStore();
    // Three windows of time: when a read gives the rows of the first it has not begun with the third stream.
    const rows = () => [keep(700), aged('a', [1]), aged('b', [400]), aged('c', [600, 800])];
    for (const remove of [hardDelete, removeWorkspace]) {
      await write(store, ...rows());
      const ages: number[] = [];
      for await (const block of store.run({ ...everyRow, parameters: [speed] }, neverAborted)) {
        ages.push(...agesOfRows(rowsOfBlock(block)));
        if (ages.length === 1) await remove(store);
      }
      assert.deepEqual(ages, [1, 400, 600]);
    }
  });

  it('is the shorter one of topic and workspace, each workspace having its own', async () => {
    const store = await openStore();
    await write(store, aged('a', [1, 3, 5]), keep(4));
    assert.deepEqual(await agesOf(store), [1, 3]);
    await write(store, settings({ retention: 2n * hour }));
    assert.deepEqual(await agesOf(store), [1]);
    assert.equal(store.catalog.retainedFrom('default', 'unknown'), BigInt(now) * 1_000_000n - 2n * hour);
    await write(store, settings({ retention: 10n * hour }), aged('a', [3, 4]));
    assert.deepEqual(await agesOf(store), [1, 3, 4]);
    assert.equal(store.catalog.retainedFrom('other', 'cars'), undefined);
  });

  it('makes a topic that was not there, for good', async () => {
    let store = await openStore();
    await write(store, keep(3, 'New'));
    for (let restart = 0; restart < 2; restart++) {
      assert.equal(store.catalog.topicName('default', 'new'), 'New');
      assert.equal(store.catalog.retainedFrom('default', 'NEW'), BigInt(now) * 1_000_000n - 3n * hour);
      store = await reopen(store);
    }
  });

  it('takes parts off the disk: whole ones at once, others when much of them is expired', async () => {
    const parts = () => readdirSync(join(root, 'data', 'parts')).length;
    let store = await openStore();
    await write(store, aged('a', [500]));
    store = await reopenInParts(store, 1);
    await write(
      store,
      aged(
        'a',
        Array.from({ length: 100 }, (_, age) => age),
      ),
    );
    store = await reopenInParts(store, 2);
    await write(store, keep(400));
    await until(() => parts() === 1);
    assert.deepEqual((await agesOf(store)).length, 100);
    await write(store, keep(50));
    const [before] = readdirSync(join(root, 'data', 'parts'));
    await until(() => readdirSync(join(root, 'data', 'parts'))[0] !== before);
    await write(store, keep(undefined));
    assert.equal((await agesOf(store)).length, 51);
  });
});

describe('the values of a tag', () => {
  it('are those of the selected rows, once each, in order', async () => {
    let store = await openStore();
    await write(store, aged('a', [10, 2, 2]), aged('b', [3, 10]));
    store = await reopenInParts(store, 1);
    await write(store, aged('a', [4]));
    assert.deepEqual(await valuesOf(store), ['10', '2', '3', '4']);
    assert.deepEqual(await valuesOf(store, { streamIds: ['b'] }), ['10', '3']);
    assert.deepEqual(await valuesOf(store, { topic: 'bikes' }), []);
    const from = BigInt(now) * 1_000_000n - 3n * hour;
    assert.deepEqual(await valuesOf(store, { from }), ['2', '3']);
    assert.deepEqual(await valuesOf(store, { from, to: from }), ['3']);
    await store.deleteRows({ ...everything, topic: 'cars', from, to: maxTimestamp });
    assert.deepEqual(await valuesOf(store), ['10', '4']);
  });

  it('refuse to take more memory than there is for them', async () => {
    const store = await openStore();
    const long = 'x'.repeat(60_000);
    for (let i = 0; i < 300; i++) {
      const row: TestRow = { time: BigInt(i), tags: [['age', `${long}${i}`]], cells: { speed: 1 } };
      await write(store, { type: 'rows', topic: 'cars', streamId: 'a', rows: [rowsOf([row])] });
      while (store.room() !== undefined) await store.room();
    }
    await assert.rejects(valuesOf(store), isCode('query_too_large'));
    assert.equal((await valuesOf(store, { to: 5n })).length, 6);
  });
});

describe('the limits of a workspace', () => {
  it('refuse streams beyond them and let those that exist be written to', async () => {
    const store = await openStore();
    await write(store, settings({ maxStreams: 2 }), aged('a', [1]));
    await write(store, { type: 'stream', topic: 'cars', streamId: 'b' });
    await assert.rejects(write(store, aged('c', [1])), isCode('too_many_streams'));
    await assert.rejects(write(store, aged('a', [3]), aged('c', [1])), isCode('too_many_streams'));
    await write(store, aged('a', [2]), aged('b', [2]));
    assert.deepEqual(await agesOf(store), [1, 2, 2]);
    await store.changeStreams({
      workspace: 'default',
      action: 'softDelete',
      filter: { streamIds: ['b'] },
      now,
    });
    await assert.rejects(write(store, aged('c', [1])), isCode('too_many_streams'));
    await store.changeStreams({
      workspace: 'default',
      action: 'hardDelete',
      filter: { streamIds: ['b'] },
      now,
    });
    await write(store, aged('c', [3]));
    assert.deepEqual(await agesOf(store), [1, 2, 3]);
  });

  it('count the streams of requests under way', async () => {
    const store = await openStore();
    await write(store, settings({ maxStreams: 2 }));
    const outcomes = await Promise.allSettled(['a', 'b', 'c', 'a'].map((id) => write(store, aged(id, [1]))));
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    );
  });

  it('refuse rows when the workspace is full, and take them again after a delete', async () => {
    const store = await openStore();
    const noise = (streamId: string) => {
      const rows = Array.from({ length: 2000 }, (_, i) => ({
        time: BigInt(i),
        cells: { speed: Math.random() },
      }));
      return write(store, { type: 'rows', topic: 'cars', streamId, rows: [rowsOf(rows)] });
    };
    await write(store, settings({ maxBytes: 60_000 }));
    await noise('a');
    await noise('b');
    await assert.rejects(noise('c'), isCode('workspace_full'));
    await write(store, { type: 'stream', topic: 'cars', streamId: 'c' });
    assert.equal((await agesOf(store)).length, 4000);
    assert.equal(await store.deleteRows({ ...everything, topic: 'cars', from: 0n, to: 1990n }), 3982);
    await until(() =>
      noise('c').then(
        () => true,
        (error) => isCode('workspace_full')(error) && false,
      ),
    );
    assert.equal((await agesOf(store)).length, 2018);
  });
});
