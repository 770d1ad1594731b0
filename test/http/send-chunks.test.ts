import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { fastify } from 'fastify';
import { PitwallError } from '../../src/errors.ts';
import { sendProblem } from '../../src/http/problem-reply.ts';
import { sendChunks } from '../../src/http/send-chunks.ts';
import { createLog } from '../../src/log.ts';
import { send } from '../e2e/service.ts';

const log = createLog('silent');
const chunk = Buffer.alloc(64 * 1024, 'x');
let made = 0;
let ended = 0;

/** `failAt` chunks, then an error; as many as the reader takes without it. */
async function* chunks(failAt = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array> {
  try {
    for (let i = 0; i < failAt; i++) {
      made++;
      yield chunk;
    }
    throw new PitwallError('data_damaged');
  } finally {
    ended++;
  }
}

async function* few(): AsyncGenerator<Uint8Array> {
  yield chunk;
  await setImmediate();
  yield chunk;
}

const leaving = new EventEmitter();

function queryEnded(): AbortSignal {
  return AbortSignal.abort(new PitwallError('query_ended'));
}

const app = fastify();
app.setErrorHandler((error, _request, reply) => sendProblem(reply, error, log));
app.get('/few', async (_request, reply) => sendChunks(few(), reply, log));
app.get('/endless', async (_request, reply) => sendChunks(chunks(), reply, log));
app.get('/early', async (_request, reply) => sendChunks(chunks(1), reply, log));
app.get('/late', async (_request, reply) => sendChunks(chunks(20), reply, log));
app.get('/left', async (_request, reply) => {
  leaving.emit('asked');
  await once(reply.raw, 'close');
  return sendChunks(chunks(), reply, log);
});
app.get('/ended', async (_request, reply) => sendChunks(chunks(), reply, log, queryEnded()));
app.get('/other', () => 'here');
await app.listen({ host: '127.0.0.1', port: 0 });
const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
after(() => {
  app.server.closeAllConnections();
  return app.close();
});

async function opened(path: string): Promise<IncomingMessage> {
  const [answer] = (await once(get(url + path), 'response')) as [IncomingMessage];
  return answer;
}

/** Turns of the event loop until nothing more is made: the buffers between here and there are full. */
async function untilFull(): Promise<void> {
  for (let before = -1, calm = 0; calm < 50; before = made) {
    await setImmediate();
    calm = made === before ? calm + 1 : 0;
  }
}

describe('chunks that are made while they are sent', () => {
  it('go out whole with their length, where they are few', async () => {
    const reply = await send(url, '/few');
    assert.deepEqual(
      [reply.headers['content-length'], reply.bytes.length],
      [String(2 * chunk.length), 2 * chunk.length],
    );
  });

  it('that fail before the answer has begun are a problem', async () => {
    const reply = await send(url, '/early');
    assert.deepEqual([reply.status, reply.json<{ code: string }>().code], [500, 'data_damaged']);
  });

  it('that fail later cut the connection', async () => {
    await assert.rejects(send(url, '/late'), /aborted|socket hang up|ECONNRESET/);
  });

  it('wait for the client, and end when it leaves', async () => {
    ended = 0;
    made = 0;
    const answer = await opened('/endless');
    await untilFull();
    const full = made;
    assert.ok(full < 1000, `${full} chunks wait for a client that reads none`);
    assert.equal(ended, 0);
    answer.destroy();
    while (ended === 0) await setImmediate();
    assert.ok(made < full + 10);
  });

  it('let others have their turn meanwhile', async () => {
    ended = 0;
    const answer = await opened('/endless');
    answer.resume();
    for (let i = 0; i < 20; i++) assert.equal((await send(url, '/other')).text, 'here');
    answer.destroy();
    while (ended === 0) await setImmediate();
  });

  it('end where the client has left before they began', async () => {
    ended = 0;
    const asked = once(leaving, 'asked');
    const request = get(`${url}/left`).on('error', () => undefined);
    await asked;
    request.destroy();
    while (ended === 0) await setImmediate();
  });

  it('are not sent where they were ended before that', async () => {
    ended = 0;
    const reply = await send(url, '/ended');
    assert.deepEqual([reply.status, reply.json<{ code: string }>().code], [400, 'query_ended']);
    assert.equal(ended, 1);
  });
});
