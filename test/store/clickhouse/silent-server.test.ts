import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { PitwallError } from '../../../src/errors.ts';
import type { Store } from '../../../src/store/store.ts';
import { type Engine, engineMissing, startEngine } from '../../clickhouse/engine.ts';
import { type FaultyProxy, startFaultyProxy } from '../../clickhouse/faulty-proxy.ts';
import { until } from '../../until.ts';
import { everything } from './engine-databases.ts';
import { keptLog, numbers, openStore, rowsOf } from './open-store.ts';

/** So that a server is lost soon. */
const beatMs = 250;
const limited = { name: 'w', createdAt: 0, maxStreams: 10, maxBytes: 1_000_000_000 };
const filter = { streamIds: ['s'] };

/** What changes something, each with a request of its own. */
const changes: readonly [what: string, change: (store: Store) => Promise<unknown>][] = [
  [
    'a write of a new stream into a limited workspace',
    (store) => store.append(rowsOf('new', numbers(0n, [1]))),
  ],
  ['a delete of rows', (store) => store.deleteRows({ ...everything, streamIds: ['s'] })],
  [
    'a delete of streams',
    (store) => store.changeStreams({ workspace: 'w', action: 'softDelete', filter, now: Date.now() }),
  ],
  [
    'a delete for good',
    (store) => store.changeStreams({ workspace: 'w', action: 'hardDelete', filter, now: Date.now() }),
  ],
  [
    'a retention',
    (store) =>
      store.append({ workspace: 'w', changes: [{ type: 'topic', topic: 'Topic', retention: 10n ** 15n }] }),
  ],
];

describe('a ClickHouse server that takes requests and answers none', { skip: engineMissing }, () => {
  let engine: Engine;
  let proxy: FaultyProxy;
  let store: Store;
  before(async () => {
    engine = await startEngine();
    proxy = await startFaultyProxy(engine);
    store = await openStore(proxy.urlOf(engine.url), { beatMs, insertPatienceMs: 2000 });
    await store.append({ workspace: 'w', changes: [{ type: 'workspace', workspace: limited }] });
    await store.append(rowsOf('s', numbers(0n, [1, 2, 3])));
  });
  after(async () => {
    await store.close();
    await proxy.stop();
    await engine.stop();
  });

  it('ends changes with 503, which says what may be done', { timeout: 60_000 }, async () => {
    proxy.set({ kind: 'hang' });
    const ends = await Promise.allSettled(changes.map(([, change]) => change(store)));
    proxy.set({ kind: 'pass' });
    for (const [i, end] of ends.entries()) {
      const [what] = changes[i]!;
      assert.ok(end.status === 'rejected', what);
      const { status, message } = end.reason as PitwallError;
      assert.equal(status, 503, what);
      assert.match(message, /^ClickHouse did not answer|^ClickHouse does not answer any more/, what);
      assert.match(message, /may have been applied, in part or as a whole: repeat it$/, what);
    }
    for (const [, change] of changes) await change(store);
  });

  it('ends reads and listings', { timeout: 60_000 }, async () => {
    const signal = new AbortController().signal;
    const parameters = [{ kind: 0, name: 'p' }];
    const reads = [
      async () => store.catalog.streams('w', {}, Date.now(), signal),
      () => store.tagNames(everything, signal),
      async () => {
        const plan = { ...everything, parameters, order: 'Asc' };
        for await (const _ of store.run(plan as unknown as Parameters<Store['run']>[0], signal));
      },
    ];
    proxy.set({ kind: 'hang' });
    const ends = await Promise.allSettled(reads.map((read) => read()));
    proxy.set({ kind: 'pass' });
    for (const end of ends) {
      assert.ok(end.status === 'rejected');
      assert.equal((end.reason as PitwallError).status, 503);
    }
    for (const read of reads) await read();
  });
});

it('refuses writes that wait too long for others to make streams', {
  skip: engineMissing,
  timeout: 60_000,
}, async () => {
  const engine = await startEngine();
  const proxy = await startFaultyProxy(engine);
  const store = await openStore(proxy.urlOf(engine.url), { insertPatienceMs: 200 });
  await store.append({ workspace: 'w', changes: [{ type: 'workspace', workspace: limited }] });
  await store.append(rowsOf('s', numbers(0n, [1])));
  proxy.set({ kind: 'hang' });
  const write = (streamId: string) => store.append(rowsOf(streamId, numbers(0n, [1])));
  const first = write('first');
  const others = ['a', 'b', 'c'].map(write);
  for (const other of others) await assert.rejects(other, { code: 'overloaded', status: 503 });
  // The first one is still asking whether there is room.
  await store.close();
  await assert.rejects(first, { status: 503 });
  await proxy.stop();
  await engine.stop();
});

it('closes while requests wait for it, which end with 503', {
  skip: engineMissing,
  timeout: 60_000,
}, async () => {
  const engine = await startEngine();
  const proxy = await startFaultyProxy(engine);
  const store = await openStore(proxy.urlOf(engine.url));
  proxy.set({ kind: 'hang' });
  const waiting = [store.deleteRows(everything), Promise.resolve(store.catalog.streams('w', {}, Date.now()))];
  const ends = Promise.allSettled(waiting);
  await until(() => proxy.seen('hang') > 2);
  await store.close();
  for (const end of await ends) {
    assert.ok(end.status === 'rejected');
    assert.equal((end.reason as PitwallError).status, 503);
  }
  await proxy.stop();
  await engine.stop();
});

it('goes on at the next server of a list', { skip: engineMissing, timeout: 60_000 }, async () => {
  const [first, second] = [await startEngine(), await startEngine()];
  const proxy = await startFaultyProxy(first);
  const url = proxy.urlOf(first.url).replace(`:${proxy.port}/`, `:${proxy.port},127.0.0.1:${second.port}/`);
  const { lines, log } = keptLog();
  const store = await openStore(url, { beatMs, log });
  // Here they share no tables.
  await (await openStore(second.url)).close();
  proxy.set({ kind: 'hang' });
  await assert.rejects(store.deleteRows(everything), { status: 503 });
  await until(() => lines.includes(`using the ClickHouse server 127.0.0.1:${second.port}`));
  assert.equal(await store.deleteRows(everything), 0);
  await store.append(rowsOf('s', numbers(0n, [1])));
  assert.equal(await store.deleteRows(everything), 1);
  await store.close();
  await proxy.stop();
  await Promise.all([first.stop(), second.stop()]);
});
