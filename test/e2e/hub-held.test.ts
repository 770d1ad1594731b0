import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { openRawClient, type RawClient } from '../http/raw-client.ts';
import { until } from '../until.ts';
import { mostMemory } from './most-memory.ts';
import { adminToken, send, startService } from './service.ts';

const separator = '\u001e';
const handshake = `{"protocol":"json","version":1}${separator}`;
const tooSlow = /the body comes too slowly: it must bring 1024 bytes a second, over any 0.5 s/;

/** A frame of a WebSocket as clients send it, with a mask of zeros; of the payload there may be less than its length. */
function frame(opcode: number, length: number, payload: string, isLast = true): Buffer {
  const head = Buffer.alloc(14);
  head[0] = (isLast ? 0x80 : 0) | opcode;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, Buffer.from(payload)]);
}

/** A frame of control is short. */
const ping = Buffer.from([0x89, 0x80, 0, 0, 0, 0]);

describe('messages to the hub that are held back', async () => {
  const service = await startService({ args: ['--min-body-rate=1KiB', '--body-grace=500ms'] });
  const { url } = service;

  const metric = async (name: string): Promise<number> => {
    const { text } = await send(url, '/metrics');
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)![1]);
  };

  /** A WebSocket without a library: its frames are those of the test. */
  const openRaw = async (): Promise<RawClient> => {
    const client = await openRawClient(url);
    client.socket.write(
      `GET /hub?access_token=${adminToken} HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    assert.match(await client.answer(), /^HTTP\/1.1 101 /);
    client.socket.write(frame(1, handshake.length, handshake));
    return client;
  };

  it('end their connection, and leave alone those that are idle', async () => {
    const idle = new WebSocket(`${url.replace('http', 'ws')}/hub?access_token=${adminToken}`);
    await once(idle, 'open');
    idle.send(handshake);
    await once(idle, 'message');

    const inOneFrame = await openRaw();
    inOneFrame.socket.write(frame(1, 30_000_000, ' '.repeat(1_000_000)));
    const inParts = await openRaw();
    inParts.socket.write(frame(1, 1000, ' '.repeat(1000), false));
    const inFrames = await openRaw();
    inFrames.socket.write(frame(1, 1000, ' '.repeat(1000)));
    for (const client of [inOneFrame, inParts, inFrames]) assert.match(await client.rest(), tooSlow);
    assert.equal(await metric('pitwall_slow_bodies_total'), 3);
    await until(async () => (await metric('pitwall_in_flight_bytes')) === 0);

    idle.send(`{"type":1,"invocationId":"1","target":"Nonsense","arguments":[]}${separator}`);
    const [answer] = await once(idle, 'message');
    assert.match(String(answer), /Unknown hub method/);
    idle.close();
  });

  it('are given up in a POST, too', async () => {
    const negotiated = await send(url, '/hub/negotiate?negotiateVersion=1', { method: 'POST', body: '' });
    const { connectionToken } = negotiated.json<{ connectionToken: string }>();
    const path = `/hub?id=${encodeURIComponent(connectionToken)}`;
    await send(url, path);
    await send(url, path, { method: 'POST', body: handshake });
    assert.equal((await send(url, path)).text, `{}${separator}`);

    const whole = await send(url, path, { method: 'POST', body: '{"type":' });
    assert.equal(whole.status, 200);
    assert.match((await send(url, path)).text, tooSlow);

    const second = await send(url, '/hub/negotiate?negotiateVersion=1', { method: 'POST', body: '' });
    const id = encodeURIComponent(second.json<{ connectionToken: string }>().connectionToken);
    const client = await openRawClient(url);
    client.socket.write(
      `POST /hub?id=${id} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${adminToken}\r\nContent-Length: 100000\r\n\r\n${handshake}`,
    );
    const answer = await client.answer();
    assert.match(answer, /^HTTP\/1.1 408 /);
    assert.match(answer, tooSlow);
    await client.rest();
  });

  it('that are pings whose answers nobody reads end the connection, which counts', async () => {
    const before = mostMemory(service);
    const client = await openRaw();
    client.socket.pause();
    const pings = Buffer.concat(Array.from({ length: 10_000 }, () => ping));
    while (!client.socket.destroyed) {
      if (!client.socket.write(pings))
        await Promise.race([once(client.socket, 'drain'), once(client.socket, 'close')]).catch(() => {});
    }
    assert.equal(await metric('pitwall_hub_readers_too_slow_total'), 1);
    const most = mostMemory(service);
    if (before !== undefined) assert.ok(most! - before < 64 * 1024 * 1024, `${most! - before} bytes more`);
  });
});
