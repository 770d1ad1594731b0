import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { natsMissing } from '../live/nats-server.ts';
import { until } from '../until.ts';
import { assertSame, speeds, write } from './replicas-checks.ts';
import { type Replica, startReplicas } from './replicas-cluster.ts';
import { temporaryFolder } from './service.ts';

const lost = /its servers have lost messages/;
const rows = (first: number, behind: number) => Array.from({ length: behind - first }, (_, i) => first + i);

describe('a log that has lost its newest messages', { skip: natsMissing }, () => {
  it('is found out by nodes that run and by nodes that start, also where it has others in their places', async () => {
    const folder = temporaryFolder();
    const cluster = await startReplicas({ folderOf: (part) => join(folder, part) });
    const [one, two, three] = cluster.nodes as [Replica, Replica, Replica];
    const stopServers = () => Promise.all(cluster.servers.map((server) => server.stop('SIGKILL')));
    const startServers = () => Promise.all(cluster.servers.map((server) => server.start()));
    for (const node of cluster.nodes) await node.takesWrites();
    for (const n of rows(0, 20)) await write(one, 's', n);
    await cluster.even();
    await stopServers();
    for (const { name } of cluster.servers)
      cpSync(join(folder, name), join(folder, `old-${name}`), { recursive: true });
    await startServers();
    for (const node of cluster.nodes) await node.takesWrites();
    for (const n of rows(20, 60)) await write(one, 's', n);
    await cluster.even();
    // As a power cut of all machines may leave it.
    await one.stop('SIGKILL');
    await stopServers();
    await three.stop('SIGKILL');
    rmSync(three.dataDir, { recursive: true });
    for (const { name } of cluster.servers) {
      rmSync(join(folder, name), { recursive: true });
      cpSync(join(folder, `old-${name}`), join(folder, name), { recursive: true });
    }
    await startServers();
    await assert.rejects(one.start(), lost);
    // A new node has what the log has, and goes on: its messages come into the places of those that are lost.
    await three.start();
    await three.takesWrites();
    for (const n of rows(1000, 1080)) await write(three, 's', n);
    await until(async () => lost.test((await two.ready())?.text ?? ''));
    assert.equal((await two.ready())!.status, 503);
    assert.deepEqual(await speeds(two, 's'), rows(0, 60));
    await assert.rejects(one.start(), lost);
    // With a new folder both have what the log has.
    await two.stop('SIGTERM');
    for (const node of [one, two]) {
      rmSync(node.dataDir, { recursive: true });
      await node.start();
      await node.takesWrites();
    }
    await cluster.even();
    assert.deepEqual(await speeds(one, 's'), [...rows(0, 20), ...rows(1000, 1080)]);
    await assertSame(cluster);
  });
});
