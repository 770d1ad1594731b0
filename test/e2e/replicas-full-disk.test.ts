import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { natsAddress } from '../../src/live/nats/address.ts';
import type { ReplicaLog } from '../../src/replicas/nats-log.ts';
import { openReplicaLog } from '../../src/replicas/nats-log.ts';
import { natsMissing } from '../live/nats-server.ts';
import { until } from '../until.ts';
import { type SmallDisk, smallDisk } from './faulty-disk.ts';
import { httpWriter } from './nodes-clients.ts';
import { assertRows, assertSame, moreRows, speeds } from './replicas-checks.ts';
import { type ReplicaCluster, startReplicas } from './replicas-cluster.ts';
import { fill } from './replicas-faults.ts';
import { send } from './service.ts';

const noSmallDisk = 'this user may not mount a small disk';

/** Replicas of which some parts have small disks of their own; undefined where this user may not mount them. */
async function startOnDisks(
  parts: readonly string[],
  megabytes: number,
  args: readonly string[] = [],
): Promise<{ readonly cluster: ReplicaCluster; readonly disks: readonly SmallDisk[] } | undefined> {
  const disks = new Map<string, SmallDisk>();
  for (const part of parts) {
    const disk = smallDisk(megabytes);
    if (disk === undefined) return undefined;
    disks.set(part, disk);
  }
  const folderOf = (part: string) => (disks.has(part) ? join(disks.get(part)!.path, 'data') : undefined);
  const cluster = await startReplicas({ folderOf, args });
  // Behind the end of its processes.
  after(() => {
    for (const disk of disks.values()) disk.remove();
  });
  for (const node of cluster.nodes) await node.takesWrites();
  return { cluster, disks: [...disks.values()] };
}

const writersOf = ({ nodes }: ReplicaCluster) =>
  nodes.map(({ url, name }) => httpWriter(url, 't', `at-${name}`));

/** One row; resolves with what a node that does not take it says. */
async function refusedWrite(url: string, stream: string) {
  const refused = await send(url, `/topics/t/streams/${stream}/parameters/data`, {
    body: '{"timestamps":[2],"numericValues":{"Speed":[2]}}',
  });
  assert.equal(refused.status, 503, refused.text);
  assert.ok(Number(refused.headers['retry-after']) > 0);
  return refused.text;
}

describe('replicas of which one has a full disk', { skip: natsMissing }, () => {
  it('go on, while it says so and reads, and catches up when there is room', async (t) => {
    const started = await startOnDisks(['node1'], 256);
    if (started === undefined) return t.skip(noSmallDisk);
    const { cluster, disks } = started;
    const writers = writersOf(cluster);
    await moreRows(writers);
    const one = cluster.nodes[0]!;
    const free = fill(disks[0]!.path);
    await until(() => writers[0]!.failures.length > 0);
    // What comes behind that does not wait for the disk.
    const refused = Array.from({ length: 20 }, (_, i) => refusedWrite(one.url, `refused-${i}`));
    for (const text of await Promise.all(refused)) assert.match(text, /disk|storage/i);
    await moreRows(writers.slice(1), 200);
    await until(async () => (await one.ready())?.status === 503);
    assert.match((await one.ready())!.text, /disk/);
    assert.ok((await speeds(one, 'at-node1')).length > 0);
    free();
    await moreRows(writers);
    await Promise.all(writers.map((writer) => writer.stop()));
    await cluster.even();
    await assertRows(cluster, writers);
    await assertSame(cluster);
  });
});

describe('replicas over servers of NATS', { skip: natsMissing }, () => {
  it('lose nothing where disks of these are full, refuse writes meanwhile, and go on when these are started again', async (t) => {
    const started = await startOnDisks(['nats1', 'nats2', 'nats3'], 128, ['--log-bytes', '48MiB']);
    if (started === undefined) return t.skip(noSmallDisk);
    const { cluster, disks } = started;
    const writers = writersOf(cluster);
    await moreRows(writers);
    const { leader } = (await send(cluster.nodes[0]!.url, '/admin/replicas')).json<{ leader: string }>();
    const led = cluster.servers.findIndex(({ name }) => name === leader);
    const freeOne = fill(disks[led]!.path);
    // NATS 2.9.10 may stand still then, and lead on; it does not stop when it is asked to.
    await cluster.servers[led]!.stop('SIGKILL');
    await moreRows(writers);
    freeOne();
    await cluster.servers[led]!.start();
    await moreRows(writers);
    const free = disks.map(({ path }) => fill(path));
    for (const node of cluster.nodes) {
      await until(async () => (await node.ready())?.status === 503);
      assert.match(await refusedWrite(node.url, 'refused'), /no majority of the log/);
      assert.ok((await speeds(node, `at-${node.name}`)).length > 0);
    }
    for (const one of free) one();
    for (const server of cluster.servers) await server.stop('SIGKILL');
    for (const server of cluster.servers) await server.start();
    await moreRows(writers);
    await Promise.all(writers.map((writer) => writer.stop()));
    await cluster.even();
    await assertRows(cluster, writers);
    await assertSame(cluster);
  });

  it('begin the log anew where these have no room for two of its size', async () => {
    const { servers } = await startReplicas({ started: 0, jetStream: 'max_file_store: 28MB' });
    const address = natsAddress(`nats://${servers.map(({ port }) => `127.0.0.1:${port}`)}`, '--replicas');
    const options = { address, cluster: 'c', node: 'one', logBytes: 20 << 20 };
    let log: ReplicaLog | undefined;
    await until(async () => {
      log = await openReplicaLog(options).catch(() => undefined);
      return log !== undefined;
    });
    const fillLog = async (name: string): Promise<void> => {
      for (let i = 0; i < 32; i++) await log!.publish(`${name} ${i}`, Buffer.alloc(1 << 19), 30_000);
    };
    await fillLog('first');
    await log!.seal();
    await log!.begin('next', 32, Buffer.from('begun'));
    await log!.follow();
    await fillLog('next');
    const { generation, first, last } = await log!.extent();
    assert.deepEqual([generation, first, last], [2, 33, 65]);
    await log!.close();
  });

  it('say that these have no room for the log, and how to give it', async () => {
    const cluster = await startReplicas({ started: 0, jetStream: 'max_file_store: 64MB' });
    const one = cluster.nodes[0]!;
    one.start().catch(() => undefined);
    await until(() => /no room for a log of 4294967296 bytes: .*--log-bytes/.test(one.stderr()));
  });
});
