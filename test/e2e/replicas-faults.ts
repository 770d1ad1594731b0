import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../store/embedded/random.ts';
import type { Clocks } from './replicas-clocks.ts';
import type { Part, Replica, ReplicaCluster } from './replicas-cluster.ts';
import { send } from './service.ts';

/** What faults are done to. */
export interface Victims {
  readonly cluster: ReplicaCluster;
  /** Undefined where clocks cannot be set. */
  readonly clocks: Clocks | undefined;
  /** Whether nodes have small disks of their own. */
  readonly haveSmallDisks: boolean;
}

/** One way in which something goes wrong, and is well again when it resolves. */
export interface Fault {
  readonly name: string;
  run(victims: Victims, random: Random): Promise<void>;
}

/** How long a fault lasts, ms: shorter and longer than elections and leases take. */
const lasts = (random: Random): Promise<void> => pause(random.int(500, 9000));

async function restarted(part: Part, random: Random): Promise<void> {
  await part.stop('SIGKILL');
  await lasts(random);
  await part.start();
}

async function paused(part: Part, random: Random): Promise<void> {
  part.signal('SIGSTOP');
  await lasts(random);
  part.signal('SIGCONT');
}

/** Whether a node finds within some seconds that the log has lost messages. */
async function beginsAnew({ nodes }: ReplicaCluster): Promise<boolean> {
  for (const until = performance.now() + 4000; performance.now() < until; await pause(20)) {
    const told = nodes.map(({ url }) =>
      send(url, '/admin/replicas').then(
        (reply) => reply.json<{ isStopped: boolean }>().isStopped,
        () => false,
      ),
    );
    if ((await Promise.all(told)).includes(true)) return true;
  }
  return false;
}

/** The server that leads the log, as some node knows it; another where none does. */
async function leaderOf({ nodes, servers }: ReplicaCluster): Promise<Part> {
  for (const { url } of nodes) {
    const { leader } = (await send(url, '/admin/replicas')).json<{ leader?: string }>();
    const found = servers.find(({ name }) => name === leader);
    if (found !== undefined) return found;
  }
  return servers[0]!;
}

async function cutOff(
  { network }: ReplicaCluster,
  part: Part,
  others: readonly Part[],
  random: Random,
): Promise<void> {
  const names = others.map(({ name }) => name);
  const way = random.int(0, 2);
  if (way !== 0) network.cut([part.name], names);
  if (way !== 1) network.cut(names, [part.name]);
  await lasts(random);
  network.heal();
}

/** Nothing more can be written in a folder until the returned function is called. */
export function fill(folder: string): () => void {
  const path = join(folder, 'filler');
  const file = openSync(path, 'w');
  try {
    for (const bytes of [1 << 20, 4096]) {
      const chunk = Buffer.alloc(bytes);
      try {
        for (;;) writeSync(file, chunk);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  } finally {
    closeSync(file);
  }
  return () => rmSync(path);
}

async function withFullDisk({ dataDir }: Replica, random: Random): Promise<void> {
  const free = fill(join(dataDir, '..'));
  await lasts(random);
  free();
}

export const faults: readonly Fault[] = [
  { name: 'a node is killed', run: ({ cluster }, random) => restarted(random.pick(cluster.nodes), random) },
  {
    name: 'the leader of the log is killed',
    run: async ({ cluster }, random) => restarted(await leaderOf(cluster), random),
  },
  {
    name: 'a server of the log is killed',
    run: ({ cluster }, random) => restarted(random.pick(cluster.servers), random),
  },
  {
    name: 'a node and a server of the log are killed',
    run: async ({ cluster }, random) => {
      const [node, server] = [random.pick(cluster.nodes), random.pick(cluster.servers)];
      await Promise.all([node.stop('SIGKILL'), server.stop('SIGKILL')]);
      await lasts(random);
      await Promise.all([server.start(), node.start()]);
    },
  },
  { name: 'a node is paused', run: ({ cluster }, random) => paused(random.pick(cluster.nodes), random) },
  {
    name: 'the leader of the log is paused',
    run: async ({ cluster }, random) => paused(await leaderOf(cluster), random),
  },
  {
    name: 'the leader of the log is paused, and a node is killed where the log begins anew',
    run: async ({ cluster }, random) => {
      await paused(await leaderOf(cluster), random);
      if (await beginsAnew(cluster)) await restarted(random.pick(cluster.nodes), random);
    },
  },
  {
    name: 'a node is cut off, in one direction or both',
    run: ({ cluster }, random) => cutOff(cluster, random.pick(cluster.nodes), cluster.servers, random),
  },
  {
    name: 'a server of the log is cut off, in one direction or both',
    run: ({ cluster }, random) => {
      const server = random.pick(cluster.servers);
      const others = cluster.servers.filter((other) => other !== server);
      return cutOff(cluster, server, others, random);
    },
  },
  {
    name: 'the disk of a node is full',
    run: async ({ cluster, haveSmallDisks }, random) => {
      if (haveSmallDisks) await withFullDisk(random.pick(cluster.nodes), random);
    },
  },
  {
    name: 'the clock of a node jumps',
    run: async ({ cluster, clocks }, random) => {
      const { name } = random.pick(cluster.nodes);
      clocks?.set(name, random.int(-3600, 3600));
      await lasts(random);
      if (random.chance(0.5)) clocks?.set(name, 0);
    },
  },
];
