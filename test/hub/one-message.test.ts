import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { encode } from '@msgpack/msgpack';
import { binaryMessage } from '../../src/hub/protocol/message-formats.ts';
import { liveEvent } from '../../src/live/live-event.ts';
import {
  call,
  connectRaw,
  openRaw,
  type RawClient,
  type ServedHub,
  separator,
  serveHub,
  shortSlices,
} from './serve-hub.ts';

const bytes = 30 * 2 ** 20;

function filled(piece: string): string {
  return piece.repeat(bytes / piece.length);
}

const texts: [what: string, text: string][] = [
  ['an argument with many arrays', `{"type":1,"target":"Fail","arguments":[[${filled('[],')}1]]}`],
  ['many arguments', `{"type":1,"target":"Fail","arguments":[${filled('[],')}1]}`],
  ['a member without a meaning', `{"type":1,"target":"Fail","more":[${filled('[],')}1],"arguments":[]}`],
  ['a very long name', `{"type":1,"target":"Fail","${filled('\\n')}":1,"arguments":[]}`],
  ['very many ids of streams', `{"type":1,"target":"Fail","streamIds":[${filled('[],')}1],"arguments":[]}`],
];

function packedArrays(): Buffer {
  const head = Buffer.alloc(5, 0xdd);
  head.writeUInt32BE(bytes, 1);
  return Buffer.concat([head, Buffer.alloc(bytes, 0x90)]);
}

const none = Buffer.from([0x90]);
const packed: [what: string, parts: () => Buffer[]][] = [
  ['an argument with many arrays', () => [Buffer.from([0x80]), Buffer.from([0x91]), packedArrays(), none]],
  ['headers', () => [packedArrays(), none, none]],
  ['very many ids of streams', () => [Buffer.from([0x80]), none, packedArrays()]],
];

/** A call of `Fail` with these headers, arguments and ids of streams. */
function packedCall([headers, ...rest]: Buffer[]): Buffer {
  const middle = [null, 'Fail'].map((part) => Buffer.from(encode(part)));
  return binaryMessage(Buffer.concat([Buffer.from([0x96, 1]), headers!, ...middle, ...rest]));
}

/** Has another client's calls answered one after the other, while the hub reads a message between two notes. */
async function othersAreServed(served: ServedHub, other: RawClient): Promise<void> {
  while (served.notes.length === 0) await setImmediate();
  for (let i = 0; i < 5; i++) {
    other.send(call('Echo', ['x'], String(i)));
    assert.equal(await other.next(), `{"type":3,"invocationId":"${i}","result":"x"}`);
    assert.deepEqual(served.notes, ['"first"']);
  }
  while (served.notes.length < 2) await setImmediate();
  assert.deepEqual(served.notes, ['"first"', '"last"']);
}

/** What can be done in one slice does not depend on the machine. */
function serve(): Promise<ServedHub> {
  return serveHub({}, '*', shortSlices());
}

const another = '/hub?access_token=other';

describe('one message with very many values', () => {
  for (const [what, text] of texts) {
    it(`holds up nobody else: ${what}, in JSON`, async () => {
      const served = await serve();
      const [client, other] = [await connectRaw(served.url), await connectRaw(served.url, another)];
      client.send(`${call('Note', ['first'])}${text}${separator}${call('Note', ['last'])}`);
      await othersAreServed(served, other);
    });
  }

  for (const [what, parts] of packed) {
    it(`holds up nobody else: ${what}, in MessagePack`, async () => {
      const served = await serve();
      const [client, other] = [await openRaw(served.url), await connectRaw(served.url, another)];
      client.send(`{"protocol":"messagepack","version":1}${separator}`);
      await client.next();
      const note = (text: string) => binaryMessage(encode([1, {}, null, 'Note', [text]]));
      client.send(Buffer.concat([note('first'), packedCall(parts()), note('last')]), true);
      await othersAreServed(served, other);
    });
  }

  it('counts against the budget while it is read, with what waits behind it', async () => {
    const served = await serve();
    const client = await connectRaw(served.url);
    const text = texts[0]![1];
    const last = call('Note', ['last']);
    client.send(`${call('Note', ['first'])}${text}${separator}${last}`);
    while (served.notes.length === 0) await setImmediate();
    await setImmediate();
    assert.deepEqual(served.notes, ['"first"']);
    assert.equal(served.budget.used, text.length + last.length);
    while (served.notes.length < 2) await setImmediate();
    assert.equal(served.budget.used, 0);
  });

  it('is dropped when the connection ends', async () => {
    const served = await serve();
    const client = await connectRaw(served.url);
    client.send(`${call('Note', ['first'])}${texts[0]![1]}${separator}`);
    while (served.notes.length === 0) await setImmediate();
    served.tokens.delete('good');
    served.pass(21_000);
    assert.equal(await client.closed, 1000);
    while (served.hub.connectionCount > 0) await setImmediate();
    assert.equal(served.budget.used, 0);
  });

  it('ends the connection where it breaks off', async () => {
    const served = await serve();
    const client = await connectRaw(served.url);
    client.send(`{"type":1,"target":"Fail","arguments":[[${filled('[],')}${separator}`);
    assert.match((await client.next())!, /bad_json/);
    assert.equal(await client.closed, 1000);
    while (served.hub.connectionCount > 0) await setImmediate();
    assert.equal(served.budget.used, 0);
  });
});

describe('an answer that is a very long list', () => {
  const count = 200_000;

  it('is made in slices: others are answered meanwhile, its reader gets the next answers and events after it', async () => {
    const served = await serveHub({}, '*', undefined, shortSlices());
    const [client, other] = [await connectRaw(served.url), await connectRaw(served.url)];
    client.send(call('Listen', [], '0'));
    await client.next();
    client.send(call('Numbers', [count], '1') + call('Echo', ['next'], '2'));
    while (served.numbersMade === 0) await setImmediate();
    served.listeners[0]!.deliver(liveEvent('PackageReceived', () => ['event']));
    for (let i = 0; i < 5; i++) {
      other.send(call('Echo', ['x'], String(i)));
      assert.equal(await other.next(), `{"type":3,"invocationId":"${i}","result":"x"}`);
    }
    assert.ok(served.numbersMade < count, 'the answer is made already');
    const { invocationId, result } = JSON.parse((await client.next())!);
    assert.equal(invocationId, '1');
    assert.deepEqual(
      result,
      Array.from({ length: count }, (_, i) => i),
    );
    assert.deepEqual(JSON.parse((await client.next())!).arguments, ['event']);
    assert.equal(await client.next(), '{"type":3,"invocationId":"2","result":"next"}');
    while (served.hub.queueBytes > 0) await setImmediate();
  });

  it('is made before the calls behind it begin, and no more when its reader has left', async () => {
    const served = await serveHub({}, '*', undefined, shortSlices());
    const client = await connectRaw(served.url);
    client.send(Array.from({ length: 50 }, (_, i) => call('Numbers', [count], String(i))).join(''));
    assert.equal(JSON.parse((await client.next())!).invocationId, '0');
    client.socket.terminate();
    while (served.hub.connectionCount > 0) await setImmediate();
    const made = served.numbersMade;
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    assert.ok(served.numbersMade - made < 10_000, `${served.numbersMade} of 50 lists`);
    assert.equal(served.hub.queueBytes, 0);
  });
});
