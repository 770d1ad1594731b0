import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { takeBytes, takeEnd } from '../../src/mqtt/incoming-bytes.ts';
import { until } from '../until.ts';

const bytes = 8 * 2 ** 20;
/** Longer than a slice. */
const chunkMs = 6;

function work(): void {
  const end = performance.now() + chunkMs;
  while (performance.now() < end);
}

/** Counts turns of the event loop. */
class Turns {
  now = 0;
  #next = setImmediate(() => this.#count());

  #count(): void {
    this.now++;
    this.#next = setImmediate(() => this.#count());
  }

  end(): void {
    clearImmediate(this.#next);
  }
}

describe('bytes of clients', () => {
  it('are taken for no longer than a slice in one turn, and all of them', async () => {
    const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [socket] = (await once(server, 'connection')) as [Socket];
    const turns = new Turns();
    try {
      client.end(Buffer.alloc(bytes, 1));
      let taken = 0;
      const inTurn = new Map<number, number>();
      takeBytes(
        socket,
        (chunk) => {
          taken += chunk.length;
          inTurn.set(turns.now, (inTurn.get(turns.now) ?? 0) + 1);
          work();
        },
        () => false,
      );
      socket.resume();
      await once(socket, 'end');
      assert.equal(taken, bytes);
      // One more may have been read already when it pauses.
      assert.ok(Math.max(...inTurn.values()) <= 2, `${Math.max(...inTurn.values())} chunks in a turn`);
    } finally {
      turns.end();
      client.destroy();
      socket.destroy();
      server.close();
    }
  });

  it('end in slices when all clients leave at once', async () => {
    const many = 20;
    const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const sockets: Socket[] = [];
    server.on('connection', (socket) => sockets.push(socket.resume()));
    const { port } = server.address() as AddressInfo;
    const clients = Array.from({ length: many }, () => connect(port, '127.0.0.1').resume());
    await until(() => sockets.length === many);
    const turns = new Turns();
    try {
      const inTurn = new Map<number, Set<Socket>>();
      for (const socket of sockets)
        takeEnd(socket, () => {
          if (socket.writableEnded) return;
          inTurn.set(turns.now, (inTurn.get(turns.now) ?? new Set()).add(socket));
          work();
          socket.end();
        });
      for (const client of clients) client.end();
      await until(() => sockets.every(({ closed }) => closed));
      const counts = [...inTurn.values()].map(({ size }) => size);
      assert.equal(
        counts.reduce((sum, count) => sum + count, 0),
        many,
      );
      assert.ok(Math.max(...counts) <= 2, `${Math.max(...counts)} ends in a turn`);
    } finally {
      turns.end();
      for (const socket of [...clients, ...sockets]) socket.destroy();
      server.close();
    }
  });
});
