import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openRawClient, type RawClient } from '../http/raw-client.ts';
import { adminToken, send, startService } from './service.ts';

const service = await startService();
const { url } = service;

/** A request as the lane takes it, unless `more` headers say otherwise. */
function post(path: string, body: string, more = '', method = 'POST'): string {
  return (
    `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${adminToken}\r\n${more}` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}

function write(stream: string, time: number, more = ''): string {
  const body = `{"timestamps":[${time}],"numericValues":{"Speed":[${time}]}}`;
  return post(`/topics/t/streams/${stream}/parameters/data`, body, more);
}

function query(stream: string, more = ''): string {
  const body = JSON.stringify({ streamIds: [stream], numericParameters: [{ parameterName: 'Speed' }] });
  return post('/parameters/data', body, more);
}

/** For the framework: the lane leaves what has an Origin. */
const origin = 'Origin: http://a\r\n';

async function timesOf(answer: Promise<string>): Promise<unknown> {
  const text = await answer;
  assert.match(text, /^HTTP\/1\.1 200 /);
  return JSON.parse(text.slice(text.indexOf('\r\n\r\n'))).timestamps;
}

async function takesWrite(client: RawClient): Promise<void> {
  assert.match(await client.answer(), /^HTTP\/1\.1 200 /);
}

describe('requests of one connection', () => {
  const ways = [
    ['in one packet', [(stream, time) => write(stream, time) + query(stream)]],
    ['in packets of their own', [write, (stream) => query(stream)]],
    ['for the framework', [(stream, time) => write(stream, time, origin), (stream) => query(stream, origin)]],
    ['for the lane and the framework', [write, (stream) => query(stream, origin)]],
    [
      'for the framework and the lane',
      [(stream, time) => write(stream, time, origin), (stream) => query(stream)],
    ],
  ] as const satisfies [string, ((stream: string, time: number) => string)[]][];
  for (const [what, packets] of ways) {
    it(`are carried out one after another: a query behind a write sees it, ${what}`, async () => {
      const stream = what.replaceAll(' ', '-');
      const seen: number[] = [];
      for (let time = 1; time <= 20; time++) {
        const client = await openRawClient(url);
        for (const packet of packets) client.socket.write(packet(stream, time));
        seen.push(time);
        await takesWrite(client);
        assert.deepEqual(await timesOf(client.answer()), seen);
        client.socket.destroy();
      }
    });
  }

  it('are carried out one after another where the body of the first comes late, behind its 100 or without', async () => {
    for (const [i, more] of [origin, 'Expect: 100-continue\r\n'].entries()) {
      const client = await openRawClient(url);
      const whole = write('slow', i + 1, more);
      const cut = whole.length - 5;
      client.socket.write(query('slow', origin) + whole.slice(0, cut));
      assert.deepEqual(await timesOf(client.answer()), i === 0 ? [] : [1]);
      if (i === 1) assert.match(await client.answer(), /^HTTP\/1\.1 100 /);
      client.socket.write(whole.slice(cut) + query('slow', more));
      await takesWrite(client);
      if (i === 1) assert.match(await client.answer(), /^HTTP\/1\.1 100 /);
      assert.deepEqual(await timesOf(client.answer()), i === 0 ? [1] : [1, 2]);
      client.socket.destroy();
    }
  });

  it('are all answered in their order, however many come at once', async () => {
    const client = await openRawClient(url);
    const times = Array.from({ length: 300 }, (_, i) => i + 1);
    client.socket.write(times.map((time) => write('many', time) + query('many')).join(''));
    for (const time of times) {
      await takesWrite(client);
      assert.deepEqual(await timesOf(client.answer()), times.slice(0, time));
    }
    client.socket.destroy();
  });

  it('are carried out in order when some are refused', async () => {
    const client = await openRawClient(url);
    const wrong = post('/topics/t/streams/refused/parameters/data', '{"timestamps":[1');
    const nobody = write('refused', 2).replace(adminToken, 'nobody');
    client.socket.write(write('refused', 1) + wrong + query('refused') + nobody + query('refused'));
    await takesWrite(client);
    assert.match(await client.answer(), /^HTTP\/1\.1 400 [\s\S]*bad_json/);
    assert.deepEqual(await timesOf(client.answer()), [1]);
    assert.match(await client.answer(), /^HTTP\/1\.1 401 /);
    assert.deepEqual(await timesOf(client.answer()), [1]);
    client.socket.destroy();
  });

  it('get their answers before what comes behind and is no HTTP is refused, which ends the connection', async () => {
    const client = await openRawClient(url);
    client.socket.write(`${write('garbage', 1)}${query('garbage')}NONSENSE\r\n\r\n${write('garbage', 2)}`);
    await takesWrite(client);
    assert.deepEqual(await timesOf(client.answer()), [1]);
    assert.match(await client.rest(), /^HTTP\/1\.1 400 [\s\S]*"detail":"[\s\S]*"code":"bad_request"[^}]*}$/);
    const again = await openRawClient(url);
    again.socket.write(query('garbage'));
    assert.deepEqual(await timesOf(again.answer()), [1]);
    again.socket.destroy();
  });

  it('are not carried out behind one that ends the connection', async () => {
    const client = await openRawClient(url);
    client.socket.write(write('last', 1) + write('last', 2, 'Connection: close\r\n') + write('last', 3));
    await takesWrite(client);
    assert.match(await client.rest(), /^HTTP\/1\.1 200 [\s\S]*\r\n\r\n$/);
    const again = await openRawClient(url);
    again.socket.write(query('last'));
    assert.deepEqual(await timesOf(again.answer()), [1, 2]);
    again.socket.destroy();
  });
});

describe('the offer of another protocol', () => {
  const h2c =
    'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n';

  it('behind a write waits for it, and ends the connection behind its answer where it is declined', async () => {
    const client = await openRawClient(url);
    client.socket.write(write('offer', 1) + query('offer', h2c) + write('offer', 2));
    await takesWrite(client);
    const answer = await client.rest();
    assert.match(answer, /^HTTP\/1\.1 200 [\s\S]*\r\nconnection: close\r\n[\s\S]*"timestamps":\[1\]/i);
    assert.equal(answer.match(/HTTP\/1\.1/g)!.length, 1);
    const again = await openRawClient(url);
    again.socket.write(query('offer'));
    assert.deepEqual(await timesOf(again.answer()), [1]);
    again.socket.destroy();
  });

  it('behind a write waits for it where it is taken', async () => {
    const client = await openRawClient(url);
    client.socket.write(
      write('socket', 1) +
        `GET /hub HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${adminToken}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    await takesWrite(client);
    assert.match(await client.answer(), /^HTTP\/1\.1 101 /);
    client.socket.destroy();
  });
});

describe('more headers than are read', () => {
  const many = Array.from({ length: 3000 }, (_, i) => `x${i}: ${i}\r\n`).join('');

  for (const [what, more] of [
    ['an ordinary one', ''],
    ['one that waits to be told to go on', 'Expect: 100-continue\r\n'],
    ['one that offers HTTP/2', 'Connection: Upgrade\r\nUpgrade: h2c\r\n'],
  ] as const) {
    it(`are refused with 431, which ends the connection: ${what}`, async () => {
      const inner = write('smuggled', 1);
      const client = await openRawClient(url);
      // The length of the body comes behind the headers that are read.
      client.socket.write(post('/streams', inner, many + more));
      assert.match(
        await client.rest(),
        /^HTTP\/1\.1 431 [\s\S]*\r\nConnection: close\r\n[\s\S]*"detail":"[\s\S]*"code":"headers_too_large"[^}]*}$/,
      );
    });
  }

  it('are refused where they come with a WebSocket', async () => {
    const client = await openRawClient(url);
    client.socket.write(
      `GET /hub HTTP/1.1\r\nHost: a\r\n${many}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    assert.match(await client.rest(), /^HTTP\/1\.1 431 [\s\S]*"code":"headers_too_large"/);
  });

  it('carry nothing out', async () => {
    const { text } = await send(url, '/streams', { body: '{"streamIds":["smuggled"]}' });
    assert.equal(text, '[]');
  });
});
