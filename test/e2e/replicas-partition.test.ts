import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { takesLong } from '../extent.ts';
import { startReceiver } from '../ingest/webhooks/receiver.ts';
import { natsMissing } from '../live/nats-server.ts';
import { until } from '../until.ts';
import { httpWriter } from './nodes-clients.ts';
import { assertRows, assertSame, moreRows, speeds } from './replicas-checks.ts';
import { type Replica, type ReplicaCluster, startReplicas } from './replicas-cluster.ts';
import { send } from './service.ts';

const servers = ['nats1', 'nats2', 'nats3'];
/** Between one part and others: what it sends is lost, what it is sent, or both. */
const ways = {
  out: [true, false],
  in: [false, true],
  both: [true, true],
} as const;
type Way = keyof typeof ways;

function cutOff({ network }: ReplicaCluster, part: string, others: readonly string[], way: Way): void {
  const [isMute, isDeaf] = ways[way];
  if (isMute) network.cut([part], others);
  if (isDeaf) network.cut(others, [part]);
}

interface Told {
  readonly leaseHolder: string | undefined;
  readonly leader: string | undefined;
}

const told = async ({ url }: Replica): Promise<Told> => (await send(url, '/admin/replicas')).json<Told>();

async function leaseHolder({ nodes }: ReplicaCluster): Promise<Replica> {
  let holder: Replica | undefined;
  await until(async () => {
    const { leaseHolder: name } = await told(nodes[0]!);
    holder = nodes.find((node) => node.name === name);
    return holder !== undefined;
  });
  return holder!;
}

const writersOf = (nodes: readonly Replica[]) =>
  nodes.map(({ url, name }) => httpWriter(url, 't', `at-${name}`));

describe('a network of replicas that breaks in one direction', { skip: natsMissing }, () => {
  it('keeps a node from the log: it reads, takes no writes and does nothing for others, and is even when it heals', async () => {
    const receiver = await startReceiver();
    after(() => receiver.close());
    const cluster = await startReplicas({ args: ['--webhook-allow', '127.0.0.1'] });
    for (const node of cluster.nodes) await node.takesWrites();
    const rule = { expression: 'Hot > 5', webhook: { url: `http://${receiver.host}/` } };
    const put = { method: 'PUT', body: JSON.stringify(rule) };
    assert.equal((await send(cluster.nodes[0]!.url, '/topics/t/alerts/hot', put)).status, 200);
    let changes = 0;
    const change = async ({ url }: Replica): Promise<void> => {
      const body = JSON.stringify({
        timestamps: [++changes],
        numericValues: { Hot: [changes % 2 === 1 ? 9 : 1] },
      });
      assert.equal((await send(url, '/topics/t/streams/s/parameters/data', { body })).status, 200);
      await until(() => receiver.received.length >= changes);
    };
    const writers = writersOf(cluster.nodes);
    await moreRows(writers);
    for (const way of ['out', 'in', 'both'] as const) {
      const alone = await leaseHolder(cluster);
      const others = cluster.nodes.filter((node) => node !== alone);
      const ofOthers = writers.filter(({ stream }) => !stream.endsWith(alone.name));
      await change(alone);
      // Else another may send it again, under its id.
      await until(async () =>
        /^pitwall_webhook_messages_waiting 0$/m.test((await send(alone.url, '/metrics')).text),
      );
      cutOff(cluster, alone.name, servers, way);
      await moreRows(ofOthers);
      const refused = await send(alone.url, '/topics/t/streams/refused/parameters/data', {
        body: '{"timestamps":[2],"numericValues":{"Speed":[2]}}',
      });
      assert.equal(refused.status, 503, refused.text);
      assert.equal(refused.json<{ code: string }>().code, 'not_ready');
      assert.ok(Number(refused.headers['retry-after']) > 0);
      assert.ok((await speeds(alone, `at-${alone.name}`)).length > 0);
      await until(async () => (await alone.ready())?.status === 503);
      assert.match((await alone.ready())!.text, /no majority of the log/);
      // Another has the lease now, and sends what rules say.
      for (let i = 0; i < 4; i++) await change(others[i % 2]!);
      assert.notEqual((await leaseHolder({ ...cluster, nodes: others })).name, alone.name);
      cluster.network.heal();
      await moreRows(writers);
    }
    await Promise.all(writers.map((writer) => writer.stop()));
    await cluster.even();
    const ids = receiver.received.map(({ message }) => message.id);
    assert.equal(new Set(ids).size, ids.length);
    assert.equal(ids.length, changes);
    await assertRows(cluster, writers);
    await assertSame(cluster);
  });

  it('keeps a server of the log from the others: nothing is lost, also where the log loses it', {
    skip: takesLong,
  }, async () => {
    const cluster = await startReplicas();
    for (const node of cluster.nodes) await node.takesWrites();
    const writers = writersOf(cluster.nodes);
    await moreRows(writers);
    for (const way of ['both', 'out', 'in'] as const) {
      let leader: string | undefined;
      await until(async () => {
        ({ leader } = await told(cluster.nodes[0]!));
        return leader !== undefined;
      });
      const others = servers.filter((name) => name !== leader);
      cutOff(cluster, leader!, others, way);
      // Longer than an election takes; NATS 2.9 may find no leader that lasts before it heals.
      await pause(8000);
      cluster.network.heal();
      // NATS 2.9.10 may keep other messages than a majority of it has taken: then the log begins anew.
      await moreRows(writers);
    }
    await Promise.all(writers.map((writer) => writer.stop()));
    await cluster.even();
    await assertRows(cluster, writers);
    await assertSame(cluster);
  });
});
