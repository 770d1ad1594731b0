import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { decode, encode } from '@msgpack/msgpack';
import { WebSocket } from 'ws';
import { binaryMessage } from '../../src/hub/protocol/message-formats.ts';
import { mostMemory } from './most-memory.ts';
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

/** An array whose last element is an array of very many nil; `list` stands before those, in an array of its own where given. */
function packed(before: readonly unknown[], list?: readonly unknown[]): Buffer {
  const open = (elements: readonly unknown[]) => [
    Buffer.from([0x91 + elements.length]),
    ...elements.map((element) => Buffer.from(encode(element))),
  ];
  const count = Buffer.alloc(5, 0xdd);
  count.writeUInt32BE(size, 1);
  const heads = [...open(before), ...(list === undefined ? [] : open(list))];
  return binaryMessage(Buffer.concat([...heads, count, Buffer.alloc(size, 0xc0)]));
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
    const [type, , id, kind, error] = await inMessagePack(packed([1, {}, '1', 'SendParameterData']));
    assert.deepEqual([type, id, kind], [3, '1', 1]);
    assert.match(String(error), tooMany);
    const unknown = await inMessagePack(packed([1, {}, '1', 'Nonsense']));
    assert.equal(unknown[4], "Unknown hub method 'Nonsense'");

    const streamed = await inJson(filled(`${call},"arguments":[],"streamIds":[`, '"",', '""]}'));
    assert.match(streamed.error, /with a streaming invocation/);
    const alsoStreamed = await inMessagePack(packed([1, {}, '1', 'SendParameterData', []]));
    assert.match(String(alsoStreamed[4]), /with a streaming invocation/);
    const headed = await inJson(filled(`${call},"headers":{`, '"":[],', '"":0}}'));
    assert.match(headed.error, /provides 0 argument\(s\)/);
    for (const head of [call, '{"type":3', '{"type":7']) {
      const { type, error } = await inJson(filled(head, ',"":[]', '}'));
      assert.equal(type, 7);
      assert.match(error, /more members than the 64/);
    }
    for (const [target, args] of [
      ['SubscribeToPackages', []],
      ['CreateStream', ['topic']],
      ['UpdateStream', ['topic']],
    ] as const) {
      const [, , , , reason] = await inMessagePack(packed([1, {}, '1', target], args));
      assert.match(String(reason), /may have 262144 bytes at most/);
    }

    // Before, the first of these alone took 4 GB.
    const most = mostMemory(service);
    if (most !== undefined) assert.ok(most < 800 * 2 ** 20, `the process had ${most} bytes`);
  });
});
