import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { decode, encode } from '@msgpack/msgpack';
import { WebSocket } from 'ws';
import { binaryMessage } from '../../src/hub/protocol/message-formats.ts';
import { until } from '../until.ts';
import { mostMemory } from './most-memory.ts';
import { adminToken, send, startService } from './service.ts';

/** A call whose last argument is an array of so many of one value, as bytes, inside of the others of `around`. */
function call(id: string, target: string, around: readonly Buffer[], value: Buffer, count: number): Buffer {
  const header = Buffer.alloc(5, 0xdd);
  header.writeUInt32BE(count, 1);
  const head = [Buffer.from([0x95]), ...[1, {}, id, target].map((part) => Buffer.from(encode(part)))];
  const args = [Buffer.from([0x93]), Buffer.from(encode('topic')), Buffer.from(encode('stream'))];
  return binaryMessage(
    Buffer.concat([...head, ...args, ...around, header, Buffer.alloc(count * value.length, value)]),
  );
}

const nil = Buffer.from([0xc0]);
const double = Buffer.from([0xcb, 0x3f, 0xd5, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55]);
/** { numericValues: { a: … } } */
const inColumn = ['numericValues', 'a'].flatMap((name) => [Buffer.from([0x81]), Buffer.from(encode(name))]);
const most = 32 * 2 ** 20 - 1000;
/** What the first field of a message says; the service pings too. */
const completion = 3;

describe('a large argument in MessagePack', async () => {
  const service = await startService();
  const { url } = service;

  const ask = async (messages: readonly Buffer[]): Promise<unknown[][]> => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/hub?access_token=${adminToken}`);
    const answers: unknown[][] = [];
    await once(socket, 'open');
    socket.send('{"protocol":"messagepack","version":1}\u001e');
    await once(socket, 'message');
    socket.on('message', (data: Buffer) => {
      for (let at = 0; at < data.length; ) {
        let length = 0;
        let shift = 0;
        for (; data[at]! >= 0x80; at++, shift += 7) length |= (data[at]! & 0x7f) << shift;
        length |= data[at]! << shift;
        at++;
        const message = decode(data.subarray(at, at + length)) as unknown[];
        if (message[0] === completion) answers.push(message);
        at += length;
      }
    });
    for (const message of messages) socket.send(message);
    await until(() => answers.length === messages.length);
    socket.close();
    return answers;
  };

  it('leaves turns to others while it becomes JSON, and keeps its place', async () => {
    for (const [value, count] of [
      [nil, most],
      [double, Math.floor(most / 9)],
    ] as const) {
      let isAnswered = false;
      let turns = 0;
      const asking = ask([
        call('1', 'SendParameterData', inColumn, value, count),
        call('2', 'SendParameterData', inColumn, value, 3),
      ]).finally(() => {
        isAnswered = true;
      });
      await until(async () => (await inFlight()) > count * value.length - 100_000);
      while (!isAnswered) {
        await send(url, '/healthz');
        if (!isAnswered) turns++;
      }
      const answers = await asking;
      assert.deepEqual(
        answers.map(([, , id]) => id),
        ['1', '2'],
      );
      // Before, it took one turn.
      assert.ok(turns > 10, `${turns} turns`);
    }
    await until(async () => (await inFlight()) === 0);
  });

  it('is written before what comes after it on its connection', async () => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/hub?access_token=${adminToken}`);
    const answers: string[] = [];
    await once(socket, 'open');
    socket.send('{"protocol":"json","version":1}\u001e');
    await once(socket, 'message');
    socket.on('message', (data: Buffer) => answers.push(...data.toString().split('\u001e').filter(Boolean)));
    const sendRows = (id: number, count: number, value: number) =>
      JSON.stringify({
        type: 1,
        invocationId: String(id),
        target: 'SendParameterData',
        arguments: [
          'topic',
          'in-order',
          {
            timestamps: Array.from({ length: count }, (_, i) => i),
            numericValues: { a: Array.from({ length: count }, () => value) },
          },
        ],
      });
    // Of one row that is written twice, the later value counts.
    socket.send(`${sendRows(1, 300_000, 1)}\u001e${sendRows(2, 1, 2)}\u001e`);
    await until(() => answers.filter((text) => text.includes('"type":3')).length === 2);
    socket.close();
    assert.deepEqual(
      answers.filter((text) => text.includes('"type":3')),
      ['{"type":3,"invocationId":"1"}', '{"type":3,"invocationId":"2"}'],
    );
    const { text } = await send(url, '/parameters/data', {
      method: 'POST',
      body: '{"streamIds":["in-order"],"numericParameters":[{"parameterName":"a"}],"to":1}',
    });
    assert.match(text, /"a":\[2,1\]/);
  });

  it('is refused where its JSON is too long, and its memory counts', async () => {
    const [answer] = await ask([call('1', 'SendParameterData', inColumn, nil, most)]);
    assert.match(String(answer![4]), /an argument, as JSON, may have 67108864 bytes at most/);
    await until(async () => (await inFlight()) === 0);
    const used = mostMemory(service);
    if (used !== undefined) assert.ok(used < 800 * 2 ** 20, `the process had ${used} bytes`);
  });

  it('becomes no JSON where the call fails without it', async () => {
    const [unknown] = await ask([call('1', 'Nonsense', inColumn, nil, most)]);
    assert.equal(unknown![4], "Unknown hub method 'Nonsense'");
  });

  const inFlight = async (): Promise<number> => {
    const { text } = await send(url, '/metrics');
    return Number(/^pitwall_in_flight_bytes (\d+)$/m.exec(text)![1]);
  };
});
