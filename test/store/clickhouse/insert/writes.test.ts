import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { PitwallError } from '../../../../src/errors.ts';
import type { Store } from '../../../../src/store/store.ts';
import { type Engine, engineMissing, startEngine } from '../../../clickhouse/engine.ts';
import {
  type Fault,
  type FaultyProxy,
  notEnoughSpace,
  type Passing,
  startFaultyProxy,
} from '../../../clickhouse/faulty-proxy.ts';
import { ask, numbers, openStore, rowsOf, withClickHouse } from '../open-store.ts';

/** What stands between a store and its server goes wrong. Every acknowledged value is there once, and no other. */
describe('writes to a ClickHouse in trouble', { skip: engineMissing }, () => {
  let engine: Engine;
  let proxy: FaultyProxy;
  let store: Store;
  let url: string;
  let databases = 0;
  before(async () => {
    engine = await startEngine();
    proxy = await startFaultyProxy(engine);
  });
  after(async () => {
    await proxy.stop();
    await engine.stop();
  });
  beforeEach(async () => {
    proxy.set({ kind: 'pass' });
    url = engine.urlOf(`writes_${++databases}`);
    store = await openStore(proxy.urlOf(url), {
      insertAttemptMs: 2000,
      insertPatienceMs: 20_000,
    });
  });
  afterEach(async () => {
    proxy.set({ kind: 'pass' });
    await store.close();
  });

  const isInsert = ({ query }: Passing) => query.startsWith('INSERT INTO `windows`');

  /** The first `count` inserts of values have the fault; the rest and all else passes. */
  function failInserts(count: number, fault: Fault): void {
    let left = count;
    proxy.set((passing) => (isInsert(passing) && left-- > 0 ? fault : { kind: 'pass' }));
  }

  /** Without regard to versions: no value may be there twice. */
  async function stored(): Promise<number[]> {
    const rows = await ask(url, 'SELECT toFloat64(arrayJoin(scaled)) AS found FROM windows ORDER BY found');
    return rows.map(([found]) => found as number);
  }

  for (const kind of ['refuse', 'cut-request', 'cut-answer'] as const) {
    it(`makes an insert happen once when it meets: ${kind}`, async () => {
      const before = proxy.seen(kind);
      failInserts(2, { kind });
      await store.append(rowsOf('s', numbers(0n, [1, 2, 3])));
      assert.equal(proxy.seen(kind) - before, 2);
      assert.deepEqual(await stored(), [1, 2, 3]);
      assert.deepEqual(await ask(url, 'SELECT stream, touched > 0 FROM streams FINAL'), [['s', 1]]);
    });
  }

  it('gives up an attempt that hangs, and makes another', async () => {
    failInserts(1, { kind: 'hang' });
    await store.append(rowsOf('s', numbers(0n, [1])));
    assert.deepEqual(await stored(), [1]);
  });

  it('waits for a slow server', async () => {
    failInserts(1, { kind: 'slow', delayMs: 500 });
    await Promise.all([1, 2, 3].map((n) => store.append(rowsOf(`s${n}`, numbers(0n, [n])))));
    assert.deepEqual(await stored(), [1, 2, 3]);
  });

  it('goes on through a server that is short of parts for a while', async () => {
    failInserts(3, { kind: 'error', code: 252, name: 'TOO_MANY_PARTS' });
    await store.append(rowsOf('s', numbers(0n, [1])));
    assert.deepEqual(await stored(), [1]);
  });

  it('refuses writes of a full disk at once, and takes them when there is room', async () => {
    failInserts(1, notEnoughSpace);
    await assert.rejects(store.append(rowsOf('s', numbers(0n, [1]))), { code: 'disk_full', status: 503 });
    const { writable, problems } = store.health();
    assert.equal(writable, false);
    assert.match(problems.join(), /NOT_ENOUGH_SPACE/);
    assert.deepEqual(await stored(), []);
    await store.append(rowsOf('s', numbers(0n, [2])));
    assert.equal(store.health().writable, true);
    assert.deepEqual(await stored(), [2]);
  });

  it('writes rows again that were deleted: tokens are not made of content', async () => {
    const batch = rowsOf('s', numbers(0n, [1, 2]));
    await store.append(batch);
    const text = 'DELETE FROM windows WHERE 1 SETTINGS lightweight_deletes_sync = 2';
    await withClickHouse(url, (clickhouse) => clickhouse.command({ text, params: {} }));
    assert.deepEqual(await stored(), []);
    await store.append(batch);
    assert.deepEqual(await stored(), [1, 2]);
  });

  it('acknowledges nothing that is not there, with requests at the same time and a link that keeps failing', async () => {
    const kinds = ['refuse', 'pass', 'cut-answer', 'pass', 'cut-request', 'pass'] as const;
    let inserts = 0;
    proxy.set((passing) => ({ kind: isInsert(passing) ? kinds[inserts++ % kinds.length]! : 'pass' }));
    const acknowledged: number[] = [];
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let i = 0; i < 10; i++) {
          const value = writer * 100 + i;
          await store.append(rowsOf(`s${writer}`, numbers(BigInt(i), [value])));
          acknowledged.push(value);
        }
      }),
    );
    proxy.set({ kind: 'pass' });
    assert.equal(acknowledged.length, 80);
    assert.deepEqual(
      await stored(),
      acknowledged.toSorted((a, b) => a - b),
    );
  });

  it('repeats what small tables are sent, too', async () => {
    const kinds = ['refuse', 'pass', 'cut-answer', 'pass', 'cut-request', 'pass'] as const;
    let inserts = 0;
    proxy.set(({ query }) => ({
      kind: query.startsWith('INSERT') ? kinds[inserts++ % kinds.length]! : 'pass',
    }));
    await Promise.all(
      Array.from({ length: 6 }, (_, i) => {
        const of = { topic: `t${i}`, streamId: 's' };
        return store.append({
          workspace: 'w',
          changes: [
            { type: 'stream', ...of, properties: { name: `name ${i}` } },
            { type: 'eventDefinitions', ...of, definitions: [{ id: 'e', level: 'Error' }] },
            { type: 'close', ...of, endType: 'Aborted' },
          ],
        });
      }),
    );
    proxy.set({ kind: 'pass' });
    const streams = await store.catalog.streams('w', {}, Date.now());
    assert.deepEqual(
      streams.map(({ topic, name, status }) => [topic, name, status]).sort(),
      Array.from({ length: 6 }, (_, i) => [`t${i}`, `name ${i}`, 'Aborted']),
    );
    assert.deepEqual(await ask(url, 'SELECT count() FROM definitions FINAL'), [['12']]);
    assert.deepEqual(await ask(url, 'SELECT count() FROM topics FINAL'), [['6']]);
  });

  it('carries every write through a kill of the server', async () => {
    const acknowledged: number[] = [];
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let i = 0; i < 25; i++) {
        const value = writer * 100 + i;
        await store.append(rowsOf(`s${writer}`, numbers(BigInt(i), [value])));
        acknowledged.push(value);
        if (value === 105) await engine.restart('SIGKILL');
      }
    });
    await Promise.all(writers);
    assert.equal(acknowledged.length, 100);
    assert.deepEqual(
      await stored(),
      acknowledged.toSorted((a, b) => a - b),
    );
  });
});

describe('a buffer for ClickHouse', { skip: engineMissing }, () => {
  it('is full while ClickHouse takes nothing, and refuses with 503 after its patience', async () => {
    const engine = await startEngine();
    const proxy = await startFaultyProxy(engine);
    const store = await openStore(proxy.urlOf(engine.url), {
      maxPendingBytes: 100,
      insertAttemptMs: 2000,
      insertPatienceMs: 2000,
    });
    try {
      await store.append(rowsOf('s', numbers(0n, [1])));
      assert.equal(store.room(), undefined);
      proxy.set({ kind: 'hang' });
      const late = store.append(rowsOf('s', numbers(1n, [2])));
      const room = store.room();
      assert.ok(room !== undefined);
      assert.ok(store.health().headBytes > 100);
      await assert.rejects(
        late,
        (error: unknown) => error instanceof PitwallError && error.status === 503 && error.retryAfter === 1,
      );
      await room;
      assert.equal(store.health().headBytes, 0);
      assert.equal(store.health().writable, false);
      proxy.set({ kind: 'pass' });
      await store.append(rowsOf('s', numbers(3n, [4])));
    } finally {
      proxy.set({ kind: 'pass' });
      await store.close();
      await proxy.stop();
      await engine.stop();
    }
    await assert.rejects(store.append(rowsOf('s', numbers(3n, [4]))), { code: 'shutting_down' });
  });
});
