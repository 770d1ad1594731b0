import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from '../../src/client/client.ts';
import { engineMissing } from '../clickhouse/engine.ts';
import { natsMissing } from '../live/nats-server.ts';
import { until } from '../until.ts';
import {
  httpWriter,
  hubWriter,
  type LiveReader,
  liveReader,
  type RowWriter,
  rowsOf,
  transportNames,
} from './nodes-clients.ts';
import { type Cluster, startCluster } from './nodes-cluster.ts';
import { haproxyMissing } from './nodes-haproxy.ts';
import { adminToken, send } from './service.ts';

const skip = engineMissing || natsMissing || haproxyMissing;

/** Writers over HTTP and the hub, on all transports, all through HAProxy. */
async function startWriters(url: string, topic: string): Promise<RowWriter[]> {
  const http = Array.from({ length: 3 }, (_, i) => httpWriter(url, topic, `http-${i}`));
  const hub = transportNames.map((transport) => hubWriter(url, transport, topic, `hub-${transport}`));
  return [...http, ...(await Promise.all(hub))];
}

/** A writer pauses after each failure: so many take a minute. */
const mostFailures = 1200;

/** Resolves when every writer has had some more rows acknowledged. */
async function moreRows(writers: readonly RowWriter[], rows = 10): Promise<void> {
  const wanted = writers.map(({ acknowledged }) => acknowledged + rows);
  await until(() => {
    for (const { stream, failures } of writers)
      assert.ok(failures.length < mostFailures, `${stream} does not come through: ${failures.at(-1)}`);
    return writers.every(({ acknowledged }, i) => acknowledged >= wanted[i]!);
  });
}

/** Every acknowledged row is there once, and no other, whichever node is asked. */
async function assertRows({ nodes }: Cluster, topic: string, writers: readonly RowWriter[]): Promise<void> {
  for (const { url } of nodes) {
    const rows = await rowsOf(url, topic);
    assert.deepEqual([...rows.keys()].sort(), writers.map(({ stream }) => stream).sort());
    for (const { stream, acknowledged } of writers)
      assert.deepEqual(
        rows.get(stream),
        Array.from({ length: acknowledged }, (_, n) => n),
        stream,
      );
  }
}

/** What is written through each node reaches every reader, wherever that one is connected. */
async function assertLive({ nodes }: Cluster, topic: string, readers: readonly LiveReader[]): Promise<void> {
  let n = Math.max(0, ...readers.flatMap(({ latest }) => [...latest.values()])) + 1;
  const began = n;
  // Readers that are on their way back miss some, so there is always one more.
  await until(async () => {
    for (const { url, name } of nodes) {
      const body = JSON.stringify({ timestamps: [n], numericValues: { Mark: [n] } });
      const { status } = await send(url, `/topics/${topic}/streams/mark-${name}/parameters/data`, { body });
      assert.equal(status, 200);
    }
    n++;
    await pause(100);
    return readers.every(({ latest, isOver, name }) => {
      assert.ok(!isOver, `${name} did not come back`);
      return nodes.every((node) => (latest.get(`mark-${node.name}`) ?? -1) >= began);
    });
  });
}

describe('several nodes over one ClickHouse and one NATS', { skip, timeout: 600_000 }, () => {
  it('lose no acknowledged row and no reader when a node, NATS or ClickHouse is killed', async () => {
    const cluster = await startCluster(3);
    const { nodes, nats, engine, url } = cluster;
    const readers = await Promise.all(transportNames.map((name) => liveReader(url, name, '*')));
    const live = createClient({ url, token: adminToken }).live();
    const seen = new Set<string>();
    const listening = (async () => {
      for await (const { streamId } of live.parameterData({ topic: 'marks' })) seen.add(streamId);
    })();
    const writers = await startWriters(url, 'cars');
    await moreRows(writers);
    await assertLive(cluster, 'marks', readers);

    await nodes[1]!.stop('SIGKILL');
    await moreRows(writers);
    await nodes[1]!.start();
    await cluster.whole();
    await moreRows(writers);
    await assertLive(cluster, 'marks', readers);

    await nats.kill();
    for (const node of nodes) {
      await until(async () => /live link to NATS .* is down/.test((await node.ready())?.text ?? ''));
      assert.equal((await node.ready())?.status, 200);
    }
    await moreRows(writers);
    const returns = readers.map((reader) => reader.returns);
    await nats.start();
    await cluster.whole();
    // What was written meanwhile through other nodes did not reach them, so they are asked to come back.
    await until(() => readers.every((reader, i) => reader.returns > returns[i]!));
    await assertLive(cluster, 'marks', readers);

    await engine.kill();
    await until(async () => (await nodes[0]!.ready())?.status === 503);
    await engine.restart();
    await cluster.whole();
    await moreRows(writers);
    await assertLive(cluster, 'marks', readers);

    await Promise.all(writers.map((writer) => writer.stop()));
    await assertRows(cluster, 'cars', writers);
    seen.clear();
    // The client may be on its way back and misses some too, so there is always one more.
    await until(async () => {
      await assertLive(cluster, 'marks', readers);
      return seen.size === nodes.length;
    });
    await live.close();
    await listening;
    await Promise.all(readers.map((reader) => reader.stop()));
  });

  it('are restarted one after the other without an error for anybody', async () => {
    const cluster = await startCluster(2);
    const { nodes, proxy, url } = cluster;
    const readers = await Promise.all(transportNames.map((name) => liveReader(url, name, '*')));
    const writers = await startWriters(url, 'cars');
    await moreRows(writers);
    for (const node of nodes) {
      await proxy.admin(`set server nodes/${node.name} state drain`);
      const { code } = await node.stop('SIGTERM');
      assert.equal(code, 0);
      await moreRows(writers);
      await node.start();
      await proxy.admin(`set server nodes/${node.name} state ready`);
      await cluster.whole();
      await moreRows(writers);
    }
    await assertLive(cluster, 'marks', readers);
    await Promise.all(writers.map((writer) => writer.stop()));
    await assertRows(cluster, 'cars', writers);
    const http = writers.filter(({ stream }) => stream.startsWith('http-'));
    assert.deepEqual(
      http.flatMap(({ failures }) => failures),
      [],
    );
    await Promise.all(readers.map((reader) => reader.stop()));
  });

  it('are restarted without a word to HAProxy and lose nothing', async () => {
    const cluster = await startCluster(2);
    const writers = await startWriters(cluster.url, 'cars');
    for (const node of cluster.nodes) {
      await moreRows(writers);
      assert.equal((await node.stop('SIGTERM')).code, 0);
      await moreRows(writers);
      await node.start();
      await cluster.whole();
    }
    await Promise.all(writers.map((writer) => writer.stop()));
    await assertRows(cluster, 'cars', writers);
  });
});
