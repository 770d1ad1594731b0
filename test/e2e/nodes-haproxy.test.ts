import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../until.ts';
import { hubClient, type TransportName, transportNames } from './nodes-clients.ts';
import { checkConfiguration, haproxyMissing, startHaproxy } from './nodes-haproxy.ts';
import { adminToken, type RunningService, send, startService } from './service.ts';

async function connectionsOf(service: RunningService, transport: TransportName): Promise<number> {
  const { text } = await send(service.url, '/metrics');
  return Number(
    new RegExp(`^pitwall_hub_connections\\{transport="${transport}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0,
  );
}

/** Two nodes, each with a store of its own: what matters here is which of them answers. */
async function twoNodes() {
  const nodes = await Promise.all([1, 2].map((n) => startService({ args: ['--node-name', `node${n}`] })));
  const proxy = await startHaproxy(nodes.map(({ url }) => new URL(url).host));
  await until(async () => (await proxy.admin('show stat')).match(/^nodes,node\d,.*,UP,/gm)?.length === 2);
  return { nodes: nodes as [RunningService, RunningService], proxy };
}

describe('nodes behind HAProxy', { skip: haproxyMissing, timeout: 600_000 }, () => {
  it('has a configuration without a warning', () => {
    for (const env of [{}, { PITWALL_BIND: '127.0.0.1:9', NODE1: '10.0.0.1:8480', NODE2: '[::1]:8480' }]) {
      const { status, text } = checkConfiguration(env);
      assert.deepEqual([status, text.replace('Configuration file is valid', '').trim()], [0, '']);
    }
  });

  it('share requests, and every request of a hub connection finds its node on each transport', async () => {
    const { nodes, proxy } = await twoNodes();
    for (const transport of transportNames) {
      const clients = Array.from({ length: 6 }, () => hubClient(proxy.url, transport));
      await Promise.all(clients.map((client) => client.start()));
      const counts = await Promise.all(nodes.map((node) => connectionsOf(node, transport)));
      assert.ok(counts[0]! > 0 && counts[1]! > 0 && counts[0]! + counts[1]! === 6, `${transport}: ${counts}`);
      for (const [i, client] of clients.entries()) {
        const received = new Promise((resolve) => client.on('ParameterDataReceived', resolve));
        await client.invoke('SubscribeToParameter', transport, `s${i}`, '*');
        await client.invoke('SendParameterData', transport, `s${i}`, {
          timestamps: [i],
          numericValues: { Speed: [i] },
        });
        await received;
      }
      await Promise.all(clients.map((client) => client.stop()));
    }
    assert.ok(!proxy.log().includes(adminToken));
  });

  it('bring clients back through the other node when theirs is killed, restarted or drained', async () => {
    const { nodes, proxy } = await twoNodes();
    const clients = transportNames.flatMap((transport) =>
      [1, 2].map(() => ({ transport, client: hubClient(proxy.url, transport) })),
    );
    let lost = 0;
    for (const { client } of clients) client.onclose(() => lost++);
    await Promise.all(clients.map(({ client }) => client.start()));
    const held = async (node: RunningService) => {
      let sum = 0;
      for (const transport of transportNames) sum += await connectionsOf(node, transport);
      return sum;
    };
    assert.equal((await held(nodes[0])) + (await held(nodes[1])), 6);

    // Drained: connections go on at their node, new ones begin at the other.
    await proxy.admin('set server nodes/node1 state drain');
    const before = await held(nodes[0]);
    const late = hubClient(proxy.url, 'LongPolling');
    await late.start();
    assert.equal(await held(nodes[0]), before);
    for (const { client } of clients)
      await client.invoke('SendEventData', 'cars', 'car', [{ id: 'a', timestamp: 1 }]);

    // Stopped, then all are at the other.
    const finished = await nodes[0].stop('SIGTERM');
    assert.equal(finished.code, 0);
    await until(async () => (await held(nodes[1])) === 7);
    for (const { client } of clients)
      await client.invoke('SendEventData', 'cars', 'car', [{ id: 'a', timestamp: 1 }]);
    for (let i = 0; i < 20; i++)
      assert.equal((await send(proxy.url, '/streams', { body: '{}' })).status, 200);
    assert.equal(lost, 0);
    await Promise.all([late, ...clients.map(({ client }) => client)].map((client) => client.stop()));
  });

  it('answer a connection of a node that is gone with 404, so that the client begins anew', async () => {
    const { nodes, proxy } = await twoNodes();
    const negotiated: string[] = [];
    for (let i = 0; i < 2; i++) {
      const reply = await send(proxy.url, '/hub/negotiate?negotiateVersion=1', { method: 'POST' });
      negotiated.push(reply.json<{ connectionToken: string }>().connectionToken);
    }
    assert.deepEqual(negotiated.map((token) => token.split('.')[0]).sort(), ['node1', 'node2']);
    await nodes[0].stop('SIGKILL');
    for (const token of negotiated) {
      const reply = await send(proxy.url, `/hub?id=${token}`);
      assert.equal(reply.status, token.startsWith('node1.') ? 404 : 200);
    }
    assert.equal((await send(proxy.url, '/hub?id=unknown.x')).status, 404);
  });
});
