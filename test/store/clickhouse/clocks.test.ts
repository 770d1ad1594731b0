import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import type { TokenRecord } from '../../../src/domain/principal.ts';
import type { Change, Store } from '../../../src/store/store.ts';
import { type Engine, engineMissing, notAsked, startEngine } from '../../clickhouse/engine.ts';
import { until } from '../../until.ts';
import { ask, keptLog, numbers, openStore, rowsOf } from './open-store.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const yearMs = 365 * dayMs;
const ns = (ms: number) => BigInt(Math.floor(ms)) * 1_000_000n;

describe('nodes whose clocks differ, on one ClickHouse', { skip: engineMissing || notAsked }, () => {
  let engine: Engine;
  let url: string;
  let databases = 0;
  const opened: Store[] = [];
  before(async () => {
    engine = await startEngine();
  });
  after(() => engine.stop());
  beforeEach(() => {
    url = engine.urlOf(`clocks_${++databases}`);
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });

  async function node(aheadMs?: number, options = {}): Promise<Store> {
    const clock = aheadMs === undefined ? {} : { clock: () => Date.now() + aheadMs };
    const store = await openStore(url, { ...clock, ...options });
    opened.push(store);
    return store;
  }

  const change = (store: Store, ...changes: Change[]) => store.append({ workspace: 'w', changes });
  const of = { topic: 'Topic', streamId: 's' } as const;
  const write = (store: Store, value: number) => store.append(rowsOf('s', numbers(0n, [value])));
  const values = async () => (await ask(url, 'SELECT number FROM readings ORDER BY number')).flat();
  const stream = async (store: Store, aheadMs = 0) =>
    (await store.catalog.streams('w', {}, Date.now() + aheadMs))[0];
  const everything = {
    workspace: 'w',
    streamIds: undefined,
    topic: undefined,
    from: -(2n ** 63n),
    to: 2n ** 63n - 1n,
    tagFilters: [],
  };

  for (const [name, first, second] of [
    ['an hour ahead before a right one', hourMs, 0],
    ['a right one before one an hour ahead', 0, hourMs],
    ['ten years ahead before a right one', 10 * yearMs, 0],
    ['one that has the clock of the server behind one an hour ahead', hourMs, undefined],
  ] as const) {
    describe(`${name}, both in their turn`, () => {
      let nodes: readonly Store[];
      beforeEach(async () => {
        const early = await node(first);
        await write(early, 0);
        nodes = [early, await node(second)];
        // Nodes that share the server's clock look once a second for others that do not.
        for (const one of nodes) await one.catalog.refresh();
      });

      it('have the later write win', async () => {
        for (let value = 1; value <= 6; value++) {
          await write(nodes[value % 2]!, value);
          assert.deepEqual(await values(), [value]);
        }
      });

      it('take what the other has written out of a range', async () => {
        for (const [i, one] of nodes.entries()) {
          await write(nodes[1 - i]!, i);
          assert.equal(await one.deleteRows(everything), 1);
          assert.deepEqual(await values(), []);
        }
      });

      it('have the later properties, definitions and ends of streams win', async () => {
        for (const [i, one] of [...nodes, ...nodes].entries()) {
          const aheadMs = [first, second][i % 2];
          const name = `name ${i}`;
          await change(one, { type: 'stream', ...of, properties: { name } });
          await change(one, { type: 'parameterDefinitions', ...of, definitions: [{ id: 'p', unit: name }] });
          for (const reader of nodes) {
            const found = await stream(reader, aheadMs);
            assert.deepEqual([found?.name, found?.status], [name, 'Open']);
            assert.deepEqual(
              (await reader.catalog.parameters('w', {})).map(({ unit }) => unit),
              [name],
            );
          }
          await change(one, { type: 'close', ...of, endType: i % 2 === 0 ? 'Closed' : 'Aborted' });
          assert.equal((await stream(one))?.status, i % 2 === 0 ? 'Closed' : 'Aborted');
        }
      });

      it('delete, restore and remove what the other wrote, and bring it back', async () => {
        const all = { workspace: 'w', filter: {}, now: Date.now() };
        for (const [i, one] of nodes.entries()) {
          const other = nodes[1 - i]!;
          await write(other, 1);
          await one.changeStreams({ ...all, action: 'softDelete' });
          assert.equal(await other.catalog.hasStream('w', 'topic', 's'), false);
          await other.changeStreams({ ...all, action: 'restore' });
          assert.equal(await one.catalog.hasStream('w', 'topic', 's'), true);
          await one.changeStreams({ ...all, action: 'softDelete' });
          await write(other, 2);
          assert.equal(await one.catalog.hasStream('w', 'topic', 's'), true, 'a write brings it back');
          await one.changeStreams({ ...all, action: 'hardDelete' });
          assert.deepEqual(await values(), []);
          await write(other, 3);
          assert.equal((await stream(one))?.streamId, 's', 'a write makes it anew');
          assert.deepEqual(await values(), [3]);
        }
      });

      it('have the later settings of topics and workspaces win, and tokens revoked', async () => {
        for (const [i, one] of [...nodes, ...nodes].entries()) {
          const retention = ns(hourMs * (i + 1));
          const workspace = { name: 'w', createdAt: 1, retention };
          const token: TokenRecord = { id: 'x', hash: 'x', workspace: 'w', scopes: ['read'], createdAt: 1 };
          await change(one, { type: 'topic', topic: 'topic', retention }, { type: 'workspace', workspace });
          await change(one, { type: 'token', token });
          for (const reader of nodes) {
            await reader.catalog.refresh();
            assert.equal(reader.catalog.workspace('w')?.retention, retention);
            assert.equal(reader.catalog.tokens().length, 1);
          }
          const found = await ask(url, "SELECT tupleElement(retention, 'age') FROM topics FINAL");
          assert.deepEqual(found, [[String(retention)]]);
          const other = nodes[(i + 1) % 2]!;
          await change(other, { type: 'revokeToken', id: 'x' });
          await one.catalog.refresh();
          assert.deepEqual(one.catalog.tokens(), []);
        }
      });

      it('remove a workspace of the other, and make it anew', async () => {
        for (const [i, one] of nodes.entries()) {
          const other = nodes[1 - i]!;
          await write(other, 1);
          await one.catalog.refresh();
          await change(one, { type: 'removeWorkspace', name: 'w' });
          assert.deepEqual(await values(), []);
          await other.catalog.refresh();
          assert.equal(other.catalog.workspace('w'), undefined);
          await write(other, 2);
          await one.catalog.refresh();
          assert.notEqual(one.catalog.workspace('w'), undefined);
          assert.equal((await stream(one))?.streamId, 's');
        }
      });
    });
  }

  it('say when things came by a right clock, behind one that was years ahead', async () => {
    await write(await node(10 * yearMs), 1);
    await opened.pop()!.close();
    const since = Date.now();
    const store = await node();
    for (const streamId of ['s', 'new']) {
      await store.append(rowsOf(streamId, numbers(0n, [2])));
      await change(store, { type: 'stream', topic: 'Topic', streamId, properties: {} });
    }
    const isNow = (ms: number | undefined) =>
      ms !== undefined && ms >= since - 1000 && ms <= Date.now() + 1000;
    const inTwoMinutes = Date.now() + 120_000;
    const found = await store.catalog.streams('w', {}, inTwoMinutes);
    for (const { streamId, createdAt, lastUpdate, status } of found) {
      assert.ok(isNow(lastUpdate), `${streamId} ${lastUpdate}`);
      if (streamId === 'new') assert.ok(isNow(createdAt), `${createdAt}`);
      assert.equal(status, 'Interrupted');
    }
    assert.equal(found.length, 2);
    await change(store, { type: 'close', ...of, endType: 'Closed' });
    await store.deleteRows(everything);
    assert.ok((await store.catalog.streams('w', {}, Date.now())).every((one) => isNow(one.lastUpdate)));
    await store.changeStreams({ workspace: 'w', action: 'hardDelete', filter: {}, now: Date.now() });
    await write(store, 3);
    assert.ok(isNow((await stream(store))?.createdAt));
  });

  it('do not take a stream for open that was written to by a clock that has been set back since', async () => {
    let aheadMs = hourMs;
    const store = await openStore(url, { clock: () => Date.now() + aheadMs });
    opened.push(store);
    await write(store, 1);
    assert.equal((await stream(store, aheadMs))?.status, 'Open');
    aheadMs = 0;
    assert.equal((await stream(store))?.status, 'Interrupted');
    assert.deepEqual(await store.catalog.streams('w', { includeStatuses: ['Open'] }, Date.now()), []);
    await write(store, 2);
    assert.equal((await stream(store))?.status, 'Open');
  });

  it('tell of no arrivals where versions are the times at which changes came', async () => {
    await write(await node(), 1);
    await change(await node(), { type: 'close', ...of, endType: 'Closed' });
    assert.deepEqual(await ask(url, 'SELECT count() FROM arrivals'), [['0']]);
  });

  for (const aheadMs of [2 * yearMs, -2 * yearMs]) {
    const side = aheadMs > 0 ? 'ahead of' : 'behind';
    it(`keep rows where a machine's clock is two years ${side} the server's, and tell it`, async () => {
      const { lines, log } = keptLog();
      const store = await node(aheadMs, { log });
      const now = Date.now() + Math.min(0, aheadMs);
      const rows = [numbers(ns(now - 2 * hourMs), [1]), numbers(ns(now - 1000), [2])];
      await store.append(rowsOf('s', ...rows));
      await change(store, { type: 'topic', topic: 'Topic', retention: ns(hourMs) });
      // These say their retention to ClickHouse themselves.
      await store.append(rowsOf('s', numbers(ns(now - 500), [3])));
      await ask(url, 'OPTIMIZE TABLE windows FINAL');
      assert.deepEqual(await values(), [2, 3]);
      assert.ok(store.catalog.retainedFrom('w', 'Topic')! < ns(now - 1000));
      const { writable, problems } = store.health();
      assert.equal(writable, true);
      assert.match(
        problems.join(),
        new RegExp(
          `^the clock of ClickHouse is 7[23]\\d days ${aheadMs > 0 ? 'behind' : 'ahead of'} this machine's`,
        ),
      );
      assert.deepEqual(
        lines.filter((line) => line === problems[0]),
        problems,
      );
    });
  }

  it('let rows expire when clocks agree again', async () => {
    let aheadMs = -2 * yearMs;
    const store = await openStore(url, { clock: () => Date.now() + aheadMs });
    opened.push(store);
    const now = Date.now() + aheadMs;
    await store.append(rowsOf('s', numbers(ns(now - 1000), [1])));
    await change(store, { type: 'topic', topic: 'Topic', retention: ns(hourMs) });
    assert.deepEqual(await values(), [1]);
    aheadMs = 0;
    await until(async () => (await values()).length === 0);
    assert.deepEqual(store.health().problems, []);
  });
});
