import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { webhookHosts } from '../../../src/alerts/webhook-hosts.ts';
import { messageBody } from '../../../src/alerts/webhook-message.ts';
import { maxWaiting } from '../../../src/ingest/alerts/webhook-messages.ts';
import { createPost } from '../../../src/ingest/webhooks/post.ts';
import { createResolve } from '../../../src/ingest/webhooks/resolve.ts';
import { createWebhookSender } from '../../../src/ingest/webhooks/sender.ts';
import { createMetrics } from '../../../src/metrics.ts';
import { allowedHosts } from '../../../src/setting-values.ts';
import type { Store } from '../../../src/store/store.ts';
import { storeFolder } from '../../store/embedded/store-folder.ts';
import { until } from '../../until.ts';
import { alertsService } from '../alerts/alerts-service.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const folder = storeFolder('webhooks');
const closing: (() => Promise<void>)[] = [];
/** How far (ms) the clock was set ahead since the test began: that much less has passed. */
let setAhead = 0;
beforeEach(() => {
  setAhead = 0;
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function setClock(ms: number): void {
  folder.now += ms;
  setAhead += ms;
}

async function startedReceiver(port?: number): Promise<Receiver> {
  const receiver = await startReceiver(port);
  closing.push(() => receiver.close());
  return receiver;
}

function sending(store: Pick<Store, 'append' | 'catalog'>, timeoutMs = 10_000) {
  const now = () => folder.now;
  const hosts = webhookHosts(allowedHosts('127.0.0.1,localhost'));
  const metrics = createMetrics();
  const logged: string[] = [];
  const log = {
    warn: (_: object, text: string) => void logged.push(text),
    error: (_: object, text: string) => void logged.push(text),
  };
  const post = createPost({ hosts, resolve: createResolve(hosts), timeoutMs });
  const monotonic = () => folder.now - setAhead;
  const options = { store, post, metrics, log: log as never, now, monotonic, random: () => 0 };
  const sender = createWebhookSender(options);
  closing.push(() => sender.stop());
  const outcomes = async () =>
    Object.fromEntries(
      (await metrics.webhookTries.get()).values.map(({ labels, value }) => [labels.outcome, value]),
    );
  return { sender, logged, outcomes };
}

async function opened(options: { timeoutMs?: number } = {}) {
  const store = await folder.open();
  await store.append({
    workspace: 'w',
    changes: [{ type: 'workspace', workspace: { name: 'w', createdAt: 0 } }],
  });
  const sent = sending(store, options.timeoutMs);
  const service = alertsService(store, () => folder.now, '127.0.0.1,localhost', sent.sender);
  return { store, service, ...sent };
}

const rows = (values: Record<number, number>) => ({
  timestamps: Object.keys(values).map(Number),
  numericValues: { a: Object.values(values) },
});

const told = ({ received }: Receiver) =>
  received.map(({ message: { stream, state, time } }) => `${stream} ${state} ${time}`);

const waiting = (store: Pick<Store, 'catalog'>) => store.catalog.documentCount('w', 'webhookMessage');

describe('the sender of webhooks', () => {
  it('sends each change in order, with what it says, and forgets it', async () => {
    const receiver = await startedReceiver();
    const { store, service, sender } = await opened();
    await service.put('hot', {
      expression: 'a > 5',
      level: 'warning',
      text: 'too hot',
      webhook: { url: `http://${receiver.host}/hook?x=1`, headers: { Authorization: 'Bearer secret' } },
    });
    await service.write('s', rows({ 1: 9, 2: 1, 3: 8 }));
    assert.equal(waiting(store), 3);
    await until(async () => {
      await sender.tick();
      return waiting(store) === 0;
    });
    assert.deepEqual(told(receiver), ['s firing 1', 's resolved 2', 's firing 3']);
    const [{ path, headers, message }] = receiver.received as [Receiver['received'][0]];
    assert.equal(path, '/hook?x=1');
    assert.equal(headers.authorization, 'Bearer secret');
    assert.equal(headers.host, receiver.host);
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['idempotency-key'], message.id);
    assert.match(message.id, /^[0-9a-f]{32}$/);
    assert.deepEqual(message, {
      id: message.id,
      workspace: 'w',
      topic: 't',
      rule: 'hot',
      stream: 's',
      state: 'firing',
      time: 1,
      values: { a: 9 },
      level: 'Warning',
      text: 'too hot',
    });
    assert.equal(new Set(receiver.received.map((one) => one.message.id)).size, 3);
  });

  it('tries again after growing pauses, keeps the order, and follows no redirect', async () => {
    const receiver = await startedReceiver();
    const elsewhere = await startedReceiver();
    const { store, service, sender, outcomes } = await opened();
    await service.put('hot', { expression: 'a > 5', webhook: { url: `http://${receiver.host}/` } });
    const faults = [500, 302, 'drop', 404] as const;
    let tries = 0;
    receiver.answer((response) => {
      const fault = faults[tries++];
      if (fault === 'drop') response.destroy();
      else response.writeHead(fault ?? 204, { location: `http://${elsewhere.host}/` }).end();
    });
    await service.write('s', rows({ 1: 9, 2: 1 }));
    await sender.tick();
    for (const [failed, pause] of [1000, 2000, 4000, 8000].entries()) {
      await until(async () => (await outcomes())['failed'] === failed + 1);
      assert.equal(receiver.received.length, failed + 1);
      folder.now += pause - 1;
      await sender.tick();
      assert.equal((await outcomes())['failed'], failed + 1);
      folder.now += 1;
      await until(async () => {
        await sender.tick();
        return tries > failed + 1;
      });
    }
    await until(() => waiting(store) === 0);
    const first = 's firing 1';
    assert.deepEqual(told(receiver), [first, first, first, first, first, 's resolved 2']);
    assert.equal(new Set(receiver.received.map(({ message }) => message.id)).size, 2);
    assert.deepEqual(elsewhere.received, []);
  });

  it('gives up after an hour, tells of it until a message is delivered, also after a restart', async () => {
    const receiver = await startedReceiver();
    const { store, service, sender, logged } = await opened();
    await service.put('hot', { expression: 'a > 5', webhook: { url: `http://${receiver.host}/` } });
    receiver.answer((response) => void response.writeHead(500).end());
    await service.write('s', rows({ 1: 9, 2: 1 }));
    await sender.tick();
    await until(() => sender.problemOf('w', 't', { rule: 'hot', streamId: 's' }) !== undefined);
    folder.now += 3_600_000;
    await until(async () => {
      await sender.tick();
      return waiting(store) === 1;
    });
    assert.ok(logged.includes('messages to a webhook were given up after an hour'));
    const expected = {
      topic: 't',
      name: 'hot',
      streamId: 's',
      state: 'failed',
      problem: 'its webhook was not told: the answer was 500',
      webhook: { waiting: 0, problem: 'the answer was 500', givenUp: true },
    };
    assert.deepEqual(await service.queries.list('w', {}), [expected]);
    await sender.stop();
    const again = await folder.reopen(store);
    const later = alertsService(again, () => folder.now, '127.0.0.1');
    assert.deepEqual(await later.queries.list('w', {}), [expected]);
    receiver.answer((response) => void response.end());
    await later.write('s', rows({ 3: 9 }));
    const next = sending(again).sender;
    await until(async () => {
      await next.tick();
      return waiting(again) === 0;
    });
    assert.equal(told(receiver).at(-1), 's firing 3');
    const [fires] = await later.queries.list('w', {});
    assert.deepEqual(fires!['webhook'], { waiting: 0 });
  });

  it('tells for a day that it gave up', async () => {
    const { store, service, sender } = await opened();
    await service.put('hot', { expression: 'a > 5', webhook: { url: 'http://127.0.0.1:1/' } });
    await service.write('s', rows({ 1: 9, 2: 1 }));
    const passes = async (ms: number) => {
      folder.now += ms;
      await sender.tick();
    };
    await passes(3_600_000);
    await until(async () => {
      await passes(0);
      return waiting(store) === 1;
    });
    await passes(22 * 3_600_000);
    assert.equal((await service.queries.list('w', {})).length, 1);
    await passes(3_600_000);
    await until(() => waiting(store) === 0);
    assert.deepEqual(await service.queries.list('w', {}), []);
  });

  it('lets one receiver that hangs hold up nobody else', async () => {
    const slow = await startedReceiver();
    const good = await startedReceiver();
    const { store, service, sender } = await opened();
    const webhook = { url: `http://${slow.host}/` };
    await service.put('slow', { expression: 'a > 5', webhook });
    await service.put('good', { expression: 'a > 5', webhook: { url: `http://localhost:${good.port}/` } });
    slow.answer(() => undefined);
    for (let i = 0; i < 20; i++) await service.write(`s${i}`, rows({ 1: 9 }));
    await until(async () => {
      await sender.tick();
      return good.received.length === 20;
    });
    await until(() => waiting(store) === 20);
    assert.equal(slow.received.length, 8);
  });

  it('does not wait longer than its time for an answer', async () => {
    const receiver = await startedReceiver();
    const { service, sender } = await opened({ timeoutMs: 50 });
    await service.put('hot', { expression: 'a > 5', webhook: { url: `http://${receiver.host}/` } });
    receiver.answer(() => undefined);
    await service.write('s', rows({ 1: 9 }));
    await sender.tick();
    const problem = () => sender.problemOf('w', 't', { rule: 'hot', streamId: 's' });
    await until(() => problem() !== undefined);
    assert.equal(problem(), 'there was no answer within 0.05 s');
  });

  it('takes a message as delivered whose answer has no end, and reads little of it', async () => {
    const receiver = await startedReceiver();
    const { store, service, sender } = await opened();
    await service.put('hot', { expression: 'a > 5', webhook: { url: `http://${receiver.host}/` } });
    receiver.answer((response) => {
      response.on('error', () => undefined);
      const more = (): void => {
        if (!response.destroyed) response.write(Buffer.alloc(16 << 10), () => setImmediate(more));
      };
      more();
    });
    await service.write('s', rows({ 1: 9 }));
    await until(async () => {
      await sender.tick();
      return waiting(store) === 0;
    });
    assert.equal(receiver.received.length, 1);
  });

  it('sends to a receiver that was away when it is back, and by the rule as it is then', async () => {
    const first = await startReceiver();
    const { port } = first;
    await first.close();
    const { store, service, sender } = await opened();
    const rule = { expression: 'a > 5', webhook: { url: `http://127.0.0.1:${port}/` } };
    await service.put('hot', rule);
    await service.write('s', rows({ 1: 9 }));
    await sender.tick();
    const problem = () => sender.problemOf('w', 't', { rule: 'hot', streamId: 's' });
    await until(() => problem() !== undefined);
    assert.equal(problem(), 'the connection was refused');
    const [fires] = await service.queries.list('w', {});
    assert.deepEqual(fires!['webhook'], { waiting: 1, problem: 'the connection was refused' });
    const receiver = await startedReceiver(port);
    await service.put('hot', { ...rule, webhook: { url: `http://127.0.0.1:${port}/new` } });
    folder.now += 1000;
    await until(async () => {
      await sender.tick();
      return waiting(store) === 0;
    });
    assert.deepEqual(
      receiver.received.map(({ path }) => path),
      ['/new'],
    );
  });

  it('says nothing more for rules that are gone, made again or without a webhook, and of deleted streams', async () => {
    const receiver = await startedReceiver();
    const { store, service, sender } = await opened();
    const rule = { expression: 'a > 5', webhook: { url: `http://${receiver.host}/` } };
    for (const name of ['gone', 'again', 'mute', 'stays']) await service.put(name, rule);
    await service.write('s', rows({ 1: 9 }));
    await service.write('deleted', rows({ 1: 9 }));
    await service.admin.remove('w', 't', 'gone');
    await service.admin.remove('w', 't', 'again');
    await service.put('again', rule);
    await service.put('mute', { expression: 'a > 5' });
    await service.writer.changeStreams('w', 'hardDelete', { streamIds: ['deleted'] });
    await until(async () => {
      await sender.tick();
      return waiting(store) === 0;
    });
    assert.deepEqual(
      receiver.received.map(({ message }) => [message.rule, message.stream]),
      [['stays', 's']],
    );
  });

  it('says nothing of a stream that was deleted for good, where a kill came before its messages were forgotten', async () => {
    const receiver = await startedReceiver();
    const { store, service, sender } = await opened();
    await service.put('hot', { expression: 'a > 5', webhook: { url: `http://${receiver.host}/` } });
    await service.write('deleted', rows({ 1: 9 }));
    await store.changeStreams({
      workspace: 'w',
      action: 'hardDelete',
      filter: { streamIds: ['deleted'] },
      now: folder.now,
    });
    assert.equal(waiting(store), 1);
    await until(async () => {
      await sender.tick();
      return waiting(store) === 0;
    });
    assert.deepEqual(receiver.received, []);
  });

  it('tries again in time where the clock was ahead when a try failed, and is set back', async () => {
    const receiver = await startedReceiver();
    const { store, service, sender } = await opened();
    await service.put('hot', { expression: 'a > 5', webhook: { url: `http://${receiver.host}/` } });
    receiver.answer((response) => void response.writeHead(500).end());
    await service.write('s', rows({ 1: 9 }));
    setClock(1_800_000);
    await sender.tick();
    await until(() => sender.problemOf('w', 't', { rule: 'hot', streamId: 's' }) !== undefined);
    receiver.answer((response) => void response.end());
    setClock(-1_800_000);
    folder.now += 1000;
    await until(async () => {
      await sender.tick();
      return waiting(store) === 0;
    });
    assert.equal(receiver.received.length, 2);
  });

  it('gives up after an hour that has passed, however the clock is set', async () => {
    const receiver = await startedReceiver();
    const { service, sender, logged, outcomes } = await opened();
    await service.put('hot', { expression: 'a > 5', webhook: { url: `http://${receiver.host}/` } });
    receiver.answer((response) => void response.writeHead(500).end());
    const failed = async () => (await outcomes())['failed'] ?? 0;
    const fails = async (times: number) => {
      for (let next = (await failed()) + 1, last = next + times; next < last; next++) {
        folder.now += 300_000;
        await until(async () => {
          await sender.tick();
          return (await failed()) === next;
        });
      }
    };
    await service.write('s', rows({ 1: 9 }));
    await fails(1);
    setClock(7_200_000);
    await fails(5);
    setClock(-31_536_000_000);
    await fails(5);
    folder.now += 300_000;
    await until(async () => {
      await sender.tick();
      return logged.includes('messages to a webhook were given up after an hour');
    });
    assert.equal(await failed(), 11);
    const told = await service.queries.list('w', { streamIds: new Set(['s']) });
    assert.deepEqual(told[0]?.['webhook'], { waiting: 0, problem: 'the answer was 500', givenUp: true });
  });

  it('sends what waits in the order in which it was written, also where the clock was set back meanwhile', async () => {
    const receiver = await startedReceiver();
    const { store, service, sender, outcomes } = await opened();
    await service.put('hot', { expression: 'a > 5', webhook: { url: `http://${receiver.host}/` } });
    receiver.answer((response) => void response.writeHead(500).end());
    const write = (a: number) => service.write('s', rows({ [folder.now * 1e6]: a }));
    const first = folder.now;
    await write(9);
    await until(async () => {
      await sender.tick();
      return (await outcomes())['failed'] === 1;
    });
    setClock(-600_000);
    const second = folder.now;
    await write(1);
    folder.now += 1;
    await write(9);
    receiver.answer((response) => void response.end());
    await until(async () => {
      folder.now += 1000;
      await sender.tick();
      return waiting(store) === 0;
    });
    const fires = `s firing ${first * 1e6}`;
    const later = [`s resolved ${second * 1e6}`, `s firing ${(second + 1) * 1e6}`];
    assert.deepEqual(told(receiver), [fires, fires, ...later]);
  });

  it('gives up what a clock wrote that was ahead by a year', async () => {
    const { service, sender, logged } = await opened();
    await service.put('hot', { expression: 'a > 5', webhook: { url: 'http://127.0.0.1:1/' } });
    setClock(31_536_000_000);
    await service.write('s', rows({ 1: 9 }));
    await sender.tick();
    setClock(-31_536_000_000);
    await until(async () => {
      folder.now += 600_000;
      await sender.tick();
      return logged.includes('messages to a webhook were given up after an hour');
    });
  });

  it('has nothing that waits of a workspace that is gone', async () => {
    const { store, service, sender } = await opened();
    await service.put('hot', { expression: 'a > 5', webhook: { url: 'http://127.0.0.1:1/' } });
    await service.write('s', rows({ 1: 9, 2: 1 }));
    await sender.tick();
    assert.equal(sender.waiting, 2);
    await store.append({ workspace: 'default', changes: [{ type: 'removeWorkspace', name: 'w' }] });
    await sender.tick();
    assert.equal(sender.waiting, 0);
  });

  it('leaves messages of a newer version alone, as long as their rule is there', async () => {
    const receiver = await startedReceiver();
    const { store, service, sender } = await opened();
    await service.put('hot', { expression: 'a > 5', webhook: { url: `http://${receiver.host}/` } });
    const newer = { type: 'keep', kind: 'webhookMessage', topic: 't', id: 'hot\ns\n0\nfiring' } as const;
    await store.append({ workspace: 'w', changes: [{ ...newer, body: '{"version":2}' }] });
    await service.write('s', rows({ 1: 9 }));
    await until(async () => {
      await sender.tick();
      return waiting(store) === 1;
    });
    await sender.tick();
    assert.deepEqual([waiting(store), receiver.received.length], [1, 1]);
    assert.ok(store.catalog.document('w', 'webhookMessage', 't', newer.id));
    await service.admin.remove('w', 't', 'hot');
    await until(async () => {
      await sender.tick();
      return waiting(store) === 0;
    });
  });

  it('leaves messages of a rule of a newer version alone, and sends those of others', async () => {
    const receiver = await startedReceiver();
    const { store, service, sender, logged } = await opened();
    await service.put('hot', { expression: 'a > 5', webhook: { url: `http://${receiver.host}/` } });
    const kept = (kind: 'alert' | 'webhookMessage', id: string, body: string) =>
      ({ type: 'keep', kind, topic: 't', id, body }) as const;
    const text = messageBody({ made: 1, at: folder.now, text: '{}' });
    await store.append({
      workspace: 'w',
      changes: [kept('alert', 'cold', '{"version":2}'), kept('webhookMessage', 'cold\ns\n0\nfiring', text)],
    });
    await service.write('s', rows({ 1: 9 }));
    await until(async () => {
      await sender.tick();
      return receiver.received.length === 1 && waiting(store) === 1;
    });
    await sender.tick();
    assert.ok(store.catalog.document('w', 'webhookMessage', 't', 'cold\ns\n0\nfiring'));
    const firing = (await service.queries.list('w', {})).map(({ name }) => name);
    assert.ok(firing.includes('hot'));
    assert.deepEqual(logged, []);
  });

  it('does not send again what was taken, where the store cannot be told at once', async () => {
    const receiver = await startedReceiver();
    const { store, service } = await opened();
    let isFull = true;
    let refused = 0;
    const full = {
      catalog: store.catalog,
      append(batch: Parameters<Store['append']>[0]) {
        if (!isFull) return store.append(batch);
        refused++;
        return Promise.reject(new Error('disk full'));
      },
    };
    const { sender } = sending(full);
    await service.put('hot', { expression: 'a > 5', webhook: { url: `http://${receiver.host}/` } });
    await service.write('s', rows({ 1: 9 }));
    await sender.tick();
    // The store was told that it was taken, in vain.
    await until(() => refused > 0);
    assert.equal(receiver.received.length, 1);
    folder.now += 1000;
    await sender.tick();
    isFull = false;
    await until(async () => {
      folder.now += 1000;
      await sender.tick();
      return waiting(store) === 0;
    });
    assert.equal(receiver.received.length, 1);
  });

  it('keeps as many messages as there is room for, and says what is lost', async () => {
    const { store, service } = await opened();
    await service.put('hot', { expression: 'a > 5', webhook: { url: 'http://127.0.0.1:1/' } });
    await service.write(
      's',
      rows(Object.fromEntries(Array.from({ length: 600 }, (_, i) => [i, i % 2 === 0 ? 9 : 1]))),
    );
    assert.equal(waiting(store), 256);
    const problems = (await service.queries.list('w', {})).map(({ problem }) => problem);
    assert.deepEqual(problems, [
      '344 messages to its webhook are not sent: a write may make 256, and 10000 may wait',
    ]);
  });

  it('keeps no more messages than a workspace may have, of one write and of several under way', async () => {
    const { store } = await opened();
    const catalog = { ...store.catalog };
    catalog.documentCount = (...asked) => store.catalog.documentCount(...asked) + maxWaiting - 5;
    const service = alertsService({ ...store, catalog }, () => folder.now, '127.0.0.1');
    await service.put('hot', { expression: 'a > 5', webhook: { url: 'http://127.0.0.1:1/' } });
    const streams = ['s1', 's2', 's3'].map((streamId) => ({ streamId, ...rows({ 1: 9, 2: 1 }) }));
    await Promise.all([
      service.write('s0', rows({ 1: 9, 2: 1 })),
      service.writer.parameterDataBatch({ workspace: 'w', topic: 't' }, Buffer.from(JSON.stringify(streams))),
    ]);
    assert.equal(waiting(store), 5);
    assert.equal((await service.queries.list('w', {})).length, 1);
  });
});
