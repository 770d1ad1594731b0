import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { natsMissing } from '../live/nats-server.ts';
import { until } from '../until.ts';
import { assertSame } from './replicas-checks.ts';
import { clocksIn, clocksMissing } from './replicas-clocks.ts';
import { type Replica, startReplicas } from './replicas-cluster.ts';
import { send, temporaryFolder } from './service.ts';

const hour = 3_600_000;

describe('replicas whose clocks are apart', { skip: natsMissing || clocksMissing }, () => {
  it('judge rows, streams and silence by the time of the log, and one has the lease', async () => {
    const clocks = clocksIn(temporaryFolder());
    const offsets: Readonly<Record<string, number>> = { node1: 3600, node2: -3600, node3: 0 };
    const cluster = await startReplicas({
      envOf(node) {
        const env = clocks.envOf(node);
        clocks.set(node, offsets[node]!);
        return env;
      },
      args: ['--interrupted-after', '10m'],
    });
    const [ahead, behind, right] = cluster.nodes as [Replica, Replica, Replica];
    for (const node of cluster.nodes) await node.takesWrites();
    const put = (node: Replica, path: string, body: unknown) =>
      send(node.url, path, { method: 'PUT', body: JSON.stringify(body) });
    assert.equal((await put(ahead, '/topics/t', { retention: '30m' })).status, 200);
    const rule = await put(behind, '/topics/t/alerts/gone', { expression: 'Speed > 900', noDataFor: '2s' });
    assert.equal(rule.status, 200, rule.text);
    const write = (node: Replica, stream: string, at: number) =>
      send(node.url, `/topics/t/streams/${stream}/parameters/data`, {
        body: `{"timestamps":[${at}000000],"numericValues":{"Speed":[1]}}`,
      });
    for (const node of cluster.nodes) {
      // Kept, and no row of the future, whatever the clock of the node says; the other is expired.
      const kept = await write(node, `of-${node.name}`, Date.now());
      assert.equal(kept.status, 200, kept.text);
      assert.equal(kept.headers['pitwall-warning'], undefined);
      await write(node, `of-${node.name}`, Date.now() - hour);
      const future = await write(node, `late-${node.name}`, Date.now() + hour);
      assert.match(String(future.headers['pitwall-warning']), /ahead/, node.name);
    }
    await cluster.even();
    const count = async ({ url }: Replica): Promise<number> => {
      const query = { topic: 't', numericParameters: [{ parameterName: 'Speed' }] };
      const { text } = await send(url, '/parameters/data', { body: JSON.stringify(query) });
      return (JSON.parse(text) as { timestamps: number[] }).timestamps.length;
    };
    const statuses = async ({ url }: Replica): Promise<string[]> => {
      const { text } = await send(url, '/streams', { body: '{}' });
      return (JSON.parse(text) as { status: string }[]).map(({ status }) => status);
    };
    for (const node of cluster.nodes) {
      assert.equal(await count(node), 6, node.name);
      assert.deepEqual(new Set(await statuses(node)), new Set(['Open']), node.name);
    }
    // One of them finds that the streams are silent, and all say so.
    const silent = async ({ url }: Replica): Promise<number> => {
      const { text } = await send(url, '/alerts', { body: '{}' });
      return (JSON.parse(text) as { noData?: boolean }[]).filter(({ noData }) => noData).length;
    };
    for (const node of cluster.nodes) await until(async () => (await silent(node)) >= 3);
    // What has no time has that of the node that took it, as it has without replicas.
    for (const [node, offset] of [
      [ahead, hour],
      [behind, -hour],
    ] as const) {
      const body = { body: 'm v=1', headers: { 'content-type': 'text/plain' } };
      assert.equal((await send(node.url, `/write?db=lines-${node.name}`, body)).status, 204);
      const query = { body: JSON.stringify({ topic: `lines-${node.name}` }) };
      const [stream] = (await send(node.url, '/streams', query)).json<{ dataStart: number }[]>();
      assert.ok(Math.abs(stream!.dataStart / 1e6 - Date.now() - offset) < hour / 2);
    }
    const holder = async ({ url }: Replica) =>
      (await send(url, '/admin/replicas')).json<{ leaseHolder?: string }>().leaseHolder;
    const first = await holder(right);
    const holding = cluster.nodes.find(({ name }) => name === first)!;
    const others = cluster.nodes.filter((node) => node !== holding);
    await holding.stop('SIGKILL');
    await until(async () => ![first, undefined].includes(await holder(others[0]!)));
    await holding.start();
    await holding.takesWrites();
    await cluster.even();
    await assertSame(cluster);
  });
});
