import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { WebSocketServer } from 'ws';
import { createClient } from '../../src/client/client.ts';
import { until } from '../until.ts';

const endOfMessage = '\x1e';

/** A hub that has another message behind its first answer on the first connections: both come in one packet. */
async function startHub(
  losses: number,
  behind: object,
  result?: unknown,
): Promise<{ url: string; connections(): number }> {
  let connections = 0;
  const server = createServer((_request, response) => {
    const connectionToken = String(connections);
    const availableTransports = [{ transport: 'WebSockets', transferFormats: ['Text'] }];
    response.end(
      JSON.stringify({ negotiateVersion: 1, connectionId: 'c', connectionToken, availableTransports }),
    );
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket, { socket: raw }) => {
    const isLost = connections++ < losses;
    socket.on('message', (data) => {
      for (const text of String(data).split(endOfMessage).filter(Boolean)) {
        const { protocol, invocationId } = JSON.parse(text) as { protocol?: string; invocationId?: string };
        if (protocol !== undefined) socket.send(`{}${endOfMessage}`);
        if (invocationId === undefined) continue;
        raw.cork();
        socket.send(JSON.stringify({ type: 3, invocationId, result }) + endOfMessage);
        if (isLost) socket.send(JSON.stringify(behind) + endOfMessage);
        raw.uncork();
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, connections: () => connections };
}

describe('live data over a connection that the hub ends with its first answer', () => {
  it('come over another one', async () => {
    const hub = await startHub(3, { type: 7, allowReconnect: true });
    const live = createClient({ url: hub.url, token: 'pw_0123456789abcdef' }).live({
      retry: { firstDelayMs: 1, longestDelayMs: 1 },
    });
    after(() => live.close());
    const told: boolean[] = [];
    live.onConnection((connected) => told.push(connected));
    live.parameterData({ topic: 'cars' });
    await until(() => hub.connections() === 4 && told.at(-1) === true);
    assert.deepEqual(told, [true]);
  });
});

describe('a change of the active streams in the packet of their list', () => {
  it('comes behind the list', async () => {
    const stream = { topicName: 'cars', streamId: 's' };
    const change = { type: 1, target: 'ActiveStreamsChanged', arguments: [stream, 'Remove'] };
    const hub = await startHub(1, change, [stream]);
    const live = createClient({ url: hub.url, token: 'pw_0123456789abcdef' }).live();
    after(() => live.close());
    const streams = live.activeStreams('cars');
    assert.deepEqual((await streams.next()).value, { stream, action: 'AddUpdate' });
    assert.deepEqual((await streams.next()).value, { stream, action: 'Remove' });
  });
});
