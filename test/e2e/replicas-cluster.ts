import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { endWithTests } from '../end-with-tests.ts';
import { freePort } from '../free-port.ts';
import { natsCommand } from '../live/nats-server.ts';
import { until } from '../until.ts';
import { launchNode, type StartingService, send } from './service.ts';

/** A process that keeps its name and address when it is started again. */
export interface Part {
  readonly name: string;
  start(): Promise<void>;
  /** Ends it and waits until it has gone. */
  stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Stops or goes on with its process, as it is. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
}

export interface Replica extends Part {
  readonly url: string;
  readonly dataDir: string;
  /** What it has told of itself since its last start. */
  stderr(): string;
  /** Resolves when it takes writes. */
  takesWrites(): Promise<void>;
  /** What `/readyz` says to an admin; undefined where nobody answers. */
  ready(): Promise<{ readonly status: number; readonly text: string } | undefined>;
}

/** Three nodes over three servers of NATS, all of them real processes. */
export interface ReplicaCluster {
  readonly nodes: readonly Replica[];
  readonly servers: readonly Part[];
  /** The address of the log, as nodes are given it. */
  readonly log: string;
  /** Resolves when every node takes writes, and has applied what any had applied at the call. */
  even(): Promise<void>;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  /** How many nodes are started at once; the others later. */
  readonly started?: number;
  readonly args?: readonly string[];
}

/** Everything ends with the test that starts it. */
export async function startReplicas(options: ClusterOptions = {}): Promise<ReplicaCluster> {
  const cluster = await launchReplicas(options);
  after(() => cluster.stop());
  return cluster;
}

/** The same for callers that stop it themselves. */
export async function launchReplicas({ started = 3, args = [] }: ClusterOptions): Promise<ReplicaCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-replicas-'));
  const servers = await natsServers(folder);
  await Promise.all(servers.map((server) => server.start()));
  const log = `nats://${servers.map(({ address }) => address).join(',nats://')}`;
  const nodes: Replica[] = [];
  for (let i = 1; i <= 3; i++)
    nodes.push(replica(`node${i}`, await freePort(), join(folder, `data${i}`), log, args));
  await Promise.all(nodes.slice(0, started).map((node) => node.start()));
  return {
    nodes,
    servers,
    log,
    async stop() {
      await Promise.all([...nodes, ...servers].map((part) => part.stop('SIGKILL')));
      rmSync(folder, { recursive: true, force: true });
    },
    async even() {
      const sequences = () =>
        Promise.all(
          nodes.map(async ({ url }) => {
            const { status, text } = await send(url, '/admin/replicas').catch(() => ({
              status: 0,
              text: '{}',
            }));
            const { sequence, isCaughtUp } = JSON.parse(text) as { sequence: number; isCaughtUp: boolean };
            return status === 200 && isCaughtUp ? sequence : -1;
          }),
        );
      // The holder of the lease writes on: all are to have what any had.
      let most = Number.POSITIVE_INFINITY;
      await until(async () => {
        const found = await sequences();
        if (!found.includes(-1)) most = Math.min(most, Math.max(...found));
        return found.every((sequence) => sequence >= most);
      });
    },
  };
}

async function natsServers(folder: string): Promise<(Part & { readonly address: string })[]> {
  const ports: number[] = [];
  for (let i = 0; i < 6; i++) ports.push(await freePort());
  const clients = ports.slice(0, 3);
  const routes = ports.slice(3);
  return clients.map((port, i) => {
    const name = `nats${i + 1}`;
    const file = join(folder, `${name}.conf`);
    writeFileSync(
      file,
      `server_name: ${name}
host: 127.0.0.1
port: ${port}
max_payload: 8MB
jetstream { store_dir: "${join(folder, name)}" }
cluster {
  name: log
  host: 127.0.0.1
  port: ${routes[i]}
  routes: [${routes.map((route) => `"nats://127.0.0.1:${route}"`).join(', ')}]
}
`,
    );
    let child: ChildProcess | undefined;
    return {
      name,
      address: `127.0.0.1:${port}`,
      async start() {
        child = endWithTests(spawn(natsCommand!, ['-c', file], { stdio: 'ignore' }));
        await once(child, 'spawn');
      },
      async stop(signal) {
        if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
        const gone = once(child, 'exit');
        child.kill('SIGCONT');
        child.kill(signal);
        await gone;
      },
      signal: (signal) => void child!.kill(signal),
    };
  });
}

function replica(name: string, port: number, dataDir: string, log: string, args: readonly string[]): Replica {
  const url = `http://127.0.0.1:${port}`;
  let service: StartingService | undefined;
  const ready = async () => {
    try {
      return await send(url, '/readyz');
    } catch {
      return undefined;
    }
  };
  return {
    name,
    url,
    dataDir,
    stderr: () => service!.stderr(),
    async start() {
      const own = ['--listen', `127.0.0.1:${port}`, '--node', name, '--data-dir', dataDir, '--replicas', log];
      service = launchNode({ args: [...own, ...args] });
      await service.ready;
    },
    async stop(signal) {
      service?.child.kill('SIGCONT');
      await service?.stop(signal);
    },
    signal: (signal) => void service!.child.kill(signal),
    takesWrites: () => until(async () => (await ready())?.status === 200),
    ready,
  };
}
