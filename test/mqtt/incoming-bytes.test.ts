import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { takeBytes } from '../../src/mqtt/incoming-bytes.ts';

const bytes = 8 * 2 ** 20;
/** Longer than a slice. */
const chunkMs = 6;

describe('bytes of clients', () => {
  it('are taken for no longer than a slice in one turn, and all of them', async () => {
    const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [socket] = (await once(server, 'connection')) as [Socket];
    let turns = 0;
    const count = (): void => {
      turns++;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    try {
      client.end(Buffer.alloc(bytes, 1));
      let taken = 0;
      const inTurn = new Map<number, number>();
      takeBytes(
        socket,
        (chunk) => {
          taken += chunk.length;
          inTurn.set(turns, (inTurn.get(turns) ?? 0) + 1);
          const end = performance.now() + chunkMs;
          while (performance.now() < end);
        },
        () => false,
      );
      socket.resume();
      await once(socket, 'end');
      assert.equal(taken, bytes);
      // One more may have been read already when it pauses.
      assert.ok(Math.max(...inTurn.values()) <= 2, `${Math.max(...inTurn.values())} chunks in a turn`);
    } finally {
      clearImmediate(counting);
      client.destroy();
      socket.destroy();
      server.close();
    }
  });
});
