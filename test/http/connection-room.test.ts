import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { connectionRoom } from '../../src/http/connection-room.ts';
import { createMetrics } from '../../src/metrics.ts';
import { until } from '../until.ts';

let servers: Server[] = [];
let clients: Socket[] = [];
afterEach(async () => {
  for (const client of clients) client.destroy();
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  servers = [];
  clients = [];
});

/** Servers that may have so many connections together, and what is said of it. */
async function listening(count: number, most: number, mostPerAddress?: number) {
  const warnings: string[] = [];
  const errors: string[] = [];
  const log = {
    warn: (_fields: unknown, message: string) => void warnings.push(message),
    error: (_fields: unknown, message: string) => void errors.push(message),
  };
  const metrics = createMetrics();
  let time = 0;
  const attach = connectionRoom({
    most,
    mostPerAddress,
    log: log as unknown as Parameters<typeof connectionRoom>[0]['log'],
    metrics,
    now: () => time,
  });
  for (let i = 0; i < count; i++) {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    attach(server);
    servers.push(server);
  }
  const pass = (ms: number) => {
    time += ms;
  };
  return { warnings, errors, metrics, pass };
}

/** Opens a connection; whether it stays. */
async function isTaken(server: Server, localAddress = '127.0.0.1'): Promise<boolean> {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  clients.push(socket);
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
  let answered = false;
  server.once('request', (_request, response) => {
    answered = true;
    response.end();
  });
  await until(() => answered || socket.closed || socket.readableEnded);
  server.removeAllListeners('request');
  return answered;
}

const leave = async (socket: Socket): Promise<void> => {
  socket.destroy();
  await until(() => socket.closed);
};

describe('room for connections', () => {
  it('is that of all addresses together, and comes back with those that leave', async () => {
    const { warnings, errors } = await listening(2, 5);
    const [a, b] = servers as [Server, Server];
    for (const server of [a, b, a, b, a]) assert.equal(await isTaken(server), true);
    assert.deepEqual(warnings, []);
    assert.equal(await isTaken(a), false);
    assert.equal(await isTaken(b), false);
    assert.deepEqual(warnings, ['there are as many connections as there may be: more are closed']);
    await leave(clients[0]!);
    await until(() => b.maxConnections > 2);
    assert.equal(await isTaken(b), true);
    assert.equal(await isTaken(a), false);
    assert.deepEqual(errors, []);
  });

  it('fills no log where connections come and go at the limit: it is told once a minute', async () => {
    const { warnings, metrics, pass } = await listening(1, 2);
    const [a] = servers as [Server];
    assert.equal(await isTaken(a), true);
    for (let i = 0; i < 3; i++) {
      assert.equal(await isTaken(a), true);
      assert.equal(await isTaken(a), false);
      await leave(clients.at(-2)!);
      await until(async () => (await metrics.connections.get()).values[0]?.value === 1);
    }
    assert.equal(warnings.length, 1);
    pass(60_000);
    assert.equal(await isTaken(a), true);
    assert.equal(await isTaken(a), false);
    assert.equal(warnings.length, 2);
  });

  it('leaves one connection to an address where others have all', async () => {
    await listening(2, 3);
    const [a, b] = servers as [Server, Server];
    for (let i = 0; i < 3; i++) assert.equal(await isTaken(a), true);
    assert.equal(await isTaken(b), true);
    assert.equal(await isTaken(b), false);
  });

  it('is bounded for each address, where an operator says so, and told once a minute', async () => {
    const { warnings, metrics, pass } = await listening(2, 100, 2);
    const [a, b] = servers as [Server, Server];
    assert.equal(await isTaken(a), true);
    assert.equal(await isTaken(b), true);
    for (let i = 0; i < 3; i++) assert.equal(await isTaken(a), false);
    assert.equal(await isTaken(a, '127.0.0.2'), true);
    const told = 'an address has as many connections as it may have: more are closed';
    assert.deepEqual(warnings, [told]);
    pass(60_000);
    assert.equal(await isTaken(b), false);
    assert.deepEqual(warnings, [told, told]);
    const closed = (await metrics.closedConnections.get()).values;
    assert.equal(closed.find(({ labels }) => labels.reason === 'too_many_of_address')?.value, 4);
    await until(async () => (await metrics.connections.get()).values[0]?.value === 3);
    await leave(clients[0]!);
    await until(async () => (await metrics.connections.get()).values[0]?.value === 2);
    assert.equal(await isTaken(a), true);
  });

  it('has no bound where there is none on files', async () => {
    await listening(1, Number.POSITIVE_INFINITY);
    for (let i = 0; i < 20; i++) assert.equal(await isTaken(servers[0]!), true);
  });

  it('outlives a connection that could not be taken', async () => {
    const { errors } = await listening(1, 5);
    servers[0]!.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }));
    assert.deepEqual(errors, ['a connection could not be taken']);
    assert.equal(await isTaken(servers[0]!), true);
  });
});
