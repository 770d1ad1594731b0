import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { encode } from '@msgpack/msgpack';
import { PitwallError } from '../../src/errors.ts';
import { liveEvent } from '../../src/live/live-event.ts';
import { call, connectRaw, handshake, openRaw, separator, serveHub } from './serve-hub.ts';

const served = await serveHub();
const { url } = served;
const echo = (id: string) => call('Echo', [id], id);
const echoed = (id: string) => `{"type":3,"invocationId":"${id}","result":"${id}"}`;

describe('a WebSocket of the hub', () => {
  it('needs no negotiation, and answers the handshake alone in its frame', async () => {
    const client = await openRaw(url, '/hub?connectionId=aGVsbG8=&access_token=good');
    const frames: string[] = [];
    client.socket.on('message', (data) => frames.push(String(data)));
    client.send(handshake + echo('1'));
    assert.equal(await client.next(), '{}');
    assert.equal(await client.next(), echoed('1'));
    assert.equal(frames[0], `{}${separator}`);
  });

  it('reads a message spread over frames, and several in one', async () => {
    const stream = handshake + echo('1') + echo('2');
    for (let cut = 0; cut <= stream.length; cut += 7) {
      const client = await openRaw(url);
      client.send(stream.slice(0, cut));
      client.send(stream.slice(cut), true);
      assert.deepEqual(
        [await client.next(), await client.next(), await client.next()],
        ['{}', echoed('1'), echoed('2')],
      );
      client.socket.terminate();
    }
  });

  it('speaks MessagePack in binary frames after a handshake in either', async () => {
    for (const binary of [true, false]) {
      const client = await openRaw(url);
      client.send(`{"protocol":"messagepack","version":0}${separator}`, binary);
      assert.equal(await client.next(), '{}');
      const body = encode([1, {}, '0', 'echo', ['x']]);
      client.socket.removeAllListeners('message');
      client.send(Buffer.concat([Buffer.from([body.length]), body]), true);
      const [data, isBinary] = (await once(client.socket, 'message')) as [Buffer, boolean];
      const answer = encode([3, {}, '0', 3, 'x']);
      assert.deepEqual(data, Buffer.concat([Buffer.from([answer.length]), answer]));
      assert.equal(isBinary, true);
      client.socket.terminate();
    }
  });

  it('sends what waits in few frames, each with whole messages, and the answer to the handshake alone', async () => {
    const client = await openRaw(url);
    const frames: string[] = [];
    client.socket.on('message', (data: Buffer) => frames.push(data.toString()));
    const ids = Array.from({ length: 1000 }, (_, i) => String(i));
    client.send(handshake + ids.map(echo).join(''));
    assert.equal(await client.next(), '{}');
    for (const id of ids) assert.equal(await client.next(), echoed(id));
    assert.equal(frames[0], `{}${separator}`);
    assert.ok(frames.length < 200, `${frames.length} frames`);
    client.socket.close();
  });

  it('sends messages short and long in their order', async () => {
    const client = await connectRaw(url);
    const lengths = [1, 20_000, 2, 16_000, 3, 300, 200_000, 4, 5];
    client.send(lengths.map((length, i) => call('Echo', ['x'.repeat(length)], String(i))).join(''));
    for (const [i, length] of lengths.entries()) {
      assert.equal(await client.next(), `{"type":3,"invocationId":"${i}","result":"${'x'.repeat(length)}"}`);
    }
  });

  it('never answers a call without an id, not even with an error', async () => {
    const client = await connectRaw(url);
    client.send(call('Nonsense', []) + call('Fail', []) + call('Note', ['silent']) + echo('after'));
    assert.equal(await client.next(), echoed('after'));
    assert.equal(served.notes.at(-1), '"silent"');
  });

  it('says in the error of a call what was wrong, and goes on', async () => {
    const client = await connectRaw(url, '/hub?access_token=reader');
    const errors: [string, string][] = [
      [call('Nonsense', [], '1'), "Unknown hub method 'Nonsense'"],
      [
        call('Echo', [1, 2], '1'),
        "Failed to invoke 'Echo' due to an error on the server. InvalidDataException: Invocation provides 2 argument(s) but target expects 1.",
      ],
      [
        call('Echo', [1, 2, 3, 4], '1'),
        "Failed to invoke 'Echo' due to an error on the server. InvalidDataException: Invocation provides more than 3 argument(s) but target expects 1: arguments[1] is one too many.",
      ],
      [
        call('Fail', [], '1'),
        "Failed to invoke 'Fail' because user is unauthorized. HubException: this needs the scope write; the token has read",
      ],
      [call('Bug', [], '1'), "An unexpected error occurred invoking 'Bug' on the server."],
      [
        `{"type":4,"invocationId":"1","target":"Echo","arguments":[1]}${separator}`,
        "The client attempted to invoke the non-streaming 'Echo' method with a streaming invocation.",
      ],
    ];
    for (const [message, error] of errors) {
      client.send(message);
      assert.deepEqual(JSON.parse((await client.next())!), { type: 3, invocationId: '1', error });
    }
    const writer = await connectRaw(url);
    writer.send(call('Fail', [], ''.padEnd(3, '"')));
    assert.deepEqual(JSON.parse((await writer.next())!), {
      type: 3,
      invocationId: '"""',
      error:
        "An unexpected error occurred invoking 'Fail' on the server. HubException: the disk is full (disk_full)",
    });
  });

  it('matches method names without case', async () => {
    const client = await connectRaw(url);
    client.send(call('eCHO', ['x'], '0'));
    assert.equal(await client.next(), '{"type":3,"invocationId":"0","result":"x"}');
  });

  it('closes with the reason when the input is broken, and only that connection', async () => {
    const bystander = await connectRaw(url);
    const broken = [
      `garbage${separator}`,
      `{}${separator}`,
      `[1]${separator}`,
      `{"type":1}${separator}`,
      `{"type":"1"}${separator}`,
      separator,
    ];
    for (const text of broken) {
      const client = await connectRaw(url);
      client.send(text);
      const close = JSON.parse((await client.next())!);
      assert.equal(close.type, 7);
      assert.match(close.error, /^Connection closed with an error\. .+/);
      assert.equal(close.allowReconnect, undefined);
      assert.equal(await client.next(), undefined);
      assert.equal(await client.closed, 1000);
    }
    bystander.send(echo('still here'));
    assert.equal(await bystander.next(), echoed('still here'));
  });

  it('refuses a first message that is no handshake, and says so', async () => {
    for (const text of [
      `{"type":6}${separator}`,
      `GET / HTTP/1.1${separator}`,
      `{"protocol":"xml","version":1}${separator}`,
      'x'.repeat(5000),
    ]) {
      const client = await openRaw(url);
      client.send(text);
      const answer = JSON.parse((await client.next())!);
      assert.ok(answer.error);
      assert.equal('type' in answer, false);
      assert.equal(await client.closed, 1000);
    }
  });

  it('closes normally when the client says that it leaves', async () => {
    const client = await connectRaw(url);
    client.send(`{"type":7}${separator}`);
    assert.equal(await client.next(), undefined);
    assert.equal(await client.closed, 1000);
  });

  it('answers pings of the socket', async () => {
    const client = await connectRaw(url);
    client.socket.ping('x');
    const [data] = await once(client.socket, 'pong');
    assert.equal(String(data), 'x');
  });

  it('forgets a client that drops the connection', async () => {
    const client = await connectRaw(url);
    client.send(call('Listen', [], '0'));
    await client.next();
    const listener = served.listeners.at(-1)!;
    client.socket.terminate();
    await client.closed;
    while (listener.state !== 'closed') await new Promise(setImmediate);
    assert.equal(served.listeners.includes(listener), false);
  });
});

describe('the limits of a connection', () => {
  it('closes one that sends a message above the limit, in one frame or in many, and says so', async () => {
    const small = await serveHub({ maxMessageBytes: 1000 });
    for (const frames of [['x'.repeat(1001)], ['x'.repeat(600), 'x'.repeat(600)], ['x'.repeat(200_000)]]) {
      const client = await connectRaw(small.url);
      for (const frame of frames) client.send(frame);
      const close = JSON.parse((await client.next())!);
      assert.equal(close.type, 7);
      assert.match(close.error, /a message may have 1000 bytes at most/);
      assert.equal(await client.closed, 1000);
    }
  });

  it('closes a client that breaks the rules of WebSockets with a message too', async () => {
    const client = await connectRaw(url);
    const raw = (client.socket as unknown as { _socket: import('node:net').Socket })._socket;
    // A reserved operation code.
    raw.write(Buffer.from([0x83, 0x80, 0, 0, 0, 0]));
    const close = JSON.parse((await client.next())!);
    assert.match(close.error, /rules of WebSockets/);
  });

  it('gives the handshake its time, and no more', async () => {
    const late = await serveHub({ handshakeTimeoutMs: 5000 });
    const client = await openRaw(late.url);
    client.send('{"protocol":');
    client.socket.ping();
    await once(client.socket, 'pong');
    late.pass(4000);
    client.send('"json","version":1}');
    client.socket.ping();
    await once(client.socket, 'pong');
    late.pass(2000);
    assert.equal(await client.next(), '{"error":"Handshake was canceled."}');
    assert.equal(await client.closed, 1000);
  });

  it('pings when it has been silent, and not before', async () => {
    const quiet = await serveHub();
    const client = await connectRaw(quiet.url);
    quiet.pass(14_000);
    client.send(echo('1'));
    assert.equal(await client.next(), echoed('1'));
    quiet.pass(14_000);
    client.send(echo('2'));
    assert.equal(await client.next(), echoed('2'));
    quiet.pass(15_000);
    assert.equal(await client.next(), '{"type":6}');
  });

  it('gives up a silent client only if that has ever pinged, and no call of it runs', async () => {
    const quiet = await serveHub();
    const never = await connectRaw(quiet.url);
    const once1 = await connectRaw(quiet.url);
    const calling = await connectRaw(quiet.url);
    once1.send(`{"type":6}${separator}${echo('1')}`);
    await once1.next();
    calling.send(`{"type":6}${separator}${call('Wait', [], '0')}${echo('1')}`);
    await calling.next();
    quiet.pass(31_000);
    assert.equal(await once1.next(), '{"type":6}');
    const close = JSON.parse((await once1.next())!);
    assert.match(close.error, /no message came for 30 s/);
    never.send(echo('2'));
    calling.send(echo('3'));
    for (const [client, id] of [
      [never, '2'],
      [calling, '3'],
    ] as const) {
      let message = await client.next();
      while (message === '{"type":6}') message = await client.next();
      assert.equal(message, echoed(id));
    }
  });

  it('does not count the silence of a call that runs', async () => {
    const quiet = await serveHub();
    const client = await connectRaw(quiet.url);
    client.send(`{"type":6}${separator}${call('Wait', [], '0')}`);
    while (quiet.waiting.length === 0) await new Promise(setImmediate);
    quiet.pass(40_000);
    quiet.waiting.shift()!();
    while ((await client.next()) !== '{"type":3,"invocationId":"0"}');
    quiet.pass(29_000);
    client.send(echo('1'));
    let message = await client.next();
    while (message === '{"type":6}') message = await client.next();
    assert.equal(message, echoed('1'));
  });

  it('allows a token so many connections, and another token its own', async () => {
    const few = await serveHub({ maxConnectionsPerToken: 2 });
    await connectRaw(few.url);
    const second = await connectRaw(few.url);
    await assert.rejects(openRaw(few.url), { message: '503' });
    await connectRaw(few.url, '/hub?access_token=other');
    second.socket.close();
    await second.closed;
    while (few.hub.connectionCount > 2) await new Promise(setImmediate);
    await connectRaw(few.url);
  });

  it('reads on only when calls in flight are answered, and loses none', async () => {
    const narrow = await serveHub({ maxInvocationsInFlight: 3 });
    const client = await connectRaw(narrow.url);
    for (let i = 0; i < 10; i++) client.send(call('Wait', [], String(i)));
    client.send(echo('last'));
    while (narrow.waiting.length < 3) await new Promise(setImmediate);
    for (let i = 0; i < 10; i++) {
      assert.ok(narrow.waiting.length <= 3);
      while (narrow.waiting.length === 0) await new Promise(setImmediate);
      narrow.waiting.shift()!();
      let answer = await client.next();
      if (answer === echoed('last')) answer = await client.next();
      assert.equal(answer, `{"type":3,"invocationId":"${i}"}`);
    }
  });

  it('answers every call of a flood in one frame, in order', async () => {
    const client = await connectRaw(url);
    const ids = Array.from({ length: 5000 }, (_, i) => String(i));
    client.send(ids.map(echo).join(''));
    for (const id of ids) assert.equal(await client.next(), echoed(id));
  });

  for (const [what, fin] of [
    ['frames of one WebSocket message', false],
    ['WebSocket messages', true],
  ] as const) {
    it(`counts messages unfinished over many ${what} together, and closes who asks for too much`, async () => {
      const small = await serveHub();
      const clients = await Promise.all([1, 2, 3].map(() => connectRaw(small.url)));
      const part = Buffer.alloc(2 ** 20, 'x');
      for (const { socket } of clients) for (let i = 0; i < 30; i++) socket.send(part, { fin });
      const close = JSON.parse((await Promise.race(clients.map((client) => client.next())))!);
      assert.match(close.error, /too many bytes are in flight/);
      const open = clients.filter(({ socket }) => socket.readyState === socket.OPEN);
      assert.equal(open.length, 2);
      for (const { socket } of clients) socket.terminate();
      while (small.hub.connectionCount > 0) await new Promise(setImmediate);
      assert.equal(small.budget.used, 0);
    });
  }

  it('bounds what waits for the rest of a message', async () => {
    const small = await serveHub({ maxUnfinishedBytes: 100_000 });
    const client = await connectRaw(small.url);
    client.send('x'.repeat(60_000));
    client.send('x'.repeat(60_000));
    const close = JSON.parse((await client.next())!);
    assert.match(close.error, /an unfinished message may have 100000 bytes at most/);
    const framed = await connectRaw(small.url);
    framed.send('x'.repeat(200_000));
    assert.match(JSON.parse((await framed.next())!).error, /larger than an unfinished message may be/);
  });

  it('takes many messages in one frame, each within the limit, though together they are above', async () => {
    const small = await serveHub({ maxMessageBytes: 1000 });
    const client = await connectRaw(small.url);
    const ids = Array.from({ length: 100 }, (_, i) => String(i));
    client.send(ids.map(echo).join(''));
    for (const id of ids) assert.equal(await client.next(), echoed(id));
  });

  it('closes a reader that cannot keep up, and does not make the others wait', async () => {
    const crowded = await serveHub({ maxQueueBytes: 100_000 });
    const slow = await connectRaw(crowded.url);
    slow.send(call('Listen', [], '0'));
    await slow.next();
    const fast = await connectRaw(crowded.url);
    fast.send(call('Listen', [], '0'));
    await fast.next();
    slow.socket.pause();
    const [slowOne, fastOne] = crowded.listeners;
    const text = 'x'.repeat(50_000);
    const event = liveEvent('PackageReceived', () => [text]);
    let sent = 0;
    while (slowOne!.state === 'connected') {
      assert.ok(sent++ < 2000, 'the reader was never too slow');
      for (const listener of [...crowded.listeners]) listener.deliver(event);
      assert.ok((await fast.next())!.length > 50_000);
    }
    assert.equal(fastOne!.state, 'connected');
    slow.socket.resume();
    let last: string | undefined;
    for (let message = await slow.next(); message !== undefined; message = await slow.next()) last = message;
    assert.match(JSON.parse(last!).error, /too slow/);
    assert.equal(await slow.closed, 1000);
  });

  it('ends a connection within a minute of its token', async () => {
    const revoking = await serveHub();
    const client = await connectRaw(revoking.url);
    revoking.tokens.delete('good');
    revoking.pass(21_000);
    let message = await client.next();
    while (message === '{"type":6}') message = await client.next();
    assert.match(JSON.parse(message!).error, /this token is not known/);
    assert.equal(await client.closed, 1000);
  });
});

describe('the order of calls', () => {
  it('is kept while the store has no room', async () => {
    const full = await serveHub();
    const client = await connectRaw(full.url);
    let makeRoom: () => void = () => {};
    full.room = new Promise((resolve) => {
      makeRoom = () => {
        full.room = undefined;
        resolve();
      };
    });
    const asked = full.roomAsked;
    for (let i = 0; i < 5; i++) client.send(call('Note', [i]));
    client.send(echo('done'));
    while (full.roomAsked === asked) await new Promise(setImmediate);
    assert.deepEqual(full.notes, []);
    makeRoom();
    assert.equal(await client.next(), echoed('done'));
    assert.deepEqual(full.notes, ['0', '1', '2', '3', '4']);
  });

  it('fails one write when the store has had no room for too long, and tries on', async () => {
    const full = await serveHub();
    const client = await connectRaw(full.url);
    let giveUp: () => void = () => {};
    full.room = new Promise((_resolve, reject) => {
      giveUp = () => {
        full.room = undefined;
        reject(new PitwallError('overloaded'));
      };
    });
    const asked = full.roomAsked;
    client.send(call('Note', [1], '1') + call('Note', [2], '2'));
    while (full.roomAsked === asked) await new Promise(setImmediate);
    giveUp();
    assert.match((await client.next())!, /"invocationId":"1","error":/);
    assert.equal(await client.next(), '{"type":3,"invocationId":"2"}');
    assert.deepEqual(full.notes, ['2']);
  });

  it('lets a call that looks back wait for those before it, and those after it wait for that', async () => {
    const ordered = await serveHub();
    const client = await connectRaw(ordered.url);
    client.send(call('Wait', [], '0') + call('LookBack', [], '1') + call('Note', ['after'], '2'));
    while (ordered.waiting.length === 0) await new Promise(setImmediate);
    assert.deepEqual(ordered.notes, []);
    ordered.waiting.shift()!();
    for (const id of ['0', '1', '2']) assert.equal(await client.next(), `{"type":3,"invocationId":"${id}"}`);
    assert.deepEqual(ordered.notes, ['look back', '"after"']);
  });
});

describe('a stop', () => {
  it('answers the calls in flight, then sends everyone away to come back', async () => {
    const stopping = await serveHub();
    const client = await connectRaw(stopping.url);
    const idle = await connectRaw(stopping.url);
    const early = await openRaw(stopping.url);
    client.send(call('Wait', [], '0'));
    while (stopping.waiting.length === 0) await new Promise(setImmediate);
    const stopped = stopping.hub.stop();
    assert.equal(await idle.next(), '{"type":7,"allowReconnect":true}');
    assert.equal(await idle.closed, 1000);
    assert.match((await early.next())!, /stopping/);
    await assert.rejects(openRaw(stopping.url), { message: '503' });
    stopping.waiting.shift()!();
    assert.equal(await client.next(), '{"type":3,"invocationId":"0"}');
    assert.equal(await client.next(), '{"type":7,"allowReconnect":true}');
    assert.equal(await client.closed, 1000);
    await stopped;
    assert.equal(stopping.hub.connectionCount, 0);
  });

  it('does not wait for ever for a call, nor for a client', async () => {
    const stopping = await serveHub();
    const client = await connectRaw(stopping.url);
    client.send(call('Wait', [], '0'));
    while (stopping.waiting.length === 0) await new Promise(setImmediate);
    client.socket.pause();
    const stopped = stopping.hub.stop();
    stopping.pass(30_000);
    await stopped;
    assert.equal(stopping.hub.connectionCount, 0);
  });
});
