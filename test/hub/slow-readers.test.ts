import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { describe, it } from 'node:test';
import type { Connection } from '../../src/hub/connection/connection.ts';
import { type LiveEvent, liveEvent } from '../../src/live/live-event.ts';
import { Sequence } from '../../src/live/sequence.ts';
import {
  call,
  connectRaw,
  handshake,
  type RawClient,
  type ServedHub,
  separator,
  serveHub,
  shortSlices,
} from './serve-hub.ts';

const limit = 1_000_000;
const furthestBehind =
  /too slow: all readers together wait for more than 1000000 bytes, and it is the furthest behind/;

/** A client that is told of events, and its side of the hub. */
async function listening(served: ServedHub): Promise<{ client: RawClient; connection: Connection }> {
  const client = await connectRaw(served.url);
  client.send(call('Listen', [], '0'));
  await client.next();
  return { client, connection: served.listeners.at(-1)! };
}

const filler = 'x'.repeat(50_000);
const numbered = (n: number): LiveEvent => liveEvent('PackageReceived', () => [n, filler]);

/** Delivers one event after the other to all, until somebody is closed for it; gives how many that took. */
async function fill(served: ServedHub, after: (n: number) => Promise<void>): Promise<number> {
  const before = served.listeners.length;
  for (let n = 0; served.listeners.length === before; n++) {
    assert.ok(n < 2000, 'nobody was let go of');
    const event = numbered(n);
    for (const listener of [...served.listeners]) listener.deliver(event);
    assert.ok(served.hub.queueBytes <= limit, `${served.hub.queueBytes} bytes wait`);
    await after(n);
  }
  return served.listeners.length;
}

async function counted(served: ServedHub, name: 'hubReadersLetGo' | 'hubReadersTooSlow'): Promise<number> {
  return (await served.metrics[name].get()).values[0]!.value;
}

function ask(url: string, method: string, path: string, headers = {}, body = ''): Promise<IncomingMessage> {
  const sent = request(url + path, {
    method,
    headers: { authorization: 'Bearer good', ...headers },
    agent: new Agent(),
  });
  sent.on('error', () => {});
  sent.end(body);
  return once(sent, 'response').then(([response]) => response as IncomingMessage);
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) text += chunk;
  return text;
}

async function negotiated({ url }: ServedHub): Promise<string> {
  const { connectionId } = JSON.parse(await textOf(await ask(url, 'POST', '/hub/negotiate')));
  return `/hub?id=${connectionId}`;
}

describe('readers that do not read', () => {
  it('are let go of at the limit of all, and told; the others get everything, in order', async () => {
    const served = await serveHub({ maxTotalQueueBytes: limit });
    const slow = await listening(served);
    const fast = await listening(served);
    slow.client.socket.pause();
    await fill(served, async (n) => {
      const message = await fast.client.next();
      assert.equal(JSON.parse(message!).arguments[0], n);
    });
    assert.deepEqual([slow.connection.state, fast.connection.state], ['draining', 'connected']);
    assert.equal(await counted(served, 'hubReadersLetGo'), 1);
    assert.equal(await counted(served, 'hubReadersTooSlow'), 1);
    slow.client.socket.resume();
    let last: string | undefined;
    for (let next = await slow.client.next(); next !== undefined; next = await slow.client.next())
      last = next;
    assert.match(JSON.parse(last!).error, furthestBehind);
    assert.equal(await slow.client.closed, 1000);
    while (served.hub.queueBytes > 0) await new Promise(setImmediate);
  });

  it('hold what they share once, and are cut where their sockets hold too much of large messages', async () => {
    const served = await serveHub({ maxTotalQueueBytes: 32 * 2 ** 20 });
    const slow: Awaited<ReturnType<typeof listening>>[] = [];
    while (slow.length < 30) slow.push(await listening(served));
    for (const { client } of slow) client.socket.pause();
    const large = 'x'.repeat(12 * 2 ** 20);
    for (const [i, { connection }] of slow.entries()) {
      if (i === 0) assert.equal(served.hub.queueBytes, 0);
      connection.deliver(shared(large));
    }
    while (slow.some(({ connection }) => connection.queue.length > 0)) await new Promise(setImmediate);
    assert.equal(served.listeners.length, 30);
    assert.ok(served.hub.queueBytes >= large.length && served.hub.queueBytes < 13 * 2 ** 20);
    for (const { connection } of slow) connection.deliver(liveEvent('PackageReceived', () => [large]));
    while (served.listeners.length === 30) await new Promise(setImmediate);
    assert.ok(served.hub.queueBytes <= 32 * 2 ** 20);
    assert.ok((await counted(served, 'hubReadersLetGo')) > 0);
    for (const { client } of slow) client.socket.terminate();
    while (served.hub.queueBytes > 0) await new Promise(setImmediate);
  });

  it('by Long Polling are told with the next poll', async () => {
    const served = await serveHub({ maxTotalQueueBytes: limit });
    const path = await negotiated(served);
    await textOf(await ask(served.url, 'GET', path));
    await textOf(await ask(served.url, 'POST', path, {}, handshake + call('Listen', [], '0')));
    while (served.listeners.length === 0) await new Promise(setImmediate);
    await fill(served, () => new Promise(setImmediate));
    const messages = (await textOf(await ask(served.url, 'GET', path))).split(separator);
    assert.match(JSON.parse(messages.at(-2)!).error, furthestBehind);
    assert.equal((await ask(served.url, 'GET', path)).statusCode, 204);
    assert.equal(served.hub.queueBytes, 0);
  });

  it('by Long Polling do not keep their last answer in the socket when they are cut', async () => {
    const served = await serveHub();
    const path = await negotiated(served);
    await textOf(await ask(served.url, 'GET', path));
    await textOf(await ask(served.url, 'POST', path, {}, handshake + call('Listen', [], '0')));
    while (served.listeners.length === 0) await new Promise(setImmediate);
    const [connection] = served.listeners;
    await textOf(await ask(served.url, 'GET', path));
    connection!.deliver(liveEvent('PackageReceived', () => ['x'.repeat(12 * 2 ** 20)]));
    const answer = await ask(served.url, 'GET', path);
    answer.pause();
    connection!.apply('expired');
    connection!.apply('expired');
    assert.equal(connection!.state, 'closed');
    await assert.rejects(textOf(answer), /aborted/);
    assert.equal(served.hub.queueBytes, 0);
  });

  it('by Server-Sent Events are told in the last event', async () => {
    const served = await serveHub({ maxTotalQueueBytes: limit });
    const path = await negotiated(served);
    const stream = await ask(served.url, 'GET', path, { accept: 'text/event-stream' });
    stream.pause();
    await textOf(await ask(served.url, 'POST', path, {}, handshake + call('Listen', [], '0')));
    while (served.listeners.length === 0) await new Promise(setImmediate);
    await fill(served, () => new Promise(setImmediate));
    const events = (await textOf(stream)).trimEnd().split('\r\n\r\n');
    assert.match(JSON.parse(events.at(-1)!.slice('data: '.length, -1)).error, furthestBehind);
    while (served.hub.queueBytes > 0) await new Promise(setImmediate);
  });
});

/** One event for all that get it. */
const sharedEvents = new Map<string, LiveEvent>();
function shared(text: string): LiveEvent {
  const event = sharedEvents.get(text) ?? liveEvent('PackageReceived', () => [text]);
  sharedEvents.set(text, event);
  return event;
}

describe('a large event', () => {
  it('is made in slices: a connection keeps its order, another one does not wait for it', async () => {
    const served = await serveHub({}, '*', undefined, shortSlices());
    const one = await listening(served);
    const other = await listening(served);
    const count = 200_000;
    const numbers = new Sequence(count, (into, from, to) => {
      for (let i = from; i < to; i++) into[i - from] = i;
    });
    const large = liveEvent('ParameterDataReceived', () => [{ numbers }], { bytes: 1000 });
    one.connection.deliver(large);
    one.connection.deliver(numbered(1));
    assert.equal(one.connection.queue.take(), undefined);
    other.connection.deliver(numbered(2));
    assert.equal(JSON.parse((await other.client.next())!).arguments[0], 2);
    assert.ok(one.connection.queue.length > 0, 'the large event is made already');
    other.connection.deliver(large);
    const expected = Array.from({ length: count }, (_, i) => i);
    for (const { client } of [one, other]) {
      assert.deepEqual(JSON.parse((await client.next())!).arguments[0].numbers, expected);
    }
    assert.equal(JSON.parse((await one.client.next())!).arguments[0], 1);
    while (served.hub.queueBytes > 0) await new Promise(setImmediate);
  });

  it('does not count for what it is made of in the queue of a reader: others are made of the same', async () => {
    const served = await serveHub({ maxQueueBytes: 100_000 }, '*', undefined, shortSlices());
    const { client, connection } = await listening(served);
    const source = { bytes: 90_000 };
    // Long enough for several steps of encoding.
    const numbers = new Sequence(4000, (into, from, to) => into.fill(7, 0, to - from));
    const events = Array.from({ length: 8 }, (_, n) =>
      liveEvent('EventDataReceived', () => [n, { numbers }], source, 8000),
    );
    for (const event of events) connection.deliver(event);
    assert.equal(connection.state, 'connected');
    assert.ok(served.hub.queueBytes > source.bytes);
    for (const n of events.keys()) assert.equal(JSON.parse((await client.next())!).arguments[0], n);
    while (served.hub.queueBytes > 0) await new Promise(setImmediate);
  });

  it('is made anew for who comes when those who waited for it have left', async () => {
    const served = await serveHub({}, '*', undefined, shortSlices());
    const one = await listening(served);
    const other = await listening(served);
    const numbers = new Sequence(100_000, (into, from, to) => into.fill(7, 0, to - from));
    const large = liveEvent('ParameterDataReceived', () => [{ numbers }], { bytes: 1000 });
    one.connection.deliver(large);
    one.client.socket.terminate();
    while (one.connection.state !== 'closed') await new Promise(setImmediate);
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    other.connection.deliver(large);
    assert.equal(JSON.parse((await other.client.next())!).arguments[0].numbers.length, 100_000);
    while (served.hub.queueBytes > 0) await new Promise(setImmediate);
  });
});
