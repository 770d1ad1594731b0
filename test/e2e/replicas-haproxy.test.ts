import { describe, it } from 'node:test';
import { natsMissing } from '../live/nats-server.ts';
import { until } from '../until.ts';
import { httpWriter, hubClient } from './nodes-clients.ts';
import { haproxyMissing, startHaproxy } from './nodes-haproxy.ts';
import { assertRows, assertSame, moreRows } from './replicas-checks.ts';
import { startReplicas } from './replicas-cluster.ts';

describe('replicas behind HAProxy', { skip: natsMissing || haproxyMissing }, () => {
  it('go on for who writes and for who reads live when a node is killed', async () => {
    const cluster = await startReplicas({ envOf: (node) => ({ PITWALL_NODE_NAME: node }) });
    for (const node of cluster.nodes) await node.takesWrites();
    const proxy = await startHaproxy(cluster.nodes.map(({ url }) => new URL(url).host));
    const up = async (count: number) =>
      ((await proxy.admin('show stat')).match(/^nodes,node\d,.*,UP,/gm) ?? []).length === count;
    await until(() => up(3));
    const client = hubClient(proxy.url, 'WebSockets');
    await client.start();
    const received = new Set<number>();
    client.on('ParameterDataReceived', ({ timestamps }: { timestamps: (number | string)[] }) => {
      for (const timestamp of timestamps) received.add(Number(timestamp));
    });
    const subscribe = () => client.invoke('SubscribeToParameter', 't', 'through', '*');
    client.onreconnected(() => void subscribe());
    await subscribe();
    const writer = httpWriter(proxy.url, 't', 'through');
    await moreRows([writer]);
    await until(() => received.size > 0);
    const token = String(client.connectionId);
    const holder = cluster.nodes.find(({ name }) => token.startsWith(`${name}.`)) ?? cluster.nodes[0]!;
    await holder.stop('SIGKILL');
    await moreRows([writer], 50);
    const before = received.size;
    await until(() => received.size > before + 10);
    await holder.start();
    await until(() => up(3));
    await writer.stop();
    await cluster.even();
    await assertRows(cluster, [writer]);
    await assertSame(cluster);
    await client.stop();
  });
});
