import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import type { Principal } from '../../src/domain/principal.ts';
import { liveEvent } from '../../src/live/live-event.ts';
import { openRawClient } from '../http/raw-client.ts';
import { call, handshake, openRaw, separator, serveHub } from './serve-hub.ts';

const served = await serveHub();

interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

type Headers = Readonly<Record<string, string>>;

const good = { authorization: 'Bearer good' };

/** Sends a request, bodies without a Content-Type as some clients do; resolves with its answer's head. */
function open(url: string, method: string, path: string, headers: Headers = good, body?: string) {
  const outgoing = request(url + path, { method, headers, agent: new Agent() });
  outgoing.end(body);
  outgoing.on('error', () => {});
  const response = once(outgoing, 'response').then(([incoming]) => incoming as IncomingMessage);
  return { outgoing, response };
}

async function ask(
  url: string,
  method: string,
  path: string,
  headers?: Headers,
  body?: string,
): Promise<Reply> {
  const incoming = await open(url, method, path, headers, body).response;
  let text = '';
  for await (const chunk of incoming) text += chunk;
  return { status: incoming.statusCode!, headers: incoming.headers, text };
}

async function negotiated(url = served.url, query = '?negotiateVersion=1'): Promise<string> {
  const reply = await ask(url, 'POST', `/hub/negotiate${query}`);
  const { connectionToken, connectionId } = JSON.parse(reply.text);
  return connectionToken ?? connectionId;
}

/** A connection by Long Polling with its handshake done. */
async function polling(url = served.url): Promise<string> {
  const path = `/hub?id=${await negotiated(url)}`;
  assert.equal((await ask(url, 'GET', path)).status, 200);
  assert.equal((await ask(url, 'POST', path, good, handshake)).status, 200);
  assert.equal((await ask(url, 'GET', path)).text, `{}${separator}`);
  return path;
}

describe('negotiate', () => {
  it('answers version 1 with a secret token, which begins with the name of the node, and a public id', async () => {
    const reply = await ask(served.url, 'POST', '/hub/negotiate?NegotiateVersion=1&x=y');
    assert.equal(reply.status, 200);
    assert.equal(reply.headers['content-type'], 'application/json');
    const answer = JSON.parse(reply.text);
    assert.deepEqual(Object.keys(answer), [
      'negotiateVersion',
      'connectionId',
      'connectionToken',
      'availableTransports',
    ]);
    assert.equal(answer.negotiateVersion, 1);
    assert.match(answer.connectionToken, /^test-node\.[\w-]{22}$/);
    assert.match(answer.connectionId, /^[\w-]{22}$/);
    assert.deepEqual(answer.availableTransports, [
      { transport: 'WebSockets', transferFormats: ['Text', 'Binary'] },
      { transport: 'ServerSentEvents', transferFormats: ['Text'] },
      { transport: 'LongPolling', transferFormats: ['Text', 'Binary'] },
    ]);
    assert.equal((await ask(served.url, 'GET', `/hub?id=${answer.connectionId}`)).status, 404);
    assert.equal((await ask(served.url, 'GET', `/hub?id=${answer.connectionToken}`)).status, 200);
  });

  it('answers version 0 with an id that is the token', async () => {
    const reply = await ask(served.url, 'POST', '/hub/negotiate', {
      ...good,
      'content-type': 'application/json',
    });
    const answer = JSON.parse(reply.text);
    assert.deepEqual(Object.keys(answer), ['negotiateVersion', 'connectionId', 'availableTransports']);
    assert.equal(answer.negotiateVersion, 0);
    const client = await openRaw(served.url, `/hub?id=${answer.connectionId}&access_token=good`);
    client.socket.terminate();
  });

  it('answers a later version with 1, and no version at all with a text', async () => {
    assert.equal(
      JSON.parse((await ask(served.url, 'POST', '/hub/negotiate?negotiateVersion=7')).text).negotiateVersion,
      1,
    );
    const reply = await ask(served.url, 'POST', '/hub/negotiate?negotiateVersion=one');
    assert.equal(reply.status, 200);
    assert.match(JSON.parse(reply.text).error, /invalid protocol version 'one'/);
  });

  it('tells a token with too many connections so', async () => {
    const few = await serveHub({ maxConnectionsPerToken: 1 });
    await negotiated(few.url);
    const reply = await ask(few.url, 'POST', '/hub/negotiate');
    assert.equal(reply.status, 200);
    assert.match(JSON.parse(reply.text).error, /the token has 1 connections; 1 are allowed/);
  });

  it('refuses a form of integers that is neither numbers nor strings', async () => {
    assert.equal((await ask(served.url, 'POST', '/hub/negotiate?int64=hex')).status, 400);
  });

  it('forgets a connection that never connects', async () => {
    const early = await serveHub();
    const id = await negotiated(early.url);
    early.pass(15_000);
    assert.equal(early.hub.connectionCount, 0);
    assert.equal((await ask(early.url, 'GET', `/hub?id=${id}`)).status, 404);
  });
});

describe('the requests of the hub', () => {
  it('are refused without a valid token, each of them, before anything else', async () => {
    const id = await negotiated();
    for (const headers of [{}, { authorization: 'Bearer bad' }, { authorization: 'good' }]) {
      for (const [method, path] of [
        ['POST', '/hub/negotiate'],
        ['GET', `/hub?id=${id}`],
        ['POST', `/hub?id=${id}`],
        ['DELETE', `/hub?id=${id}`],
        ['GET', '/hub?id=unknown'],
        ['GET', '/hub'],
      ] as const) {
        const reply = await ask(served.url, method, path, headers, method === 'POST' ? 'x' : undefined);
        assert.equal(reply.status, 401, `${method} ${path}`);
        assert.equal(reply.headers['www-authenticate'], 'Bearer');
      }
    }
    await assert.rejects(openRaw(served.url, '/hub'), { message: '401' });
    await assert.rejects(openRaw(served.url, `/hub?id=${id}`), { message: '401' });
  });

  it('take the token from the header, in any case, or from the query', async () => {
    for (const [path, headers] of [
      ['/hub/negotiate', { authorization: 'bEARER good' }],
      ['/hub/negotiate?access_token=good', {}],
    ] as const) {
      assert.equal((await ask(served.url, 'POST', path, headers)).status, 200);
    }
    (await openRaw(served.url, '/hub', good)).socket.terminate();
  });

  it('are refused to a token of another workspace than the address', async () => {
    const headers = { ...good, host: 'another.example.com' };
    assert.equal((await ask(served.url, 'POST', '/hub/negotiate', headers)).status, 403);
  });

  it('do not reach the connection of another workspace', async () => {
    const id = await negotiated();
    assert.equal(
      (await ask(served.url, 'GET', `/hub?id=${id}`, { authorization: 'Bearer other' })).status,
      404,
    );
  });

  it('have exactly the statuses that clients look for', async () => {
    const status = async (method: string, path: string, headers: Headers = good) =>
      (await ask(served.url, method, path, headers, method === 'POST' ? '' : undefined)).status;
    assert.equal(await status('GET', '/hub'), 400);
    assert.equal(await status('GET', '/hub', { ...good, accept: 'text/event-stream' }), 400);
    assert.equal(await status('POST', '/hub'), 400);
    assert.equal(await status('DELETE', '/hub'), 400);
    for (const method of ['GET', 'POST', 'DELETE']) {
      assert.equal(await status(method, '/hub?id=other-node.aaaaaaaaaaaaaaaaaaaaaa'), 404);
    }
    assert.equal(await status('GET', '/hubble'), 200);

    const webSocket = `/hub?id=${await negotiated()}`;
    const client = await openRaw(served.url, `${webSocket}&access_token=good`);
    assert.equal(await status('POST', webSocket), 405);
    assert.equal(await status('GET', webSocket), 400);
    assert.equal(await status('DELETE', webSocket), 400);
    await assert.rejects(openRaw(served.url, `${webSocket}&access_token=good`), { message: '409' });
    await assert.rejects(openRaw(served.url, '/hub?id=unknown&access_token=good'), { message: '404' });
    client.socket.terminate();

    const poll = await polling();
    assert.equal(await status('GET', poll, { ...good, accept: 'text/event-stream' }), 400);
    await assert.rejects(openRaw(served.url, `${poll}&access_token=good`), { message: '400' });
    assert.equal(await status('DELETE', poll), 202);
    assert.equal(await status('GET', poll), 404);
    assert.equal(await status('POST', poll), 404);
  });

  it('with another method learn which ones the path takes', async () => {
    const refused = async (method: string, path: string): Promise<unknown[]> => {
      const { status, headers, text } = await ask(served.url, method, path, good);
      return [status, headers['allow'], text === '' ? '' : JSON.parse(text).detail];
    };
    for (const method of ['PUT', 'PATCH', 'QUERY', 'HEAD']) {
      const [hub, negotiate] = [await refused(method, '/hub'), await refused(method, '/hub/negotiate/')];
      assert.deepEqual(hub.slice(0, 2), [405, 'GET, POST, DELETE, OPTIONS'], method);
      assert.deepEqual(negotiate.slice(0, 2), [405, 'POST, OPTIONS'], method);
    }
    for (const method of ['GET', 'DELETE']) {
      const told = await refused(method, '/hub/negotiate');
      assert.deepEqual(told, [405, 'POST, OPTIONS', 'allowed here: POST, OPTIONS']);
    }
    assert.deepEqual(await refused('PUT', '/hub'), [
      405,
      'GET, POST, DELETE, OPTIONS',
      'allowed here: GET, POST, DELETE, OPTIONS',
    ]);

    const webSocket = `/hub?id=${await negotiated()}`;
    const client = await openRaw(served.url, `${webSocket}&access_token=good`);
    assert.deepEqual(await refused('POST', webSocket), [
      405,
      'OPTIONS',
      'a WebSocket carries both directions',
    ]);
    client.socket.terminate();
  });

  it('that are admitted at the same time get one transport', async () => {
    const own = await serveHub();
    const id = await negotiated(own.url);
    let admit: (principal: Principal) => void = () => {};
    const principal = new Promise<Principal>((resolve) => {
      admit = resolve;
    });
    let asked = 0;
    own.tokens.get = () => {
      asked++;
      return principal;
    };
    const upgrades = [1, 2].map(() => openRaw(own.url, `/hub?id=${id}`, good).then(() => '101', String));
    const poll = open(own.url, 'GET', `/hub?id=${id}`).response.then(({ statusCode }) => statusCode);
    while (asked < 3) await new Promise(setImmediate);
    admit({ tokenId: '1', workspace: 'default', scopes: ['admin'] });
    const statuses = [...(await Promise.all(upgrades)), String(await poll)];
    assert.equal(
      statuses.filter((status) => status === '101' || status === '200').length,
      1,
      statuses.join(),
    );
    const { values } = await own.metrics.hubConnections.get();
    assert.equal(
      values.reduce((sum, { value }) => sum + value, 0),
      1,
    );
  });

  it('are allowed from other origins, with credentials, and preflights without a token', async () => {
    const origin = 'https://page.example';
    const preflight = await ask(served.url, 'OPTIONS', '/hub/negotiate', {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,x-own',
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers['access-control-allow-headers'], 'authorization,x-own');
    assert.equal(preflight.headers['access-control-allow-methods'], 'POST');
    const ofHub = await ask(served.url, 'OPTIONS', '/hub', {
      origin,
      'access-control-request-method': 'GET',
    });
    assert.equal(ofHub.headers['access-control-allow-methods'], 'GET, POST, DELETE');
    const answers = [
      preflight,
      await ask(served.url, 'POST', '/hub/negotiate', { ...good, origin }),
      await ask(served.url, 'GET', '/hub?id=x', { origin }),
    ];
    for (const { headers } of answers) {
      assert.equal(headers['access-control-allow-origin'], origin);
      assert.equal(headers['access-control-allow-credentials'], 'true');
      assert.equal(headers.vary, 'Origin');
    }
    const narrow = await serveHub({}, 'https://one.example, https://two.example');
    const allowed = await ask(narrow.url, 'OPTIONS', '/hub', { origin: 'https://two.example' });
    assert.equal(allowed.headers['access-control-allow-origin'], 'https://two.example');
    const refused = await ask(narrow.url, 'OPTIONS', '/hub', { origin });
    assert.equal(refused.headers['access-control-allow-origin'], undefined);
  });

  it('begin no connection for a page of an origin that is not allowed', async () => {
    const narrow = await serveHub({}, 'https://one.example, https://two.example');
    const { host } = new URL(narrow.url);
    const begin = async (headers: Record<string, string>): Promise<[number, string]> => [
      (await ask(narrow.url, 'POST', '/hub/negotiate', { ...good, ...headers })).status,
      await openRaw(narrow.url, undefined, headers).then(
        () => 'open',
        ({ message }: Error) => message,
      ),
    ];
    for (const origin of ['https://two.example', 'https://one.example', `http://${host}`, `https://${host}`])
      assert.deepEqual(await begin({ origin }), [200, 'open'], origin);
    assert.deepEqual(await begin({}), [200, 'open']);
    for (const origin of [
      'https://page.example',
      'http://one.example',
      'https://one.example.org',
      'https://one.example:8443',
      `http://x${host}`,
      host,
      'null',
      '',
    ])
      assert.deepEqual(await begin({ origin }), [403, '403'], origin);
    const refused = await ask(narrow.url, 'POST', '/hub/negotiate', { ...good, origin: 'null' });
    assert.equal((JSON.parse(refused.text) as { code: string }).code, 'forbidden');
    const any = await openRaw(served.url, undefined, { origin: 'https://page.example' });
    any.socket.close();
  });

  it('close the connection with the reason when a message is above the limit', async () => {
    const small = await serveHub({ maxMessageBytes: 1000 });
    const path = await polling(small.url);
    assert.equal((await ask(small.url, 'POST', path, good, 'x'.repeat(1001))).status, 200);
    const [close] = (await ask(small.url, 'GET', path)).text.split(separator);
    assert.match(JSON.parse(close!).error, /a message may have 1000 bytes at most/);
  });

  it('take a body of many messages, however large they are together', async () => {
    const small = await serveHub({
      maxMessageBytes: 1000,
      maxUnfinishedBytes: 1000,
      maxInvocationsInFlight: 10,
    });
    const path = await polling(small.url);
    const texts = Array.from({ length: 500 }, (_, i) => `${i} ${'x'.repeat(800)}`);
    const body = texts.map((text) => call('Note', [text])).join('');
    assert.equal((await ask(small.url, 'POST', path, good, body)).status, 200);
    await ask(small.url, 'POST', path, good, call('Echo', ['done'], '0'));
    assert.match((await ask(small.url, 'GET', path)).text, /done/);
    assert.deepEqual(
      small.notes.map((note) => JSON.parse(note)),
      texts,
    );
    assert.equal(small.budget.used, 0);
  });

  it('bound what waits for the rest of a message, over several of them, and count it meanwhile', async () => {
    const small = await serveHub({ maxUnfinishedBytes: 1000 });
    const path = await polling(small.url);
    const message = call('Note', ['x'.repeat(800)]);
    await ask(small.url, 'POST', path, good, message.slice(0, 600));
    assert.equal(small.budget.used, 600);
    await ask(small.url, 'POST', path, good, message.slice(600) + message.slice(0, 300));
    assert.equal(small.notes.length, 1);
    assert.equal(small.budget.used, 300);
    await ask(small.url, 'POST', path, good, 'x'.repeat(701));
    const [close] = (await ask(small.url, 'GET', path)).text.split(separator);
    assert.match(JSON.parse(close!).error, /an unfinished message may have 1000 bytes at most/);
    assert.equal(small.budget.used, 0);

    const early = `/hub?id=${await negotiated(small.url)}`;
    await ask(small.url, 'POST', early, good, 'x'.repeat(1000));
    assert.equal(small.budget.used, 1000);
    await ask(small.url, 'POST', early, good, 'x');
    assert.equal((await ask(small.url, 'GET', early)).status, 404);
    assert.equal(small.budget.used, 0);
  });

  it('end the connection when a client leaves inside a body, for the rest never comes', async () => {
    const path = await polling();
    const broken = connect(Number(new URL(served.url).port), '127.0.0.1');
    await once(broken, 'connect');
    broken.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nContent-Length: 100\r\n\r\n{"type":`,
    );
    await ask(served.url, 'GET', '/other');
    broken.destroy();
    const { text } = await ask(served.url, 'GET', path);
    assert.match(JSON.parse(text.split(separator)[0]!).error, /left inside the body of a POST/);
  });

  it('are counted by route and status, the refused ones too', async () => {
    const counted = await serveHub();
    const path = await polling(counted.url);
    await ask(counted.url, 'DELETE', path);
    await ask(counted.url, 'GET', path);
    await ask(counted.url, 'POST', '/hub/negotiate', {});
    await assert.rejects(openRaw(counted.url, '/hub'), { message: '401' });
    (await openRaw(counted.url)).socket.terminate();
    const { values } = await counted.metrics.requests.get();
    assert.deepEqual(values.map(({ labels, value }) => `${labels.route} ${labels.status} ${value}`).sort(), [
      '/hub 101 1',
      '/hub 200 3',
      '/hub 202 1',
      '/hub 401 1',
      '/hub 404 1',
      '/hub/negotiate 200 1',
      '/hub/negotiate 401 1',
    ]);
    const { values: refused } = await counted.metrics.refusedRequests.get();
    assert.deepEqual(
      refused.map(({ labels, value }) => `${labels.reason} ${value}`),
      ['unauthorized 2', 'forbidden 0', 'overloaded 0'],
    );
  });

  it('for a WebSocket that is none are refused as all others are', async () => {
    for (const [head, status, detail, more] of [
      ['GET', 400, 'Missing or invalid Sec-WebSocket-Key header', ''],
      ['GET', 400, 'Missing or invalid Sec-WebSocket-Version header', 'Sec-WebSocket-Version: 7\r\n'],
      ['POST', 405, 'Invalid HTTP method', 'Accept: */*\r\n'],
    ] as const) {
      const client = await openRawClient(served.url);
      const key = more === '' ? '' : 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
      client.socket.write(
        `${head} /hub HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nConnection: Upgrade\r\n` +
          `Upgrade: websocket\r\n${key}${more}\r\n`,
      );
      const [lines, body] = (await client.rest()).split('\r\n\r\n');
      assert.match(lines!, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.match(lines!, /\r\nContent-Type: application\/problem\+json\r\n/);
      assert.match(lines!, /\r\nSec-WebSocket-Version: 13, 8\r\n/);
      assert.equal(/\r\nAllow: (.*)\r\n/.exec(lines!)?.[1], status === 405 ? 'GET' : undefined);
      const problem = JSON.parse(body!);
      assert.deepEqual([problem.status, problem.detail], [status, detail]);
    }
  });

  it('of a refused upgrade lose their socket, though the client keeps its half open', async () => {
    const socket = connect({
      port: Number(new URL(served.url).port),
      host: '127.0.0.1',
      allowHalfOpen: true,
    });
    await once(socket, 'connect');
    socket.write('GET /hub HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    const [head] = await once(socket, 'data');
    assert.match(String(head), /^HTTP\/1.1 401 /);
    socket.resume();
    // Writing to a socket that is gone is answered with a reset; one that lingers would take it for ever.
    const broken = once(socket, 'error');
    const writing = setInterval(() => socket.write('x'), 1);
    await broken;
    clearInterval(writing);
  });
});

/** Sends a poll on a socket of its own, whose answer nobody reads. */
async function sendPoll(path: string, headers = ''): Promise<Socket> {
  const socket = connect(Number(new URL(served.url).port), '127.0.0.1').pause();
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n${headers}\r\n`);
  await ask(served.url, 'GET', '/other');
  return socket;
}

describe('Long Polling', () => {
  it('answers the first poll at once, then waits for data', async () => {
    const path = `/hub?id=${await negotiated()}`;
    const first = await ask(served.url, 'GET', `${path}&_=1733333333333`);
    assert.deepEqual([first.status, first.text], [200, '']);
    const { response } = open(served.url, 'GET', path);
    await ask(
      served.url,
      'POST',
      path,
      { ...good, 'content-type': 'application/json' },
      handshake + call('Echo', [1], '0'),
    );
    const answer = await response;
    assert.equal(answer.headers['content-type'], 'application/octet-stream');
    assert.match(answer.headers['cache-control']!, /no-cache/);
    let text = '';
    for await (const chunk of answer) text += chunk;
    if (!text.includes('result')) text += (await ask(served.url, 'GET', path)).text;
    assert.equal(text, `{}${separator}{"type":3,"invocationId":"0","result":1}${separator}`);
  });

  it('keeps bytes that come before the first poll', async () => {
    const path = `/hub?id=${await negotiated()}`;
    assert.equal((await ask(served.url, 'POST', path, good, handshake.slice(0, 5))).status, 200);
    assert.equal((await ask(served.url, 'POST', path, good, handshake.slice(5))).status, 200);
    assert.equal((await ask(served.url, 'GET', path)).text, '');
    assert.equal((await ask(served.url, 'GET', path)).text, `{}${separator}`);
  });

  it('ends an older poll with 204 when a newer one takes over', async () => {
    const path = await polling();
    const older = open(served.url, 'GET', path);
    const newer = open(served.url, 'GET', path);
    const status = await Promise.race([older.response, newer.response]).then(({ statusCode }) => statusCode);
    assert.equal(status, 204);
    await ask(served.url, 'POST', path, good, call('Echo', [2], '0'));
    const answers = await Promise.all([older.response, newer.response]);
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 204]);
  });

  it('loses nothing when a client drops a poll that waits, or one whose answer it has not read', async () => {
    const path = await polling();
    await ask(served.url, 'POST', path, good, call('Listen', [], '0'));
    assert.match((await ask(served.url, 'GET', path)).text, /"type":3/);
    const listener = served.listeners.at(-1)!;
    const deliver = (i: number) => listener.deliver(liveEvent('PackageReceived', () => [i]));
    for (let i = 0; i < 20; i += 2) {
      const waits = await sendPoll(path);
      waits.destroy();
      await ask(served.url, 'GET', '/other');
      deliver(i);
      deliver(i + 1);
      const unread = await sendPoll(path);
      while (listener.queue.length > 0) await new Promise(setImmediate);
      unread.destroy();
      await once(unread, 'close');
    }
    let text = '';
    while (!text.includes('[19]')) text += (await ask(served.url, 'GET', path)).text;
    const messages = text.split(separator).filter(Boolean);
    assert.deepEqual(
      messages.map((message) => JSON.parse(message).arguments[0]),
      Array.from({ length: 20 }, (_, i) => i),
    );
  });

  it('sends nothing twice when a proxy resets a connection that has brought an answer', async () => {
    const path = await polling();
    await ask(served.url, 'POST', path, good, call('Listen', [], '0'));
    assert.match((await ask(served.url, 'GET', path)).text, /"type":3/);
    const listener = served.listeners.at(-1)!;
    const deliver = (i: number) => listener.deliver(liveEvent('PackageReceived', () => [i]));
    for (const header of ['X-Forwarded-For: 10.0.0.1', 'Via: 1.1 proxy', 'Forwarded: for=10.0.0.1']) {
      deliver(1);
      const socket = await sendPoll(path, `${header}\r\n`);
      const [answer] = await once(socket.resume(), 'data');
      assert.match(String(answer), /\[1\]/);
      socket.resetAndDestroy();
      await once(socket, 'close');
      await ask(served.url, 'GET', '/other');
      deliver(2);
      const { text } = await ask(served.url, 'GET', path);
      assert.deepEqual(text.match(/\[\d\]/g), ['[2]']);
    }
  });

  it('gives the messages of an answer that nobody takes to the next poll', async () => {
    const path = await polling();
    await ask(served.url, 'POST', path, good, call('Listen', [], '0'));
    await ask(served.url, 'GET', path);
    const listener = served.listeners.at(-1)!;
    const large = 'x'.repeat(8 * 2 ** 20);
    const stuck = await sendPoll(path);
    listener.deliver(liveEvent('PackageReceived', () => [large]));
    assert.equal(listener.queue.length, 0);
    const { text } = await ask(served.url, 'GET', path);
    assert.equal(JSON.parse(text.slice(0, -1)).arguments[0].length, large.length);
    stuck.destroy();
  });

  it('shares one socket between many connections, as a proxy does, without a trace of those before', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const through = async (method: string, path: string, body?: string): Promise<string> => {
      const outgoing = request(served.url + path, { method, headers: good, agent });
      outgoing.end(body);
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
      let text = '';
      for await (const chunk of incoming) text += chunk;
      return text;
    };
    for (let i = 0; i < 12; i++) {
      const path = `/hub?id=${JSON.parse(await through('POST', '/hub/negotiate')).connectionId}`;
      await through('GET', path);
      await through('POST', path, handshake);
      assert.equal(await through('GET', path), `{}${separator}`);
    }
    await new Promise(setImmediate);
    process.off('warning', note);
    agent.destroy();
    assert.deepEqual(warnings, []);
  });

  it('answers a poll without data after 90 s, and forgets a client that polls no more', async () => {
    const slow = await serveHub();
    const path = await polling(slow.url);
    const { outgoing, response } = open(slow.url, 'GET', path);
    await once(outgoing, 'finish');
    await ask(slow.url, 'GET', '/other');
    slow.pass(90_000);
    const answer = await response;
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.headers['content-length'], '0');
    slow.pass(15_000);
    assert.equal(slow.hub.connectionCount, 0);
    assert.equal((await ask(slow.url, 'GET', path)).status, 404);
  });

  it('ends the waiting poll with 204 when the client deletes the connection', async () => {
    const path = await polling();
    const { outgoing, response } = open(served.url, 'GET', path);
    await once(outgoing, 'finish');
    await ask(served.url, 'GET', '/other');
    assert.equal((await ask(served.url, 'DELETE', path)).status, 202);
    assert.equal((await response).statusCode, 204);
  });

  it('ends the waiting poll with 204 when the client says that it leaves, and counts it out once', async () => {
    const single = await serveHub({ maxConnectionsPerToken: 1 });
    for (let i = 0; i < 3; i++) {
      const path = await polling(single.url);
      const { outgoing, response } = open(single.url, 'GET', path);
      await once(outgoing, 'finish');
      await ask(single.url, 'GET', '/other');
      assert.equal((await ask(single.url, 'POST', path, good, `{"type":7}${separator}`)).status, 200);
      assert.equal((await response).statusCode, 204);
      assert.equal(single.hub.connectionCount, 0);
    }
    await negotiated(single.url);
    assert.match((await ask(single.url, 'POST', '/hub/negotiate')).text, /the token has 1 connections/);
  });

  it('hands out what is left at the end with 200, then says 204, then 404', async () => {
    const path = await polling();
    await ask(served.url, 'POST', path, good, `garbage${separator}`);
    const last = await ask(served.url, 'GET', path);
    assert.equal(last.status, 200);
    assert.match(last.text, /"type":7,"error":/);
    assert.equal((await ask(served.url, 'GET', path)).status, 204);
    assert.equal((await ask(served.url, 'GET', path)).status, 404);
  });

  it('tells a reader that polls too slowly so', async () => {
    const narrow = await serveHub({ maxQueueBytes: 1000 });
    const path = await polling(narrow.url);
    await ask(narrow.url, 'POST', path, good, call('Listen', [], '0'));
    await ask(narrow.url, 'GET', path);
    const event = liveEvent('PackageReceived', () => ['x'.repeat(300)]);
    for (let i = 0; i < 5; i++) narrow.listeners[0]?.deliver(event);
    assert.deepEqual(narrow.listeners, []);
    const { text } = await ask(narrow.url, 'GET', path);
    assert.match(JSON.parse(text.slice(0, -1)).error, /too slow/);
  });

  it('sees on every poll whether the token is valid', async () => {
    const strict = await serveHub();
    const path = await polling(strict.url);
    strict.tokens.delete('good');
    assert.equal((await ask(strict.url, 'GET', path)).status, 401);
    assert.equal((await ask(strict.url, 'POST', path, good, 'x')).status, 401);
  });

  it('sends everyone away at a stop', async () => {
    const stopping = await serveHub();
    const path = await polling(stopping.url);
    const { outgoing, response } = open(stopping.url, 'GET', path);
    await once(outgoing, 'finish');
    await ask(stopping.url, 'GET', '/other');
    const stopped = stopping.hub.stop();
    let text = '';
    for await (const chunk of await response) text += chunk;
    assert.equal(text, `{"type":7,"allowReconnect":true}${separator}`);
    assert.equal((await ask(stopping.url, 'POST', path, good, 'x')).status, 503);
    assert.equal((await ask(stopping.url, 'POST', '/hub/negotiate')).status, 503);
    assert.equal((await ask(stopping.url, 'GET', path)).status, 204);
    await stopped;
  });
});

describe('Server-Sent Events', () => {
  it('begin at once, have a line for each message, and no other fields', async () => {
    const path = `/hub?id=${await negotiated()}`;
    const { response, outgoing } = open(served.url, 'GET', path, { ...good, accept: 'text/event-stream' });
    const stream = await response;
    assert.equal(stream.headers['content-type'], 'text/event-stream');
    assert.match(stream.headers['cache-control']!, /no-cache/);
    let text = '';
    stream.on('data', (chunk) => {
      text += chunk;
    });
    stream.on('error', () => {});
    await ask(
      served.url,
      'POST',
      path,
      good,
      handshake + call('Echo', ['a\nb'], '0') + call('Listen', [], '1'),
    );
    while (!text.includes('"1"')) await once(stream, 'data');
    const second = await ask(served.url, 'GET', path, { ...good, accept: 'text/event-stream' });
    assert.equal(second.status, 409);
    assert.equal(
      text,
      `:\r\ndata: {}${separator}\r\n\r\ndata: {"type":3,"invocationId":"0","result":"a\\nb"}${separator}\r\n\r\n` +
        `data: {"type":3,"invocationId":"1"}${separator}\r\n\r\n`,
    );
    const listener = served.listeners.at(-1)!;
    outgoing.destroy();
    while (listener.state !== 'closed') await new Promise(setImmediate);
    assert.equal((await ask(served.url, 'POST', path, good, 'x')).status, 404);
  });

  it('do not carry MessagePack', async () => {
    const path = `/hub?id=${await negotiated()}`;
    const { response } = open(served.url, 'GET', path, { ...good, accept: 'text/event-stream' });
    const stream = await response;
    await ask(served.url, 'POST', path, good, `{"protocol":"messagepack","version":1}${separator}`);
    let text = '';
    for await (const chunk of stream) text += chunk;
    assert.match(text, /Cannot use the 'messagepack' protocol/);
  });

  it('ping like WebSockets', async () => {
    const quiet = await serveHub();
    const path = `/hub?id=${await negotiated(quiet.url)}`;
    const { response } = open(quiet.url, 'GET', path, { ...good, accept: 'text/event-stream' });
    const stream = await response;
    await ask(quiet.url, 'POST', path, good, handshake);
    let text = '';
    stream.on('data', (chunk) => {
      text += chunk;
    });
    while (!text.includes('{}')) await once(stream, 'data');
    quiet.pass(15_000);
    while (!/"type".*\r\n\r\n$/s.test(text)) await once(stream, 'data');
    assert.ok(text.endsWith(`data: {"type":6}${separator}\r\n\r\n`));
  });
});
