import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { stateId } from '../../../src/alerts/stored-state.ts';
import { webhookHosts } from '../../../src/alerts/webhook-hosts.ts';
import { createPost } from '../../../src/ingest/webhooks/post.ts';
import { createResolve } from '../../../src/ingest/webhooks/resolve.ts';
import { createWebhookSender, type WebhookSender } from '../../../src/ingest/webhooks/sender.ts';
import { createMetrics } from '../../../src/metrics.ts';
import { allowedHosts } from '../../../src/setting-values.ts';
import type { Store } from '../../../src/store/store.ts';
import { type PlainRow, plainChanges } from '../../alerts/reference.ts';
import { type Engine, engineMissing, startEngine } from '../../clickhouse/engine.ts';
import { openStore, withClickHouse } from '../../store/clickhouse/open-store.ts';
import { seededRandom } from '../../store/embedded/random.ts';
import { until } from '../../until.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { alertsService } from './alerts-service.ts';

describe('alert rules on nodes that share ClickHouse', { skip: engineMissing }, () => {
  let engine: Engine | undefined;
  const stores: Store[] = [];
  before(async () => {
    engine = await startEngine();
  });
  after(async () => {
    for (const store of stores) await store.close();
    await engine?.stop();
  });

  it('say the same whichever node each write goes to, also again, and of one that comes later', async () => {
    const now = Date.now;
    const url = engine!.urlOf('alerts');
    for (let i = 0; i < 2; i++) stores.push(await openStore(url));
    const nodes = stores.map((store) => alertsService(store, now));
    await stores[0]!.append({
      workspace: 'w',
      changes: [{ type: 'workspace', workspace: { name: 'w', createdAt: 0 } }],
    });
    await nodes[0]!.put('hot', { expression: 'a > 5', for: '2ns' });
    await stores[1]!.catalog.refresh();
    const random = seededRandom(3);
    const writes: PlainRow[][] = [];
    for (let i = 0; i < 30; i++) {
      const rows = Array.from({ length: random.int(1, 4) }, (_, row) => ({
        time: BigInt(i * 4 + row),
        tags: '',
        a: random.int(4, 8),
      }));
      const again = random.chance(0.2) ? 2 : 1;
      for (let time = 0; time < again; time++) {
        writes.push(rows);
        const body = {
          timestamps: rows.map((row) => row.time),
          numericValues: { a: rows.map(({ a }) => a) },
        };
        await random.pick(nodes).write('s', body);
      }
    }
    const plain = { isTrue: ({ a }: PlainRow) => a! > 5, clears: undefined, forNs: 2n };
    const wanted = plainChanges(plain, writes).map(({ state, time }) => `${state} ${time}`);
    assert.ok(wanted.length > 4, String(wanted));
    stores.push(await openStore(url));
    const late = alertsService(stores[2]!, now);
    for (const node of [...nodes, late]) assert.deepEqual(await node.events('hot', 's'), wanted);
    const firing = (await late.queries.list('w', {})).map(({ timestamp }) => timestamp);
    const last = wanted.at(-1)!.split(' ');
    assert.deepEqual(firing, last[0] === 'firing' ? [BigInt(last[1]!)] : []);
  });

  it('fire once for silence, whichever node sees it', async () => {
    let ms = Date.now();
    const [a, b] = stores.slice(0, 2).map((store) => alertsService(store, () => ms));
    await a!.put('gone', { expression: 'a > 100', noDataFor: '1s' });
    await a!.write('quiet', { timestamps: [5], numericValues: { a: [1] } });
    await stores[1]!.catalog.refresh();
    for (let second = 0; second < 2; second++) {
      ms += 1000;
      await Promise.all([a!.silence.tick(), b!.silence.tick()]);
    }
    await b!.write('quiet', { timestamps: [9], numericValues: { a: [1] } });
    for (const node of [a!, b!])
      assert.deepEqual(await node.events('gone', 'quiet'), ['firing 6', 'resolved 9']);
  });

  it('leave out rows of 2100, whichever node they go to', async () => {
    let ms = Date.now();
    const [a, b] = stores.slice(0, 2).map((store) => alertsService(store, () => ms));
    await a!.put('future', { expression: 'a > 5' });
    await stores[1]!.catalog.refresh();
    const at = BigInt(ms) * 1_000_000n;
    const of2100 = BigInt(Date.parse('2100-01-01T00:00:00Z')) * 1_000_000n;
    const write = (node: typeof a, time: bigint, value: number) =>
      node!.write('future', { timestamps: [time], numericValues: { a: [value] } });
    await write(a, of2100, 9);
    ms += 1000;
    await write(b, of2100 + 1n, 9);
    await write(b, at, 9);
    await write(a, at + 1n, 1);
    for (const node of [a!, b!]) {
      const events = await node.events('future', 'future');
      assert.deepEqual(events, [`ahead ${at}`, `firing ${at}`, `resolved ${at + 1n}`]);
      const listed = await node.queries.list('w', { names: new Set(['future']) });
      assert.deepEqual(
        listed.map(({ state }) => state),
        ['failed'],
      );
    }
  });

  it('count silence over the start of a node as long as others take rows', async () => {
    let ms = Date.now();
    const [a] = stores.map((store) => alertsService(store, () => ms));
    const pass = async (seconds: number, ...nodes: (typeof a)[]) => {
      for (let second = 0; second < seconds; second++) {
        ms += 1000;
        for (const node of nodes) await node!.silence.tick();
      }
    };
    const write = (streamId: string, time: number) =>
      a!.write(streamId, { timestamps: [time], numericValues: { a: [1] } });
    await a!.put('lost', { expression: 'a > 100', noDataFor: '30s', streams: { name: 'lost' } });
    for (const streamId of ['lost-1', 'lost-2', 'lost-3']) await write(streamId, 5);
    await pass(20, a);
    await write('lost-1', 6);
    const next = await openStore(engine!.urlOf('alerts'));
    stores.push(next);
    const b = alertsService(next, () => ms);
    await pass(9, b);
    await write('lost-2', 6);
    await next.catalog.refresh();
    await pass(20, b);
    assert.deepEqual(await b.events('lost', 'lost-3'), []);
    // It has seen the silence of 20 s before its start, and clients had 30 s to come.
    await pass(1, b);
    assert.deepEqual(await b.events('lost', 'lost-3'), ['firing 6']);
    assert.deepEqual(await b.events('lost', 'lost-1'), ['firing 7']);
    assert.deepEqual(await b.events('lost', 'lost-2'), []);
  });

  it('forget a stream with its removal for good, also where a kill came between', async () => {
    const [a, b] = stores.slice(0, 2).map((store) => alertsService(store, Date.now));
    await a!.put('high', { expression: 'a > 5' });
    await stores[1]!.catalog.refresh();
    const write = (node: typeof a, streamId: string, time: number) =>
      node!.write(streamId, { timestamps: [time], numericValues: { a: [9] } });
    const stateOf = (store: Store, streamId: string) =>
      store.catalog.document('w', 'alertState', 't', stateId('high', streamId));
    for (const streamId of ['whole', 'killed', 'stays']) await write(a, streamId, 1);
    await b!.writer.changeStreams('w', 'hardDelete', { streamIds: ['whole'] });
    assert.equal(stateOf(stores[1]!, 'whole'), undefined);
    // Of another node, which is killed behind its mark.
    const marked = `INSERT INTO streams (workspace, topic, stream, removed)
SELECT 'w', 't', 'killed', (SELECT max(version) + 1 FROM kept)`;
    await withClickHouse(engine!.urlOf('alerts'), (clickhouse) =>
      clickhouse.command({ text: marked, params: {} }),
    );
    assert.ok(stateOf(stores[0]!, 'killed'));
    const next = await openStore(engine!.urlOf('alerts'));
    stores.push(next);
    assert.equal(stateOf(next, 'killed'), undefined);
    assert.ok(stateOf(next, 'stays'));
    const c = alertsService(next, Date.now);
    for (const streamId of ['whole', 'killed']) {
      await write(c, streamId, 5);
      assert.deepEqual(await c.events('high', streamId), ['firing 5'], streamId);
    }
    // What is said of the streams that were removed is older than what they say now, also where it comes later.
    const last = await openStore(engine!.urlOf('alerts'));
    stores.push(last);
    for (const store of [...stores.slice(0, 2), last]) {
      await store.catalog.refresh();
      for (const streamId of ['whole', 'killed', 'stays']) assert.ok(stateOf(store, streamId), streamId);
    }
    await write(a, 'killed', 6);
    assert.deepEqual(await a!.events('high', 'killed'), ['firing 5']);
  });

  it('have one of them send the messages of webhooks, and another when it is gone', async () => {
    let ms = Date.now();
    const receiver = await startReceiver();
    const hosts = webhookHosts(allowedHosts('127.0.0.1'));
    const log = { warn: () => undefined, error: () => undefined } as never;
    const senders = stores.slice(0, 2).map((store) => {
      const post = createPost({ hosts, resolve: createResolve(hosts) });
      const clocks = { now: () => ms, monotonic: () => ms };
      return createWebhookSender({ store, post, metrics: createMetrics(), log, ...clocks });
    });
    const [first, second] = senders as [WebhookSender, WebhookSender];
    try {
      const nodes = stores.slice(0, 2).map((store) => alertsService(store, () => ms, '127.0.0.1'));
      await nodes[0]!.put('told', { expression: 'a > 5', webhook: { url: `http://${receiver.host}/` } });
      await stores[1]!.catalog.refresh();
      const write = (node: number, time: number, a: number) =>
        nodes[node]!.write('told', { timestamps: [time], numericValues: { a: [a] } });
      const told = () => receiver.received.map(({ message: { state, time } }) => `${state} ${time}`);
      const waiting = async () => {
        await stores[1]!.catalog.refresh();
        return stores[1]!.catalog.documentCount('w', 'webhookMessage');
      };
      await write(0, 1, 9);
      await write(1, 2, 1);
      await until(async () => {
        ms += 1000;
        await first.tick();
        await second.tick();
        return (await waiting()) === 0;
      });
      assert.deepEqual(told(), ['firing 1', 'resolved 2']);
      await write(0, 3, 9);
      await write(1, 4, 1);
      await first.stop();
      const lastOfFirst = receiver.received.length;
      await until(async () => {
        ms += 5000;
        await second.tick();
        return (await waiting()) === 0;
      });
      assert.deepEqual(told().slice(lastOfFirst), ['firing 3', 'resolved 4']);
    } finally {
      for (const sender of senders) await sender.stop();
      await receiver.close();
    }
  });
});
