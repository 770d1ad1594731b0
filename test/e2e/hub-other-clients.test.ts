import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { decode, encode } from '@msgpack/msgpack';
import { openRaw, separator } from '../hub/serve-hub.ts';
import { adminToken, send, startService } from './service.ts';

/**
 * Frames as clients that are not Microsoft's send them by default, made from what their sources do: signalrcore and
 * pysignalr (Python), philippseith/signalr (Go), and Microsoft's Java client. The packages themselves are not used.
 */
const service = await startService();
const { url } = service;
const bearer = { authorization: `Bearer ${adminToken}` };
const headers = { Authorization: `Bearer ${adminToken}` };

async function negotiate(query: string, extra: Readonly<Record<string, string>> = {}) {
  const reply = await send(url, `/hub/negotiate${query}`, { method: 'POST', headers: extra });
  assert.equal(reply.status, 200);
  assert.equal(reply.headers['content-type'], 'application/json');
  return reply.json<{ negotiateVersion: number; connectionId: string; connectionToken?: string }>();
}

async function timestampsOf(topic: string): Promise<string> {
  const body = JSON.stringify({ topic, numericParameters: [{ parameterName: 'Speed' }] });
  const { text } = await send(url, '/parameters/data', { body });
  return /"timestamps":\[([^\]]*)\]/.exec(text)![1]!;
}

describe('frames of other clients', () => {
  it('of signalrcore: version 0, handshake version 0, its HTTP headers in every message, and a dropped connection', async () => {
    const { negotiateVersion, connectionId, connectionToken } = await negotiate('', {
      'content-type': 'application/json',
    });
    assert.deepEqual([negotiateVersion, connectionToken], [0, undefined]);
    const client = await openRaw(url, `/hub?id=${connectionId}`, { ...bearer, host: '127.0.0.1' });
    client.send(`{"protocol": "json", "version": 0}${separator}`);
    assert.equal(await client.next(), '{}');
    client.send(
      JSON.stringify({
        type: 1,
        headers,
        target: 'SendParameterData',
        arguments: ['signalrcore', 's', { timestamps: [1.7e18], numericValues: { Speed: [1] } }],
        invocationId: '5b3c0e5e-8d2b-4c7e-9a0f-000000000000',
      }).replace('1700000000000000000', '1.7e+18') + separator,
    );
    assert.equal(await client.next(), '{"type":3,"invocationId":"5b3c0e5e-8d2b-4c7e-9a0f-000000000000"}');
    client.send(`{"type": 6}${separator}`);
    client.socket.terminate();
    assert.equal(await timestampsOf('signalrcore'), '1700000000000000000');
  });

  it('of signalrcore without negotiation: an id of its own in a parameter that means nothing', async () => {
    const client = await openRaw(url, '/hub?connectionId=q83vEjRWeJA==', bearer);
    client.send(`{"protocol":"json","version":0}${separator}`);
    assert.equal(await client.next(), '{}');
    client.socket.close();
  });

  it('of pysignalr: version 0, pings of the socket, a reconnect by the old id that must be refused at once', async () => {
    const { connectionId } = await negotiate('');
    const client = await openRaw(url, `/hub?id=${connectionId}`, bearer);
    client.send(`{"protocol":"json","version":1}${separator}`);
    assert.equal(await client.next(), '{}');
    client.socket.ping();
    await once(client.socket, 'pong');
    client.send(
      `{"type":1,"headers":{},"invocationId":"a","target":"CreateStream","arguments":["pysignalr",{"streamId":"s"}],"streamIds":null}${separator}`,
    );
    assert.equal(await client.next(), '{"type":3,"invocationId":"a","result":{"streamId":"s"}}');
    client.socket.close();
    await client.closed;
    await assert.rejects(openRaw(url, `/hub?id=${connectionId}`, bearer), { message: '404' });
  });

  it('of the Go client: version 0, events and POSTs that are read in pieces', async () => {
    const { connectionId } = await negotiate('?x=y');
    const path = `/hub?id=${connectionId}`;
    const controller = new AbortController();
    const stream = await fetch(url + path, {
      headers: { ...bearer, accept: 'text/event-stream' },
      signal: controller.signal,
    });
    assert.equal(stream.headers.get('content-type'), 'text/event-stream');
    const post = (body: string) =>
      send(url, path, { method: 'POST', body, headers: { 'content-type': undefined } });
    assert.equal((await post(`{"protocol":"json","version":1}${separator}`)).status, 200);
    assert.equal((await post('{"type":1,"invocationId":"1","target":"createstream",')).status, 200);
    assert.equal((await post(`"arguments":["go",{"streamId":"s"}]}${separator}`)).status, 200);
    let text = '';
    for await (const chunk of stream.body!) {
      text += Buffer.from(chunk);
      if (text.includes('"type":3')) break;
    }
    controller.abort();
    assert.equal(
      text,
      `:\r\ndata: {}${separator}\r\n\r\ndata: {"type":3,"invocationId":"1","result":{"streamId":"s"}}${separator}\r\n\r\n`,
    );
  });

  it('of the Java client: MessagePack with uint64 and int64, and property names in Pascal case as .NET writes them', async () => {
    const { connectionToken } = await negotiate('?negotiateVersion=1');
    const client = await openRaw(url, `/hub?id=${connectionToken}`, bearer);
    client.send(`{"protocol":"messagepack","version":1}${separator}`, true);
    assert.equal(await client.next(), '{}');
    client.socket.removeAllListeners('message');
    const invoke = async (id: string, ...args: unknown[]) => {
      const body = encode([1, {}, id, 'SendParameterData', args, []], { useBigInt64: true });
      client.send(Buffer.concat([Buffer.from([(body.length & 0x7f) | 0x80, body.length >> 7]), body]), true);
      const [data] = (await once(client.socket, 'message')) as [Buffer];
      return decode(Uint8Array.from(data.subarray(data.findIndex((byte) => byte < 0x80) + 1)));
    };
    assert.deepEqual(
      await invoke('1', 'java', 's', {
        Timestamps: [1591733989000000001n, -5n],
        NumericValues: { Speed: [1.5, 2] },
        StringValues: { Gear: ['N', null] },
        BinaryValues: { Frame: [new Uint8Array([1, 2, 3]), null] },
        TagValues: {},
      }),
      [3, {}, '1', 2],
    );
    const failed = (await invoke('2', 'java', 's', {
      Timestamps: [1],
      NumericValues: { Speed: ['fast'] },
      x: 1,
    })) as unknown[];
    assert.deepEqual(failed.slice(0, 4), [3, {}, '2', 1]);
    assert.match(String(failed[4]), /numericValues\.Speed\[0\] must be a number/);
    assert.equal(await timestampsOf('java'), '-5,1591733989000000001');
    client.socket.close();
  });
});
