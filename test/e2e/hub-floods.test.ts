import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { decode, encode } from '@msgpack/msgpack';
import { WebSocket } from 'ws';
import { binaryMessage } from '../../src/hub/message-formats.ts';
import { mostMemory } from './memory.ts';
import { adminToken, startService } from './service.ts';

const separator = '\u001e';
/** A little less than one message may have. */
const size = 32 * 2 ** 20 - 1000;
const call = '{"type":1,"invocationId":"1","target":"SendParameterData"';

/** What stands around very many of the same bytes, and the bytes. */
function filled(head: string, unit: string, tail: string): Buffer {
  const count = Math.floor((size - head.length - tail.length) / unit.length);
  return Buffer.from(`${head}${unit.repeat(count)}${tail}${separator}`);
}

/** An invocation that is open at its end: behind it goes so large an array of nil, and more. */
function packed(head: readonly unknown[], items: number, tail: Buffer = Buffer.alloc(0)): Buffer {
  const begin = Buffer.from(encode([...head])).subarray(1);
  const count = Buffer.alloc(5, 0xdd);
  count.writeUInt32BE(size, 1);
  return binaryMessage(
    Buffer.concat([Buffer.from([0x90 + items]), begin, count, Buffer.alloc(size, 0xc0), tail]),
  );
}

describe('a message of the hub that would become large', async () => {
  const service = await startService();

  const open = async (protocol: 'json' | 'messagepack'): Promise<WebSocket> => {
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/hub?access_token=${adminToken}`);
    await once(socket, 'open');
    socket.send(JSON.stringify({ protocol, version: 1 }) + separator);
    await once(socket, 'message');
    return socket;
  };
  const inJson = async (message: Buffer): Promise<{ type: number; error: string }> => {
    const socket = await open('json');
    socket.send(message);
    const [data] = await once(socket, 'message');
    socket.close();
    return JSON.parse(String(data).slice(0, -1)) as { type: number; error: string };
  };
  const inMessagePack = async (message: Buffer): Promise<unknown[]> => {
    const socket = await open('messagepack');
    socket.send(message);
    const [data] = (await once(socket, 'message')) as [Buffer];
    socket.close();
    // The length of an answer of more than 127 bytes has two.
    return decode(data.subarray(data[0]! < 0x80 ? 1 : 2)) as unknown[];
  };

  it('is refused with the place, in bounded memory', async () => {
    const tooMany = /provides more than 3 argument\(s\) but target expects 3: arguments\[3\] is one too many/;
    for (const unit of ['1,', '[],', '"",', '{"":[1]},']) {
      const { type, error } = await inJson(filled(`${call},"arguments":[`, unit, '0]}'));
      assert.equal(type, 3);
      assert.match(error, tooMany);
    }
    const [type, , id, kind, error] = await inMessagePack(packed([1, {}, '1', 'SendParameterData'], 5));
    assert.deepEqual([type, id, kind], [3, '1', 1]);
    assert.match(String(error), tooMany);
    assert.equal(
      (await inMessagePack(packed([1, {}, '1', 'Nonsense'], 5)))[4],
      "Unknown hub method 'Nonsense'",
    );

    const streamed = await inJson(filled(`${call},"arguments":[],"streamIds":[`, '"",', '""]}'));
    assert.match(streamed.error, /with a streaming invocation/);
    assert.match(
      String((await inMessagePack(packed([1, {}, '1', 'SendParameterData', []], 6)))[4]),
      /with a streaming invocation/,
    );
    const headed = await inJson(filled(`${call},"headers":{`, '"":[],', '"":0}}'));
    assert.match(headed.error, /provides 0 argument\(s\)/);
    for (const head of [call, '{"type":3', '{"type":7']) {
      const { type, error } = await inJson(filled(head, ',"":[]', '}'));
      assert.equal(type, 7);
      assert.match(error, /more members than the 64/);
    }
    for (const nested of [
      await inMessagePack(packed([1, {}, '1', 'SubscribeToPackages'], 5, Buffer.alloc(0))),
      await inMessagePack(argument('SubscribeToPackages', [])),
      await inMessagePack(argument('CreateStream', ['topic'])),
    ])
      assert.match(String(nested[4]), /arguments\[1\] is one too many|may have 262144 bytes at most/);

    // Before, the first of these alone took 4 GB.
    const most = mostMemory(service);
    if (most !== undefined) assert.ok(most < 800 * 2 ** 20, `the process had ${most} bytes`);
  });
});

/** A call whose last argument is an array of very many nil. */
function argument(target: string, before: readonly unknown[]): Buffer {
  const head = packed([1, {}, '1', target], 5);
  void head;
  const begin = Buffer.from(encode([1, {}, '1', target])).subarray(1);
  const list = Buffer.from(encode([...before, null])).subarray(0, -1);
  const count = Buffer.alloc(5, 0xdd);
  count.writeUInt32BE(size - 1000, 1);
  return binaryMessage(Buffer.concat([Buffer.from([0x95]), begin, list, count, Buffer.alloc(size - 1000, 0xc0)]));
}
