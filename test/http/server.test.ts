import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { Type } from 'typebox';
import { createAdmit } from '../../src/auth/admit.ts';
import { PitwallError } from '../../src/errors.ts';
import { json, type Route } from '../../src/http/route.ts';
import { buildServer, type ServerOptions } from '../../src/http/server.ts';
import { createByteBudget } from '../../src/ingest/byte-budget.ts';
import { createLeastRate } from '../../src/ingest/least-rate.ts';
import { createLog } from '../../src/log.ts';
import { createMetrics } from '../../src/metrics.ts';
import { queryLimits } from '../../src/wire/json/json-memory.ts';
import { decodeStreamFilter } from '../../src/wire/requests/stream-filter.ts';
import { send } from '../e2e/service.ts';
import { until } from '../until.ts';
import { openRawClient } from './raw-client.ts';

const plain = {
  method: 'GET',
  interface: 'query',
  scope: undefined,
  summary: '',
} as const satisfies Partial<Route>;

const budget = createByteBudget(1_000_000);
const metrics = createMetrics();
let ids = 0;
let stopping = false;
let leave: (reason: unknown) => void = () => {};
const left = new Promise((resolve) => {
  leave = resolve;
});
let entered: () => void = () => {};
const inside = new Promise<void>((resolve) => {
  entered = resolve;
});

let begun: () => void = () => {};
const waiting = new Promise<void>((resolve) => {
  begun = resolve;
});
let ended: () => void = () => {};
const over = new Promise<void>((resolve) => {
  ended = resolve;
});

const routes: Route[] = [
  { ...plain, path: '/bug', handle: () => Promise.reject(new TypeError('a secret detail')) },
  { ...plain, path: '/principal', handle: ({ principal }) => json(principal) },
  { ...plain, path: '/full', handle: () => Promise.reject(new PitwallError('disk_full', { retryAfter: 7 })) },
  { ...plain, path: '/text/:size', handle: ({ params }) => json('x'.repeat(Number(params['size']))) },
  // Its first two bytes would do as the head of zlib.
  {
    ...plain,
    path: '/looks-deflated',
    handle: () => ({ type: 'text/csv', body: `H,V\n${'1,2\n'.repeat(1000)}` }),
  },
  {
    ...plain,
    path: '/chunks/:count',
    handle: ({ params }) => ({ type: 'application/json', chunks: chunksOf(Number(params['count'])) }),
  },
  {
    ...plain,
    method: 'POST',
    path: '/endless',
    body: { schema: Type.Unknown(), optional: false },
    handle: ({ signal }) => ({ type: 'text/csv', chunks: untilLeft(signal()) }),
  },
  { ...plain, path: '/broken', handle: () => ({ chunks: broken() }) },
  { ...plain, path: '/broken-early', handle: () => ({ chunks: brokenEarly() }) },
  {
    ...plain,
    method: 'POST',
    path: '/body',
    body: { schema: Type.Unknown(), optional: false },
    handle: ({ body }) => ({ body: Buffer.from(body).toString() }),
  },
  {
    ...plain,
    method: 'POST',
    path: '/filter',
    body: { schema: Type.Unknown(), optional: false, limits: queryLimits },
    handle: ({ body }) => {
      let taken = 0;
      const share = { take: (bytes: number) => (taken += bytes) };
      return json([decodeStreamFilter(body, share).streamIds?.length, taken > 0]);
    },
  },
  {
    ...plain,
    path: '/wait',
    handle: async ({ signal, reservation }) => {
      reservation.take(1000);
      const asked = signal();
      entered();
      await once(asked, 'abort');
      leave(asked.reason);
      throw asked.reason;
    },
  },
];

function* chunksOf(count: number): Generator<Uint8Array> {
  for (let i = 0; i < count; i++) yield Buffer.alloc(2000, 'c');
}

function* brokenEarly(): Generator<Uint8Array> {
  yield Buffer.from('[1');
  throw new Error('the disk is gone');
}

/** Breaks off after what is sent whole. */
function* broken(): Generator<Uint8Array> {
  for (let i = 0; i < 8; i++) yield Buffer.alloc(64 * 1024, 'x');
  throw new Error('the disk is gone');
}

/** More than is sent whole, and less than it takes for the first compressed byte. */
async function* untilLeft(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for (let i = 0; i < 5; i++) yield Buffer.alloc(64 * 1024, 'x');
    begun();
    await once(signal, 'abort');
    throw signal.reason;
  } finally {
    ended();
  }
}

async function serve(
  extra: Partial<ServerOptions> = {},
  watch: (server: Server) => void = () => {},
): Promise<string> {
  const app = await buildServer({
    routes,
    hub: undefined,
    admit: createAdmit({
      authenticate: () => assert.fail('no route here asks for a token'),
      workspaceOfHost: () => undefined,
      budget,
      metrics,
    }),
    maxBodyBytes: 1000,
    headTimeoutMs: 20_000,
    leastRate: createLeastRate({ bytesPerSecond: 1, graceMs: 60_000, onSlow: () => {} }),
    corsOrigin: '*',
    tls: undefined,
    log: createLog('silent'),
    metrics,
    newRequestId: () => `request-${ids++}`,
    isStopping: () => stopping,
    ...extra,
  });
  watch(app.server);
  await app.listen({ host: '127.0.0.1', port: 0 });
  after(() => {
    app.server.closeAllConnections();
    return app.close();
  });
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}

const url = await serve();

describe('an answer', () => {
  it('tells nothing about a bug but the id that finds it in the log', async () => {
    for (const path of ['/bug', '/principal']) {
      const reply = await send(url, path);
      const problem = reply.json<Record<string, unknown>>();
      assert.deepEqual([reply.status, problem['code']], [500, 'internal']);
      assert.equal(problem['detail'], 'the log says more, at the requestId');
      assert.match(String(problem['requestId']), /^request-\d+$/);
    }
  });

  it('says when to come back', async () => {
    const reply = await send(url, '/full');
    assert.deepEqual([reply.status, reply.headers['retry-after']], [503, '7']);
  });

  it('is compressed as the client asks, but not when it is short', async () => {
    const encodings = { gzip: gunzipSync, br: brotliDecompressSync };
    for (const [encoding, decompress] of Object.entries(encodings)) {
      for (const path of ['/text/5000', '/chunks/1', '/chunks/100', '/looks-deflated']) {
        const reply = await send(url, path, { headers: { 'accept-encoding': encoding } });
        assert.equal(reply.headers['content-encoding'], encoding, path);
        const whole = await send(url, path);
        assert.equal(whole.headers['content-encoding'], undefined);
        assert.deepEqual(decompress(reply.bytes), whole.bytes);
      }
      const short = await send(url, '/text/100', { headers: { 'accept-encoding': encoding } });
      assert.equal(short.headers['content-encoding'], undefined);
    }
    // A coding that is not ours, and none at all.
    for (const encoding of ['deflate', 'identity', 'gzip;q=0']) {
      const reply = await send(url, '/text/5000', { headers: { 'accept-encoding': encoding } });
      assert.equal(reply.headers['content-encoding'], undefined, encoding);
      assert.equal(reply.headers['vary'], undefined, encoding);
      assert.equal(reply.bytes.length, 5002);
    }
  });

  it('of chunks arrives whole: none, one, many', async () => {
    for (const count of [0, 1, 2, 3, 500]) {
      assert.equal((await send(url, `/chunks/${count}`)).bytes.length, count * 2000);
    }
  });

  it('that breaks off is cut, so that no one takes it for whole', async () => {
    await assert.rejects(send(url, '/broken'), /aborted|socket hang up|ECONNRESET/);
  });

  it('that breaks off before anything was sent is a 500', async () => {
    const reply = await send(url, '/broken-early');
    assert.equal(reply.status, 500);
    assert.equal(JSON.parse(reply.bytes.toString()).code, 'internal');
  });

  it('may be read by any origin, or by those that are configured', async () => {
    const headers = { origin: 'https://a.example' };
    const open = await send(url, '/text/1', { headers });
    assert.equal(open.headers['access-control-allow-origin'], '*');
    const refusal = await send(url, '/nowhere', { headers });
    assert.equal(refusal.headers['access-control-allow-origin'], '*');
    const preflight = await send(url, '/text/1', {
      method: 'OPTIONS',
      headers: {
        ...headers,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers['access-control-allow-headers'], 'authorization');
    assert.equal(preflight.headers['access-control-allow-methods'], 'HEAD, GET');

    const narrow = await serve({ corsOrigin: 'https://a.example, https://b.example' });
    const allowed = await send(narrow, '/text/1', { headers });
    assert.equal(allowed.headers['access-control-allow-origin'], 'https://a.example');
    const denied = await send(narrow, '/text/1', { headers: { origin: 'https://c.example' } });
    assert.equal(denied.headers['access-control-allow-origin'], undefined);
  });
});

describe('OPTIONS', () => {
  it('tells what an address takes', async () => {
    const told = async (path: string) => {
      const { status, text, headers } = await send(url, path, { method: 'OPTIONS' });
      assert.deepEqual([status, text], [204, ''], path);
      return [headers['allow'], headers['access-control-allow-methods']];
    };
    assert.deepEqual(await told('/text/1'), ['HEAD, GET, OPTIONS', 'HEAD, GET']);
    assert.deepEqual(await told('/te%78t/1?a=1'), ['HEAD, GET, OPTIONS', 'HEAD, GET']);
    assert.deepEqual(await told('/body'), ['POST, OPTIONS', 'POST']);
    // A page of another origin may find out that there is nothing.
    assert.deepEqual(await told('/nowhere'), [undefined, 'GET, HEAD, POST, PUT, DELETE']);
    const { status, headers } = await send(url, '/body', { method: 'PUT', body: '{}' });
    assert.deepEqual([status, headers['allow']], [405, 'POST']);
  });

  it('is all that `*` takes', async () => {
    const ask = async (line: string) => {
      const client = await openRawClient(url);
      client.socket.end(`${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      return client.rest();
    };
    const answer = await ask('OPTIONS *');
    assert.match(answer, /^HTTP\/1\.1 204 /);
    assert.match(answer, /\r\nallow: GET, HEAD, POST, PUT, DELETE, OPTIONS\r\n/);
    for (const line of ['GET *', 'HEAD *', 'POST *', 'GET *text/1', 'OPTIONS *text/1', 'GET **']) {
      const refusal = await ask(line);
      assert.match(refusal, /^HTTP\/1\.1 400 /, line);
      assert.match(refusal, /\r\ncontent-type: application\/problem\+json\r\n/i, line);
      if (!line.startsWith('HEAD')) assert.match(refusal, /"code":"bad_request"/, line);
    }
  });
});

describe('a request', () => {
  it('gives its bytes back when the client leaves inside a body, compressed or not', async () => {
    for (const encoding of ['identity', 'gzip']) {
      const outgoing = request(`${url}/body`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-encoding': encoding,
          'content-length': '900',
          expect: '100-continue',
        },
      });
      outgoing.on('error', () => {});
      outgoing.flushHeaders();
      await once(outgoing, 'continue');
      outgoing.write(gzipSync('{}').subarray(0, 10));
      if (encoding === 'identity') await until(() => budget.used === 10);
      outgoing.destroy();
      while (budget.used > 0) await setImmediate();
    }
    assert.equal((await send(url, '/body', { body: '{"a":1}' })).text, '{"a":1}');
  });

  it('holds no bytes of a body that is decompressed after its client has left', async () => {
    const own = await serve({}, (server) => {
      server.once('request', (incoming: IncomingMessage) => {
        incoming.once('end', () => incoming.socket.destroy());
      });
    });
    const options = {
      body: gzipSync(JSON.stringify('x'.repeat(900))),
      headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' },
    };
    await assert.rejects(send(own, '/body', options));
    // The one that left was to be decompressed before this one.
    assert.equal((await send(own, '/body', options)).status, 200);
    while (budget.used > 0) await setImmediate();
  });

  it('has a large filter read in slices before its route asks for it; a small one is read there', async () => {
    const url = await serve({ maxBodyBytes: 100_000 });
    const ids = (count: number) => ({
      method: 'POST',
      body: JSON.stringify({ streamIds: Array(count).fill('a') }),
    });
    assert.equal((await send(url, '/filter', ids(3))).text, '[3,true]');
    assert.equal((await send(url, '/filter', ids(18_000))).text, '[18000,false]');
    const wrong = await send(url, '/filter', {
      method: 'POST',
      body: `{"streamIds":[${'"a",'.repeat(18_000)}7]}`,
    });
    assert.deepEqual([wrong.status, wrong.json<{ code: string }>().code], [400, 'wrong_type']);
  });

  it('is counted by its route and status, never by its address', async () => {
    await send(url, '/text/17');
    const text = await metrics.registry.metrics();
    assert.match(text, /pitwall_http_requests_total\{route="\/text\/:size",status="200"\} \d+/);
    assert.doesNotMatch(text, /text\/17/);
  });

  it('is stopped, and its bytes given back, when the client leaves', async () => {
    const outgoing = request(`${url}/wait`);
    outgoing.on('error', () => {});
    outgoing.end();
    await inside;
    assert.equal(budget.used, 1000);
    outgoing.destroy();
    assert.match(String(await left), /the client left/);
    assert.equal(budget.used, 0);
  });

  it('is neither counted nor logged when the client leaves before its answer has begun', async () => {
    const logged: string[] = [];
    const own = await serve({ log: pino({ level: 'info' }, { write: (line) => logged.push(line) }) });
    const headers = { 'accept-encoding': 'br', 'content-type': 'application/json' };
    const outgoing = request(`${own}/endless`, { method: 'POST', headers });
    outgoing.on('error', () => {});
    outgoing.end('{}');
    await waiting;
    outgoing.destroy();
    await over;
    // What follows the end of a connection is over before another one is answered.
    await send(own, '/text/1');
    assert.doesNotMatch(await metrics.registry.metrics(), /route="\/endless"/);
    assert.deepEqual(logged, []);
  });

  it('is sent away while the service stops', async () => {
    stopping = true;
    const reply = await send(url, '/text/1');
    stopping = false;
    assert.deepEqual([reply.status, reply.headers['connection']], [503, 'close']);
    assert.equal(reply.json<{ code: string }>().code, 'shutting_down');
  });
});
