import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { encode } from '@msgpack/msgpack';
import { binaryMessage } from '../../src/hub/protocol/message-formats.ts';
import {
  call,
  connectRaw,
  handshake,
  openRaw,
  type RawClient,
  type ServedHub,
  separator,
  serveHub,
} from './serve-hub.ts';

const ping = `{"type":6}${separator}`;
const many = 80_000;

/** Between a call that notes `first` and one that notes `last`, so many messages that one turn for all is far too long. */
function between(middle: string): string {
  return call('Note', ['first']) + middle + call('Note', ['last']);
}

const floods: [what: string, text: string][] = [
  ['pings', between(ping.repeat(many))],
  ['unknown calls', between(call('Nonsense', []).repeat(many / 10))],
  ['calls', between(call('Fail', []).repeat(many / 10))],
];

/** Until the hub has begun with the flood. */
async function began(served: ServedHub): Promise<void> {
  while (served.notes.length === 0) await setImmediate();
}

async function ended(served: ServedHub): Promise<void> {
  while (served.notes.length < 2) await setImmediate();
}

/** Asks by all ways at once, and expects the answers before the hub is through with the flood. */
async function othersAreServed(served: ServedHub, other: RawClient): Promise<void> {
  await began(served);
  other.send(call('Echo', ['x'], 'other'));
  const [plain, answer] = await Promise.all([fetch(`${served.url}/plain`), other.next()]);
  assert.equal(plain.status, 200);
  assert.equal(answer, '{"type":3,"invocationId":"other","result":"x"}');
  assert.deepEqual(served.notes, ['"first"']);
  await ended(served);
  assert.deepEqual(served.notes, ['"first"', '"last"']);
}

function ask(url: string, method: string, path: string, body = ''): Promise<IncomingMessage> {
  const sent = request(url + path, { method, headers: { authorization: 'Bearer good' } });
  sent.end(body);
  return once(sent, 'response').then(([response]) => response as IncomingMessage);
}

async function negotiated(url: string): Promise<string> {
  const response = await ask(url, 'POST', '/hub/negotiate?negotiateVersion=1');
  const { connectionToken } = JSON.parse(String(await response.toArray())) as { connectionToken: string };
  return `/hub?id=${connectionToken}`;
}

describe('very many messages at once', () => {
  for (const [what, text] of floods) {
    it(`hold up nobody else: a frame of ${what}`, async () => {
      const served = await serveHub();
      const [client, other] = [await connectRaw(served.url), await connectRaw(served.url)];
      client.send(text);
      await othersAreServed(served, other);
    });
  }

  it('hold up nobody else: a frame in MessagePack', async () => {
    const served = await serveHub();
    const [client, other] = [await openRaw(served.url), await connectRaw(served.url)];
    client.send(`{"protocol":"messagepack","version":1}${separator}`);
    await client.next();
    const note = (text: string) => binaryMessage(encode([1, {}, null, 'Note', [text]]));
    const pings = Buffer.alloc(3 * many, binaryMessage(encode([6])));
    client.send(Buffer.concat([note('first'), pings, note('last')]), true);
    await othersAreServed(served, other);
  });

  it('hold up nobody else: the body of a POST', async () => {
    for (const accept of ['text/event-stream', '*/*']) {
      const served = await serveHub();
      const other = await connectRaw(served.url);
      const path = await negotiated(served.url);
      const stream = request(served.url + path, { headers: { accept, authorization: 'Bearer good' } }).end();
      const [response] = (await once(stream, 'response')) as [IncomingMessage];
      response.resume();
      await ask(served.url, 'POST', path, handshake);
      const received = ask(served.url, 'POST', path, between(ping.repeat(many)));
      await othersAreServed(served, other);
      assert.equal((await received).statusCode, 200);
      response.destroy();
    }
  });

  it('are answered in their order, beside the floods of others', async () => {
    const served = await serveHub();
    const clients = await Promise.all([1, 2, 3].map(() => connectRaw(served.url)));
    const ids = Array.from({ length: 4_000 }, (_, i) => String(i));
    for (const client of clients) client.send(ids.map((id) => call('Echo', [1], id)).join(''));
    for (const client of clients) {
      for (const id of ids) assert.equal(JSON.parse((await client.next())!).invocationId, id);
    }
  });

  it('stay unread beyond what is being worked on', async () => {
    const served = await serveHub();
    const client = await connectRaw(served.url);
    const received = async (): Promise<number> =>
      (await served.metrics.hubBytesReceived.get()).values[0]?.value ?? 0;
    const flood = between(ping.repeat(many));
    client.send(flood);
    for (let i = 0; i < 10; i++) client.send(ping.repeat(many / 10));
    await began(served);
    const bytes = handshake.length + flood.length;
    assert.equal(await received(), bytes);
    while (served.notes.length === 1) {
      assert.equal(await received(), bytes);
      await setImmediate();
    }
    while ((await received()) < bytes + 10 * (many / 10) * ping.length) await setImmediate();
  });

  it('do not keep our pings back, nor count as silence', async () => {
    const served = await serveHub();
    const client = await connectRaw(served.url);
    client.send(between(ping.repeat(many)));
    await began(served);
    served.pass(31_000);
    assert.equal(await client.next(), '{"type":6}');
    assert.deepEqual(served.notes, ['"first"']);
    await ended(served);
  });

  it('end with the connection', async () => {
    const served = await serveHub();
    const client = await connectRaw(served.url);
    client.send(between(ping.repeat(many)));
    await began(served);
    served.tokens.delete('good');
    served.pass(21_000);
    let last = await client.next();
    for (let next: string | undefined = last; next !== undefined; next = await client.next()) last = next;
    assert.equal(JSON.parse(last!).type, 7);
    assert.equal(await client.closed, 1000);
    assert.deepEqual(served.notes, ['"first"']);
    while (served.hub.connectionCount > 0) await setImmediate();
    assert.equal(served.budget.used, 0);
  });

  it('are still taken when the service stops', async () => {
    const served = await serveHub();
    const client = await connectRaw(served.url);
    client.send(between(ping.repeat(many)));
    await began(served);
    const stopped = served.hub.stop();
    assert.equal(await client.next(), '{"type":7,"allowReconnect":true}');
    assert.deepEqual(served.notes, ['"first"', '"last"']);
    await stopped;
  });
});
