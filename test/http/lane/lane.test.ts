import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Type } from 'typebox';
import { createAdmit } from '../../../src/auth/admit.ts';
import { PitwallError } from '../../../src/errors.ts';
import { createHandedOn } from '../../../src/http/lane/handed-on.ts';
import { openLane } from '../../../src/http/lane/lane.ts';
import type { Answer, Call, Route } from '../../../src/http/route.ts';
import { buildServer } from '../../../src/http/server.ts';
import { createByteBudget } from '../../../src/ingest/byte-budget.ts';
import { createLeastRate } from '../../../src/ingest/least-rate.ts';
import { createLog } from '../../../src/log.ts';
import { createMetrics } from '../../../src/metrics.ts';
import { adminToken, send, startService } from '../../e2e/service.ts';
import { openRawClient } from '../raw-client.ts';

function write(stream: string, body: string, token = adminToken): string {
  return (
    `POST /topics/lane/streams/${stream}/parameters/data HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}

function read(body: string, headers = ''): string {
  return (
    `POST /parameters/data HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${adminToken}\r\n${headers}` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}

function row(time: number): string {
  return `{"timestamps":[${time}],"numericValues":{"Speed":[${time}]}}`;
}

const alive = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';

describe('the lane for plain requests', async () => {
  const service = await startService();

  const timesOf = async (stream: string): Promise<unknown> => {
    const body = JSON.stringify({ streamIds: [stream], numericParameters: [{ parameterName: 'Speed' }] });
    const reply = await send(service.url, '/parameters/data', { body });
    return reply.json<{ timestamps: unknown }>().timestamps;
  };

  it('answers one write after another on one connection', async () => {
    const client = await openRawClient(service.url);
    for (let i = 1; i <= 20; i++) {
      client.socket.write(write('one', row(i)));
      assert.match(
        await client.answer(),
        /^HTTP\/1\.1 200 OK\r\nDate: \w{3}, .* GMT\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n$/,
      );
    }
    assert.deepEqual(
      await timesOf('one'),
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
    const { text } = await send(service.url, '/metrics');
    const route = 'route="/topics/:topic/streams/:streamId/parameters/data"';
    assert.ok(text.includes(`pitwall_http_requests_total{${route},status="200"} 20\n`), text);
    assert.ok(text.includes(`pitwall_http_request_seconds_count{${route}} 20\n`), text);
    client.socket.destroy();
  });

  it('leaves what is no plain request to the routes, before and after writes', async () => {
    const client = await openRawClient(service.url);
    client.socket.write(write('mixed', row(1)));
    assert.match(await client.answer(), / 200 /);
    client.socket.write(alive);
    assert.match(await client.answer(), /"status":"alive"|200 OK/);
    client.socket.write(write('mixed', row(2)));
    assert.match(await client.answer(), / 200 /);
    assert.deepEqual(await timesOf('mixed'), [1, 2]);
    client.socket.destroy();
  });

  it('has bad writes told in full by the route', async () => {
    for (const [request, status, text] of [
      [write('bad', '{"timestamps":[1],"numericValues":{"Speed":[1,2]}}'), 400, 'numericValues.Speed'],
      [write('bad', row(1), 'wrong'), 401, 'unauthorized'],
      [write('bad', '{"timestamps":[1'), 400, 'bad_json'],
    ] as const) {
      const client = await openRawClient(service.url);
      client.socket.write(write('good', row(1)));
      assert.match(await client.answer(), / 200 /);
      client.socket.write(request);
      const answer = await client.answer();
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} [^]*application/problem\\+json[^]*${text}`));
      client.socket.write(write('good', row(2)));
      assert.match(await client.answer(), / 200 /);
      client.socket.destroy();
    }
    assert.deepEqual(await timesOf('bad'), []);
  });

  it('counts what it refuses once, although the framework answers it', async () => {
    const own = await startService();
    const refused = async (reason: string): Promise<string | undefined> => {
      const { text } = await send(own.url, '/metrics');
      return new RegExp(`^pitwall_refused_requests_total\\{reason="${reason}"\\} (\\d+)$`, 'm').exec(
        text,
      )?.[1];
    };
    assert.equal(await refused('unauthorized'), '0');
    for (const count of ['1', '2']) {
      const client = await openRawClient(own.url);
      client.socket.write(write('refused', row(1), 'wrong'));
      assert.match(await client.answer(), / 401 /);
      assert.equal(await refused('unauthorized'), count);
      client.socket.write(write('refused', row(1)));
      assert.match(await client.answer(), / 200 /);
      client.socket.destroy();
    }
    await own.stop();
  });

  it('answers requests that come together in their order', async () => {
    const client = await openRawClient(service.url);
    client.socket.write(
      write('together', row(1)) + write('together', row(2)) + alive + write('together', row(3)),
    );
    for (let i = 0; i < 4; i++) assert.match(await client.answer(), / 200 /);
    assert.deepEqual(await timesOf('together'), [1, 2, 3]);
    client.socket.destroy();
  });

  it('answers what comes while a write is under way after that write', async () => {
    const client = await openRawClient(service.url);
    for (let i = 1; i <= 50; i++) {
      client.socket.write(write('after', row(i)));
      // The next one leaves in a segment of its own, mostly before the first is on disk.
      await setImmediate();
    }
    for (let i = 1; i <= 50; i++) assert.match(await client.answer(), / 200 /);
    assert.deepEqual(
      await timesOf('after'),
      Array.from({ length: 50 }, (_, i) => i + 1),
    );
    client.socket.destroy();
  });

  it('takes a request in pieces', async () => {
    const client = await openRawClient(service.url);
    for (const byte of write('pieces', row(7))) {
      client.socket.write(byte);
      await setImmediate();
    }
    assert.match(await client.answer(), / 200 /);
    assert.deepEqual(await timesOf('pieces'), [7]);
    client.socket.destroy();
  });

  it('answers reads as the framework does', async () => {
    for (let i = 1; i <= 3; i++)
      await send(service.url, '/topics/lane/streams/reads/parameters/data', { body: row(i) });
    const body = JSON.stringify({
      streamIds: ['reads'],
      numericParameters: [{ parameterName: 'Speed' }],
      limit: 2,
    });
    const client = await openRawClient(service.url);
    for (const [accept, type, text] of [
      ['application/json', 'application/json; charset=utf-8', '"timestamps":[1,2]'],
      ['text/csv', 'text/csv; charset=utf-8; header=present', 'Timestamp,Speed'],
    ] as const) {
      for (const more of ['', 'Connection: keep-alive\r\n']) {
        client.socket.write(read(body, `Accept: ${accept}\r\n${more}`));
        const answer = await client.answer();
        assert.match(answer, /^HTTP\/1\.1 200 OK\r\nDate: /);
        assert.ok(answer.includes(`\r\nContent-Type: ${type}\r\nVary: Accept\r\n`), answer);
        assert.ok(answer.includes(text), answer);
        const headers = { accept, 'accept-encoding': 'identity' };
        const viaFramework = await send(service.url, '/parameters/data', { body, headers });
        assert.ok(answer.endsWith(viaFramework.text), answer);
        const cursor = viaFramework.headers['pitwall-next-cursor'];
        if (cursor !== undefined)
          assert.ok(answer.includes(`\r\nPitwall-Next-Cursor: ${cursor}\r\n`), answer);
      }
    }
    client.socket.write(read('{"numericParameters":[{"parameterName":"Speed"}],"limit":-1}'));
    assert.match(await client.answer(), /^HTTP\/1\.1 400 [\s\S]*"path":"limit"/);
    client.socket.destroy();
  });

  it('answers a client that has ended its side, and ends the connection', async () => {
    const client = await openRawClient(service.url);
    client.socket.end(write('half', row(1)));
    assert.match(await client.answer(), / 200 /);
    await once(client.socket, 'close');
    assert.deepEqual(await timesOf('half'), [1]);
  });

  it('survives clients that vanish', async () => {
    for (let i = 0; i < 20; i++) {
      const client = await openRawClient(service.url);
      client.socket.write(write('vanish', row(i)));
      client.socket.resetAndDestroy();
    }
    const client = await openRawClient(service.url);
    client.socket.write(write('vanish', row(100)));
    assert.match(await client.answer(), / 200 /);
    client.socket.destroy();
  });

  it('lets the service stop while connections are open', async () => {
    const stopped = await startService();
    const client = await openRawClient(stopped.url);
    client.socket.write(write('stop', row(1)));
    assert.match(await client.answer(), / 200 /);
    const unused = await openRawClient(stopped.url);
    const closed = Promise.all([once(client.socket, 'close'), once(unused.socket, 'close')]);
    client.socket.resume();
    unused.socket.resume();
    assert.equal((await stopped.stop()).code, 0);
    await closed;
  });
});

describe('a request whose token the store has to look for', () => {
  it('is admitted once, by the lane, and answered by the framework', async () => {
    const looked: (string | undefined)[] = [];
    const metrics = createMetrics();
    const admit = createAdmit({
      authenticate(header) {
        looked.push(header);
        return header === `Bearer ${adminToken}`
          ? Promise.resolve({ tokenId: 't', workspace: 'default', scopes: ['write'] })
          : Promise.reject(new PitwallError('unauthorized'));
      },
      workspaceOfHost: () => undefined,
      budget: createByteBudget(1_000_000),
      metrics,
    });
    const path = '/topics/:topic/streams/:streamId/parameters/data';
    const about = { interface: 'writer', scope: 'write', summary: '', plain: true } as const;
    const app = await buildServer({
      routes: [
        {
          method: 'POST',
          path,
          ...about,
          body: { schema: Type.Unknown(), optional: false },
          handle: ({ principal, body }) => ({ body: `${principal.tokenId} ${body.length}` }),
        },
      ],
      hub: undefined,
      admit,
      maxBodyBytes: 1000,
      headTimeoutMs: 20_000,
      leastRate: createLeastRate({ bytesPerSecond: 1, graceMs: 60_000, onSlow: () => {} }),
      corsOrigin: '*',
      tls: undefined,
      log: createLog('silent'),
      metrics,
      newRequestId: () => 'request',
      isStopping: () => false,
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

    const good = await openRawClient(url);
    good.socket.write(write('s', row(1)));
    assert.match(await good.answer(), new RegExp(`^HTTP/1\\.1 200 [^]*\\r\\n\\r\\nt ${row(1).length}$`));
    const bad = await openRawClient(url);
    bad.socket.write(write('s', row(1), 'wrong'));
    assert.match(await bad.answer(), /^HTTP\/1\.1 401 [\s\S]*www-authenticate: Bearer/i);
    assert.deepEqual(looked, [`Bearer ${adminToken}`, 'Bearer wrong']);
    const { values } = await metrics.refusedRequests.get();
    assert.equal(values.find(({ labels }) => labels.reason === 'unauthorized')?.value, 1);

    // The next request on the connection is one of its own.
    bad.socket.write(write('s', row(1)));
    assert.match(await bad.answer(), / 200 /);
    assert.equal(looked.length, 3);
    for (const { socket } of [good, bad]) socket.destroy();
    await app.close();
  });
});

describe('a connection of the lane', () => {
  /** The lane alone, in front of listeners that keep what is handed over; `answered` are the bytes of its answers. */
  function lane(handle: (call: Call) => Promise<Answer>) {
    const server = createServer();
    server.removeAllListeners('connection');
    const handedOver: Duplex[] = [];
    server.on('connection', (socket) => handedOver.push(socket));
    const path = '/topics/:topic/streams/:streamId/parameters/data';
    const about = { interface: 'writer', scope: 'write', summary: '', plain: true } as const;
    const routes: Route[] = [{ method: 'POST', path, ...about, handle }];
    const budget = createByteBudget(1_000_000);
    const metrics = createMetrics();
    const admit = createAdmit({
      authenticate: () => ({ tokenId: 't', workspace: 'default', scopes: ['write'] }),
      workspaceOfHost: () => undefined,
      budget,
      metrics,
    });
    const options = {
      routes,
      admit,
      maxBodyBytes: 1000,
      headTimeoutMs: 20_000,
      leastRate: createLeastRate({ bytesPerSecond: 1, graceMs: 60_000, onSlow: () => {} }),
      metrics,
      log: createLog('silent'),
      newRequestId: () => 'request',
      isStopping: () => false,
    };
    openLane(server, options, createHandedOn());
    const answered: Buffer[] = [];
    /** Gives the room back that the bytes take; until it is called nobody takes them. */
    const waiting: (() => void)[] = [];
    const socket = new Duplex({
      highWaterMark: 1,
      read() {},
      write(chunk: Buffer, _encoding, taken) {
        answered.push(chunk);
        waiting.push(taken);
      },
    });
    server.emit('connection', Object.assign(socket, { setTimeout: () => socket }));
    return { server, socket, handedOver, answered, waiting, budget };
  }

  it('goes to the server of the routes with what comes before the client has taken its answers', async () => {
    const { socket, handedOver, answered } = lane(async () => ({}));
    socket.push(write('slow', row(1)));
    while (answered.length === 0) await setImmediate();
    socket.push(write('slow', row(2)));
    while (handedOver.length === 0) await setImmediate();
    assert.equal(String(socket.read()), write('slow', row(2)));
    assert.equal(answered.length, 1);
  });

  it('answers a request that fails, also of a client that has ended its side', async () => {
    let fail: (error: Error) => void = () => {};
    const { socket, handedOver, answered, waiting, budget } = lane(
      () => new Promise((_resolve, reject) => (fail = reject)),
    );
    socket.push(write('ended', row(1)));
    socket.push(null);
    await once(socket, 'end');
    fail(new PitwallError('disk_full', { retryAfter: 5 }));
    while (answered.length === 0) await setImmediate();
    assert.match(
      String(answered[0]),
      /^HTTP\/1\.1 503 Service Unavailable\r\n[\s\S]*Connection: close\r\n[\s\S]*Retry-After: 5\r\n[\s\S]*"code":"disk_full"/,
    );
    waiting.shift()!();
    await once(socket, 'close');
    assert.deepEqual(handedOver, []);
    assert.equal(budget.used, 0);
  });

  it('holds memory of the budget until the client has taken the answer', async () => {
    const body = 'x'.repeat(5000);
    const { socket, answered, waiting, budget } = lane(async ({ reservation }) => {
      reservation.take(body.length);
      return { body };
    });
    socket.push(write('held', row(1)));
    while (answered.length === 0) await setImmediate();
    assert.equal(budget.used, body.length + row(1).length);
    for (const taken of waiting) taken();
    await setImmediate();
    assert.equal(budget.used, 0);
    socket.destroy();
  });

  it('is told when its client leaves while a request is under way, and gives everything back', async () => {
    let left: AbortSignal | undefined;
    const { socket, budget, handedOver } = lane(async ({ signal }) => {
      left = signal();
      await once(left, 'abort');
      throw left.reason;
    });
    socket.push(write('left', row(1)));
    while (left === undefined) await setImmediate();
    socket.destroy();
    while (budget.used > 0) await setImmediate();
    assert.deepEqual(handedOver, []);
  });

  it('gives up what has not been answered when its client sends nothing more, as one that has left', async () => {
    let left: AbortSignal | undefined;
    const { socket, answered, budget } = lane(async ({ signal }) => {
      left = signal();
      while (!left.aborted) await setImmediate();
      throw left.reason;
    });
    socket.push(write('ended', row(1)));
    while (left === undefined) await setImmediate();
    socket.push(null);
    await once(socket, 'close');
    assert.deepEqual(answered, []);
    assert.equal(budget.used, 0);
  });

  it('is told so too where more requests wait, which are dropped', async () => {
    let left: AbortSignal | undefined;
    let begun = 0;
    const { socket, answered, handedOver, budget } = lane(async ({ signal }) => {
      begun++;
      left = signal();
      while (!left.aborted) await setImmediate();
      throw left.reason;
    });
    socket.push(write('ended', row(1)));
    while (left === undefined) await setImmediate();
    socket.push(write('ended', row(2)));
    await setImmediate();
    socket.push(null);
    await once(socket, 'close');
    assert.deepEqual([begun, answered, handedOver, budget.used], [1, [], [], 0]);
  });

  it('is not read on while too much waits', async () => {
    let release = (): void => {};
    const { socket, handedOver } = lane(async () => {
      await new Promise<void>((resolve) => (release = resolve));
      return {};
    });
    socket.push(write('full', row(1)));
    await setImmediate();
    socket.push(Buffer.alloc(60 * 1024, 'x'));
    await setImmediate();
    assert.equal(socket.isPaused(), false);
    socket.push(Buffer.alloc(60 * 1024, 'x'));
    await setImmediate();
    assert.equal(socket.isPaused(), true);
    const given = once(socket, 'data') as Promise<Buffer[]>;
    release();
    assert.equal((await given)[0]!.length, 120 * 1024);
    assert.equal(handedOver.length, 1);
  });

  it('is not idle before its answer has been taken', async () => {
    const { server, socket, answered, waiting } = lane(async () => ({ body: 'x'.repeat(5000) }));
    socket.push(write('taken', row(1)));
    while (answered.length === 0) await setImmediate();
    server.closeIdleConnections();
    assert.equal(socket.destroyed, false);
    for (const taken of waiting) taken();
    server.closeIdleConnections();
    assert.equal(socket.destroyed, true);
  });

  const long = 300 * 1024;

  it('sends a long answer in chunks, as fast as they are taken', async () => {
    let made = 0;
    const chunks = function* () {
      for (; made < 20; made++) yield Buffer.alloc(long, made);
    };
    const { socket, answered, waiting } = lane(async () => ({ type: 'text/plain', chunks: chunks() }));
    socket.push(write('long', row(1)));
    while (answered.length === 0) await setImmediate();
    for (let i = 0; i < 10; i++) await setImmediate();
    assert.ok(made <= 2, `${made} chunks were made for a client that takes none`);
    for (let ended = false; !ended; ended = String(answered.at(-1)).endsWith('0\r\n\r\n')) {
      waiting.shift()?.();
      await setImmediate();
    }
    const whole = Buffer.concat(answered);
    const head = String(whole.subarray(0, whole.indexOf('\r\n\r\n')));
    assert.match(
      head,
      /^HTTP\/1\.1 200 OK\r\n[\s\S]*Content-Type: text\/plain\r\nTransfer-Encoding: chunked$/,
    );
    const size = `${long.toString(16)}\r\n`;
    assert.equal(whole.length, head.length + 4 + 20 * (size.length + long + 2) + '0\r\n\r\n'.length);
    socket.destroy();
  });

  it('is cut where a long answer cannot be made to its end', async () => {
    let ended = false;
    const chunks = async function* () {
      try {
        yield Buffer.alloc(long);
        throw new Error('the disk is gone');
      } finally {
        ended = true;
      }
    };
    const { socket, answered, waiting, handedOver, budget } = lane(async () => ({ chunks: chunks() }));
    socket.push(write('broken', row(1)));
    const closed = once(socket, 'close');
    while (!socket.destroyed) {
      waiting.shift()?.();
      await setImmediate();
    }
    await closed;
    assert.ok(ended);
    assert.ok(!String(Buffer.concat(answered)).endsWith('0\r\n\r\n'));
    assert.deepEqual(handedOver, []);
    assert.equal(budget.used, 0);
  });
});
