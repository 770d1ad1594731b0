import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { Strangers } from '../../src/mqtt/strangers.ts';
import { until } from '../until.ts';

const many = 300;
/** The most that comes in a turn. */
const mostOfTurn = 64;

/** Connections that were taken. */
async function open() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const strangers = new Strangers();
  let turns = 0;
  const inTurn = new Map<number, number>();
  const came = (): void => {
    inTurn.set(turns, (inTurn.get(turns) ?? 0) + 1);
  };
  const taken: Socket[] = [];
  server.on('connection', (socket) => {
    for (const event of ['data', 'end']) socket.on(event, came);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => strangers.remove(socket));
    strangers.add(socket);
    taken.push(socket);
  });
  const clients = Array.from({ length: many }, () => connect(port, '127.0.0.1'));
  await until(() => taken.length === many);
  const count = (): void => {
    turns++;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const end = (): void => {
    clearImmediate(counting);
    for (const socket of [...clients, ...taken]) socket.destroy();
    server.close();
  };
  /** The most that came in one turn, until so much has come in all. */
  const most = async (all: number): Promise<number> => {
    const sum = (): number => [...inTurn.values()].reduce((so, one) => so + one, 0);
    await until(() => sum() >= all);
    assert.equal(sum(), all);
    return Math.max(...inTurn.values());
  };
  return { strangers, clients, taken, most, end };
}

describe('sockets of clients that have not come in', () => {
  it('are read a part in each turn when all of them bring something at once, and all of it is', async () => {
    const { clients, most, end } = await open();
    try {
      for (const client of clients) client.write('x');
      assert.ok((await most(many)) <= mostOfTurn);
      for (const client of clients) client.write('y');
      assert.ok((await most(2 * many)) <= mostOfTurn);
    } finally {
      end();
    }
  });

  it('end a part in each turn when all of them end at once', async () => {
    const { clients, most, taken, end } = await open();
    try {
      for (const client of clients) client.end();
      assert.ok((await most(many)) <= mostOfTurn);
      await until(() => taken.every(({ closed }) => closed));
    } finally {
      end();
    }
  });

  it('are read at once from when they have come in', async () => {
    const { clients, taken, strangers, most, end } = await open();
    try {
      taken[0]!.once('data', () => {
        for (const socket of taken) strangers.remove(socket);
      });
      for (const client of clients) client.write('x');
      await most(many);
      for (const socket of taken) assert.equal(socket.listenerCount('data'), 1);
    } finally {
      end();
    }
  });
});
