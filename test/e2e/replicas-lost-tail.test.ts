import assert from 'node:assert/strict';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { natsMissing } from '../live/nats-server.ts';
import { until } from '../until.ts';
import { assertSame, speeds, write } from './replicas-checks.ts';
import { type Replica, startReplicas } from './replicas-cluster.ts';
import { send, temporaryFolder } from './service.ts';

const rows = (first: number, behind: number) => Array.from({ length: behind - first }, (_, i) => first + i);

describe('a log that has lost its newest messages', { skip: natsMissing }, () => {
  for (const isKilled of [false, true]) {
    const nodes = isKilled ? 'that are started again' : 'that run';
    it(`begins anew with all that nodes ${nodes} have applied, also where it has others in their places`, () =>
      loseTail(isKilled));
  }
});

async function loseTail(isKilled: boolean): Promise<void> {
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
  if (isKilled) await two.stop('SIGKILL');
  await stopServers();
  await three.stop('SIGKILL');
  rmSync(three.dataDir, { recursive: true });
  for (const { name } of cluster.servers) {
    rmSync(join(folder, name), { recursive: true });
    cpSync(join(folder, `old-${name}`), join(folder, name), { recursive: true });
  }
  await startServers();
  // A new node has what the log has, and goes on: its messages come into the places of those that are lost.
  await three.start();
  await three.takesWrites();
  let last = 999;
  await until(async () => {
    const reply = await write(three, 's', last + 1).catch(() => undefined);
    if (reply === undefined) return true;
    last++;
    return last === 1080;
  });
  for (const node of isKilled ? [one, two] : [one]) await node.start();
  for (const node of cluster.nodes) await node.takesWrites();
  // The log may have taken it before, and not have told so.
  await write(one, 's', ++last);
  await cluster.even();
  const all = [...rows(0, 60), ...rows(1000, last + 1)];
  for (const node of cluster.nodes) {
    assert.deepEqual(await speeds(node, 's'), all, node.name);
    const told = (await send(node.url, '/admin/replicas')).json<{
      generation: number;
      isStopped: boolean;
    }>();
    assert.deepEqual([told.generation, told.isStopped], [2, false]);
  }
  // Nobody loses what it had: the data that a node has given up stand beside.
  const given = cluster.nodes.filter(({ dataDir }) => existsSync(join(dataDir, 'replaced', 'catalog')));
  assert.equal(given.length, 2);
  for (const node of given) assert.match(node.stderr(), /the data that this node had before are kept there/);
  await assertSame(cluster);
}
