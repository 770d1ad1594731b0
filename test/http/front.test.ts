import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, beforeEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createFront } from '../../src/http/front.ts';
import { until } from '../until.ts';
import { openRawClient, readAnswers } from './raw-client.ts';

/** What has begun, and not ended; `/held` ends when it is released. */
let begun: string[] = [];
let running = 0;
let most = 0;
let held: (() => void)[] = [];
let closed = 0;

const longAnswer = 8 * 1024 * 1024;

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url } = request;
  begun.push(url!);
  running++;
  most = Math.max(most, running);
  response.once('finish', () => running--);
  response.once('close', () => closed++);
  if (url === '/unread') {
    response.writeHead(403, { 'Content-Length': 2 });
    response.end('no');
  } else if (url === '/long') {
    response.writeHead(200, { 'Content-Length': longAnswer });
    Readable.from(Array.from({ length: 128 }, () => Buffer.alloc(longAnswer / 128, 'x'))).pipe(response);
  } else {
    const body = await text(request).catch(() => undefined);
    if (url === '/held') await new Promise<void>((resolve) => held.push(resolve));
    if (body !== undefined) response.end(`${url} ${body}.`);
  }
}

const front = createFront(handle, undefined, undefined, () => 'id', {
  timeoutMs: 20_000,
  onSlow: () => {},
});
/** So many have been read from connections. */
let read = 0;
front.prependListener('request', () => read++);
/** So many did the parser refuse: as the release of Node.js has it, also those with too many headers. */
let refused = 0;
front.prependListener('clientError', () => refused++);
/** The service's side of the latest connection. */
let accepted: Socket | undefined;
front.on('connection', (socket: Socket) => {
  accepted = socket;
});
front.listen(0, '127.0.0.1');
await once(front, 'listening');
const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
after(() => {
  front.closeAllConnections();
  front.close();
});

beforeEach(() => {
  begun = [];
  running = most = closed = read = refused = 0;
  held = [];
  accepted = undefined;
});

const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
const post = (path: string, body: string, more = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;

async function release(): Promise<void> {
  await until(() => held.length > 0);
  held.shift()!();
}

/** A request on a connection of its own: what was under way on others before is known by its answer. */
async function look(): Promise<void> {
  const client = await openRawClient(url);
  client.socket.write(get('/look', 'Connection: close\r\n'));
  assert.match(await client.rest(), / 200 /);
}

describe('requests of one connection', () => {
  it('begin one after another, in the order in which they came', async () => {
    const client = await openRawClient(url);
    client.socket.write(get('/held') + post('/a', '1') + get('/held') + post('/b', '22') + get('/c'));
    await until(() => read === 5);
    assert.deepEqual(begun, ['/held']);
    await release();
    assert.match(await client.answer(), /\/held \.$/);
    assert.match(await client.answer(), /\/a 1\.$/);
    await until(() => begun.length === 3);
    assert.deepEqual(begun, ['/held', '/a', '/held']);
    await release();
    for (const said of ['/held .', '/b 22.', '/c .']) assert.ok((await client.answer()).endsWith(said));
    assert.equal(most, 1);
    client.socket.destroy();
  });

  it('of others run beside them', async () => {
    const client = await openRawClient(url);
    client.socket.write(get('/held') + get('/a'));
    await until(() => read === 2);
    await look();
    assert.deepEqual(begun, ['/held', '/look']);
    client.socket.destroy();
  });

  it('that wait are dropped when their client leaves', async () => {
    for (const leave of ['destroy', 'end', 'resetAndDestroy'] as const) {
      const client = await openRawClient(url);
      client.socket.write(get('/held') + post('/dropped', '1') + get('/dropped'));
      await until(() => held.length === 1);
      closed = 0;
      client.socket[leave]();
      await until(() => closed === 1);
      await release();
      await look();
      assert.ok(!begun.includes('/dropped'), leave);
      client.socket.destroy();
    }
  });

  it('are read no faster than they are answered, and none is lost', async () => {
    const client = await openRawClient(url);
    const one = get('/a');
    const count = 20_000;
    let waiting = 0;
    const watch = (): void => {
      waiting = Math.max(waiting, read - begun.length);
    };
    front.on('request', watch);
    client.socket.write(get('/held'));
    await until(() => held.length === 1);
    await new Promise((resolve) => client.socket.write(one.repeat(count), resolve));
    await until(() => read > 16);
    // If it read on, it would do so in the turns of the loop to come.
    for (let i = 0; i < 100; i++) await setImmediate();
    await release();
    for (let i = 0; i <= count; i++) assert.match(await client.answer(), / 200 /);
    front.off('request', watch);
    const chunk = Math.ceil((64 * 1024) / one.length);
    assert.ok(waiting <= 16 + 2 * chunk, `${waiting} waited`);
    client.socket.destroy();
  });

  it('get the answer to what is no HTTP after their own', async () => {
    const client = await openRawClient(url);
    client.socket.write(`${get('/held') + get('/a')}NONSENSE\r\n\r\n`);
    await until(() => read === 2);
    client.socket.write('and more of it');
    await release();
    assert.match(await client.answer(), /\/held \.$/);
    assert.match(await client.answer(), /\/a \.$/);
    assert.match(
      await client.rest(),
      /^HTTP\/1\.1 400 [\s\S]*Invalid method[^{]*"code":"bad_request"[^}]*}$/,
    );
  });

  it('get the answer to a body that is broken in its place', async () => {
    for (const isUnderWay of [true, false]) {
      const client = await openRawClient(url);
      const broken = 'POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n';
      if (isUnderWay) {
        client.socket.write(broken);
        await until(() => begun.length === 1);
        client.socket.write('NONSENSE\r\n');
      } else {
        client.socket.write(`${get('/held') + broken}NONSENSE\r\n`);
        await release();
        assert.match(await client.answer(), /\/held \.$/);
      }
      const rest = await client.rest();
      assert.match(rest, /^HTTP\/1\.1 400 [\s\S]*chunk size[^{]*"code":"bad_request"[^}]*}$/);
      assert.equal(begun.includes('/body'), isUnderWay);
      begun = [];
    }
  });

  it('that are answered before their body get no second answer where it is broken', async () => {
    const client = await openRawClient(url);
    client.socket.write('POST /unread HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n');
    assert.match(await client.answer(), /^HTTP\/1\.1 403 [\s\S]*no$/);
    client.socket.write('NONSENSE\r\n');
    assert.equal(await client.rest(), '');
  });

  it('are not carried out after an answer that ends the connection', async () => {
    const client = await openRawClient(url);
    client.socket.write(get('/a', 'Connection: close\r\n') + get('/b'));
    assert.match(await client.rest(), /\/a \.$/);
    await look();
    assert.deepEqual(begun, ['/a', '/look']);
  });
});

describe('the offer of another protocol', () => {
  const offer = 'Connection: Upgrade\r\nUpgrade: h2c\r\n';

  it('waits for what came before, and loses nothing of what comes meanwhile', async () => {
    const client = await openRawClient(url);
    const whole = post('/held', 'first') + post('/offered', '123456789', offer);
    client.socket.write(whole.slice(0, -4));
    await until(() => held.length === 1);
    client.socket.write(whole.slice(-4));
    await until(() => accepted?.bytesRead === whole.length);
    await release();
    assert.match(await client.answer(), /\/held first\.$/);
    assert.match(await client.rest(), /connection: close[\s\S]*\/offered 123456789\.$/i);
  });

  it('after a long answer does not hold that up', async () => {
    const client = await openRawClient(url);
    client.socket.write(get('/long') + get('/offered', offer));
    const whole = await client.answer();
    assert.equal(whole.length - whole.indexOf('\r\n\r\n') - 4, longAnswer);
    assert.match(await client.rest(), /\/offered \.$/);
  });

  it('after many loses nothing either', async () => {
    const client = await openRawClient(url);
    const whole = get('/held') + get('/a').repeat(50) + post('/offered', '123456789', offer);
    client.socket.write(whole.slice(0, -4));
    await until(() => held.length === 1);
    client.socket.write(whole.slice(-4));
    await release();
    for (let i = 0; i < 51; i++) assert.match(await client.answer(), / 200 /);
    assert.match(await client.rest(), /\/offered 123456789\.$/);
  });

  it('is dropped where its client leaves', async () => {
    const client = await openRawClient(url);
    client.socket.write(get('/held') + get('/offered', offer));
    await until(() => held.length === 1);
    client.socket.destroy();
    await until(() => closed === 1);
    await release();
    await look();
    assert.ok(!begun.includes('/offered'));
  });

  it('is declined with its connection: what a client sends after it is no request', async () => {
    const client = await openRawClient(url);
    client.socket.write(post('/offered', 'x', offer) + get('/smuggled'));
    assert.match(await client.rest(), /^HTTP\/1\.1 200 [\s\S]*\/offered x\.$/);
    await look();
    assert.deepEqual(begun, ['/offered', '/look']);
  });
});

describe('a head', () => {
  const headers = (count: number): string =>
    Array.from({ length: count }, (_, i) => `x${i}: ${i}\r\n`).join('');

  it('may have 2000 headers', async () => {
    const client = await openRawClient(url);
    client.socket.write(post('/many', '12345', headers(1998)));
    assert.match(await client.answer(), /\/many 12345\.$/);
    client.socket.destroy();
  });

  it('with more is refused, and its body is not taken for a request', async () => {
    for (const count of [1999, 2010, 2040, 3000, 12_000]) {
      for (const more of ['', 'Connection: Upgrade\r\nUpgrade: h2c\r\n', 'Expect: 100-continue\r\n']) {
        const client = await openRawClient(url);
        client.socket.write(post('/many', get('/smuggled'), headers(count) + more));
        const answer = await client.rest();
        assert.match(
          answer,
          /^HTTP\/1\.1 431 [\s\S]*\r\nConnection: close\r\n[\s\S]*at most"[^}]*}$/,
          answer,
        );
      }
    }
    assert.deepEqual(begun, []);
  });

  it('after others is refused when they are answered', async () => {
    const client = await openRawClient(url);
    client.socket.write(get('/held') + post('/many', '', headers(3000)) + get('/smuggled'));
    await until(() => read + refused >= 2);
    await release();
    assert.match(await client.answer(), /\/held \.$/);
    assert.match(await client.rest(), /^HTTP\/1\.1 431 [^{]*{[^}]*}$/);
    await look();
    assert.deepEqual(begun, ['/held', '/look']);
  });

  it('may expect what nobody knows', async () => {
    const client = await openRawClient(url);
    client.socket.write(get('/a', 'Expect: nothing\r\n'));
    assert.match(await client.answer(), /\/a \.$/);
    client.socket.destroy();
  });

  it('that has its client wait for 100 gets it in its turn', async () => {
    const client = await openRawClient(url);
    client.socket.write(get('/held') + post('/a', '12', 'Expect: 100-continue\r\n').slice(0, -2));
    await release();
    assert.match(await client.answer(), /\/held \.$/);
    assert.equal(await client.answer(), 'HTTP/1.1 100 Continue\r\n\r\n');
    client.socket.write('12');
    assert.match(await client.answer(), /\/a 12\.$/);
    client.socket.destroy();
  });
});

describe('a client that waits for 100', () => {
  it('gets the answer in its place where nobody reads the body, and the connection ends', async () => {
    const client = await openRawClient(url);
    client.socket.write(post('/unread', '12', 'Expect: 100-continue\r\n').slice(0, -2));
    assert.match(await client.rest(), /^HTTP\/1\.1 403 [\s\S]*\r\nConnection: close\r\n[\s\S]*\r\nno$/);
    assert.deepEqual(begun, ['/unread']);
  });

  it('keeps its connection where it has no body', async () => {
    const client = await openRawClient(url);
    client.socket.write(post('/unread', '', 'Expect: 100-continue\r\n'));
    assert.equal(await client.answer(), 'HTTP/1.1 100 Continue\r\n\r\n');
    assert.match(await client.answer(), /^HTTP\/1\.1 403 /);
    client.socket.write(get('/a'));
    assert.match(await client.answer(), /\/a \.$/);
    client.socket.destroy();
  });
});

describe('a message that others may read otherwise', () => {
  const head = 'POST /a HTTP/1.1\r\nHost: a\r\n';
  const chunked = 'Transfer-Encoding: chunked\r\n';
  const chunks = '2\r\nab\r\n0\r\n\r\n';
  const cases = {
    'two lengths': `${head}Content-Length: 2\r\nContent-Length: 2\r\n\r\nab`,
    'two lengths that differ': `${head}Content-Length: 2\r\nContent-Length: 60\r\n\r\nab`,
    'a list of lengths': `${head}Content-Length: 2, 2\r\n\r\nab`,
    'a length with a sign': `${head}Content-Length: +2\r\n\r\nab`,
    'a length and chunks': `${head}Content-Length: 12\r\n${chunked}\r\n${chunks}`,
    'chunks and a length': `${head}${chunked}Content-Length: 12\r\n\r\n${chunks}`,
    'chunks twice': `${head}${chunked}${chunked}\r\n${chunks}`,
    'another coding below chunks': `${head}Transfer-Encoding: gzip, chunked\r\n\r\n${chunks}`,
    'another coding': `${head}Transfer-Encoding: xchunked\r\n\r\n${chunks}`,
    'chunks of HTTP/1.0': `${head.replace('1.1', '1.0')}Connection: keep-alive\r\n${chunked}\r\n${chunks}`,
    'a blank before a colon': `${head}Transfer-Encoding : chunked\r\n\r\n${chunks}`,
    'a folded header': `${head}X: a\r\n ${chunked}Content-Length: 2\r\n\r\nab`,
    'a bare line feed': `${head}Content-Length: 2\n\r\n\r\nab`,
    'a bare carriage return': `${head}X: a\r${chunked}\r\n${chunks}`,
    'a chunk size with a prefix': `${head}${chunked}\r\n0x2\r\nab\r\n0\r\n\r\n`,
    'a chunk size beyond 64 bits': `${head}${chunked}\r\nfffffffffffffffff\r\nab\r\n0\r\n\r\n`,
    'a chunk size after a bare line feed': `${head}${chunked}\r\n2\nab\r\n0\r\n\r\n`,
    'a length among the trailers': `${head}${chunked}\r\n2\r\nab\r\n0\r\nContent-Length: 40\r\n\r\n`,
    'chunk extensions without end': `${head}${chunked}\r\n2;a=${'b'.repeat(20_000)}\r\nab\r\n0\r\n\r\n`,
    'two hosts': 'POST /a HTTP/1.1\r\nHost: a\r\nhost: b\r\nContent-Length: 0\r\n\r\n',
    'no host': 'POST /a HTTP/1.1\r\nContent-Length: 0\r\n\r\n',
    CONNECT: 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n',
    'HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  };
  for (const [what, request] of Object.entries(cases)) {
    it(`is refused with its connection: ${what}`, async () => {
      const client = await openRawClient(url);
      client.socket.write(get('/first') + request + get('/smuggled'));
      assert.match(await client.answer(), /\/first \.$/);
      const rest = await client.rest();
      assert.match(
        rest,
        /^HTTP\/1\.1 400 [\s\S]*\r\nConnection: close\r\n[^{]*{[^}]*"detail":"[^}]*}$/,
        rest,
      );
      assert.ok(!begun.includes('/smuggled'));
    });
  }

  it('has trailers and chunk extensions that mean nothing, many of them', async () => {
    const trailers = Array.from({ length: 1900 }, (_, i) => `t${i}: 1\r\n`).join('');
    const client = await openRawClient(url);
    client.socket.write(`${head}${chunked}\r\n2;a=b;c="d"\r\nab\r\n0\r\n${trailers}\r\n${get('/next')}`);
    assert.match(await client.answer(), /\/a ab\.$/);
    assert.match(await client.answer(), /\/next \.$/);
    client.socket.destroy();
  });

  it('has trailers of 128 KiB at most', async () => {
    const client = await openRawClient(url);
    client.socket.write(
      `${head}${chunked}\r\n2\r\nab\r\n0\r\nx: ${'y'.repeat(140_000)}\r\n\r\n${get('/smuggled')}`,
    );
    assert.match(await client.rest(), /^HTTP\/1\.1 431 /);
    await look();
    assert.deepEqual(begun, ['/a', '/look']);
  });

  it('has its answer reach a client that is still sending', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
    await once(socket, 'connect');
    socket.write('NONSENSE\r\n\r\n');
    await until(() => accepted?.writableFinished);
    // A connection that is reset takes no more, and the answer may be gone with it.
    for (let i = 0; i < 50; i++) {
      const problem = await new Promise((resolve) => socket.write('x'.repeat(1000), resolve));
      assert.equal(problem ?? undefined, undefined);
      await setImmediate();
    }
    const { answer } = readAnswers(socket.resume());
    assert.match(await answer(), /^HTTP\/1\.1 400 /);
    socket.end();
  });
});
