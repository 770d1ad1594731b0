import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { makeCertificate, opensslMissing } from '../certificate.ts';
import { openRawClient } from '../http/raw-client.ts';
import { until } from '../until.ts';
import { adminToken, type RunningService, send, startService, temporaryFolder } from './service.ts';

const opened: Socket[] = [];
after(() => {
  for (const socket of opened) socket.destroy();
});

interface Client {
  readonly socket: Socket;
  text: string;
  isClosed: boolean;
}

/** A connection that sends no more than this, and whatever comes on it. */
function open({ url }: RunningService, text: string, localAddress = '127.0.0.1'): Client {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress });
  const client: Client = { socket, text: '', isClosed: false };
  opened.push(socket);
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    client.text += chunk.toString('latin1');
  });
  socket.on('close', () => {
    client.isClosed = true;
  });
  if (text !== '') socket.write(text);
  return client;
}

async function metric(service: RunningService, name: string, agent?: Agent): Promise<number> {
  const { text } = await send(service.url, '/metrics', agent === undefined ? {} : { agent });
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.split(' ')[1]);
}

const linesOf = (service: RunningService, pattern: RegExp) =>
  service
    .stderr()
    .split('\n')
    .filter((line) => pattern.test(line)).length;

const alive = 'GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n';

/** A WebSocket of the hub; false where its connection was closed. */
function openHub({ url }: RunningService): Promise<boolean> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/hub`, {
    headers: { authorization: `Bearer ${adminToken}` },
  });
  after(() => socket.terminate());
  return new Promise((resolve) => {
    socket.on('open', () => resolve(true));
    socket.on('error', () => resolve(false));
  });
}

describe('connections', () => {
  it('have a total, WebSockets among them; who has one goes on', async () => {
    const service = await startService({ args: ['--max-connections', '8'] });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    after(() => agent.destroy());
    assert.equal((await send(service.url, '/healthz', { agent })).status, 200);
    assert.equal(await openHub(service), true);
    assert.equal(await openHub(service), true);
    const clients = Array.from({ length: 20 }, () => open(service, alive));
    await until(() => clients.every(({ text, isClosed }) => isClosed || text !== ''));
    assert.equal(clients.filter(({ text }) => text.startsWith('HTTP/1.1 200')).length, 5);
    assert.equal(await openHub(service), false);
    assert.equal((await send(service.url, '/healthz', { agent })).status, 200);
    assert.equal(await metric(service, 'pitwall_connections', agent), 8);
    assert.equal(await metric(service, 'pitwall_closed_connections_total{reason="too_many"}', agent), 16);
    assert.equal(linesOf(service, /there are as many connections as there may be/), 1);
    for (const { socket } of clients) socket.destroy();
    await until(async () => (await metric(service, 'pitwall_connections', agent)) === 3);
    assert.equal((await send(service.url, '/healthz')).status, 200);
  });

  it('of one address have a number of their own, where an operator sets it', async () => {
    const service = await startService({ args: ['--max-connections-per-address', '4'] });
    assert.equal(await openHub(service), true);
    const clients = Array.from({ length: 10 }, () => open(service, alive, '127.0.0.1'));
    await until(() => clients.every(({ text, isClosed }) => isClosed || text !== ''));
    assert.equal(clients.filter(({ text }) => text.startsWith('HTTP/1.1 200')).length, 3);
    assert.equal(await openHub(service), false);
    const other = open(service, alive, '127.0.0.2');
    await until(() => other.text.startsWith('HTTP/1.1 200'));
    assert.equal(linesOf(service, /an address has as many connections as it may have/), 1);
  });
});

describe('the handshake of TLS', () => {
  it('is done in time, or its connection is closed', { skip: opensslMissing }, async () => {
    const { cert, key } = makeCertificate(temporaryFolder());
    const service = await startService({
      args: ['--tls-cert', cert, '--tls-key', key, '--head-timeout', '1s', '--metrics-open'],
    });
    const clients = [open(service, ''), open(service, '\x16\x03\x01')];
    await until(() => clients.every(({ isClosed }) => isClosed), 20);
    assert.equal(linesOf(service, /requests did not become whole in time/), 1);
  });
});

describe('the head of a request', () => {
  it('is whole in time, or its connection is closed, on both ways through HTTP', async () => {
    const service = await startService({ args: ['--head-timeout', '1s'] });
    const { url } = service;
    const kept = await openRawClient(url);
    const body = '{"timestamps":[1],"numericValues":{"a":[1]}}';
    kept.socket.write(
      'POST /topics/t/streams/s/parameters/data HTTP/1.1\r\nHost: here\r\n' +
        `Authorization: Bearer ${adminToken}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    assert.match(await kept.answer(), /^HTTP\/1\.1 200 /);
    const beginnings = ['P', 'GET /healthz HTT', 'POST /streams HTTP/1.1\r\nHost: here\r\nX-Header: nev'];
    const slow = beginnings.map((text) => open(service, text));
    const later = open(service, alive);
    await until(() => later.text.endsWith('"}'));
    later.socket.write('GET /healthz HTTP/1.1\r\nHost');
    const dribbling = open(service, 'GET /healthz HTTP/1.1\r\nHost: here\r\nX-Long: ');
    const drops = setInterval(() => dribbling.socket.write('x'), 100);
    const silent = open(service, '');
    await until(() => [...slow, later, dribbling, silent].every(({ isClosed }) => isClosed), 20);
    clearInterval(drops);
    for (const { text } of [...slow, later]) assert.match(text, /HTTP\/1\.1 408 [\s\S]*its head within 1/);
    assert.equal(silent.text, '');
    assert.equal(linesOf(service, /requests did not become whole in time/), 1);
    assert.equal(await metric(service, 'pitwall_closed_connections_total{reason="slow"}'), 5);
    assert.equal(await metric(service, 'pitwall_closed_connections_total{reason="silent"}'), 1);
    // Between requests a connection may be idle for longer.
    kept.socket.write(alive);
    assert.match(await kept.answer(), /^HTTP\/1\.1 200 /);
    kept.socket.destroy();
  });
});
