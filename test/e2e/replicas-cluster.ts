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
import { Network } from './replicas-network.ts';
import { adminToken, launchNode, type StartingService, send } from './service.ts';

/** A process that keeps its name and address when it is started again. */
export interface Part {
  readonly name: string;
  start(): Promise<void>;
  /** Ends it and waits until it has gone. */
  stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Of its process, while it runs. */
  pid(): number;
  /** Stops or goes on with its process, as it is. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
}

/** A server of NATS. */
export interface LogServer extends Part {
  /** At which it takes clients. */
  readonly port: number;
}

export interface Replica extends Part {
  readonly url: string;
  readonly dataDir: string;
  /** @param cli the command of another build */
  start(cli?: string): Promise<void>;
  /** What it has told of itself since its last start. */
  stderr(): string;
  /** Resolves when it takes writes. */
  takesWrites(): Promise<void>;
  /** What `/readyz` says to an admin; undefined where nobody answers. */
  ready(): Promise<{ readonly status: number; readonly text: string } | undefined>;
}

/** Nodes over as many servers of NATS, all of them real processes. */
export interface ReplicaCluster {
  readonly nodes: readonly Replica[];
  readonly servers: readonly LogServer[];
  /** What is between them: parts are known by their names. */
  readonly network: Network;
  /** Resolves when every node takes writes, and has applied what any had applied at the call. */
  even(): Promise<void>;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  /** How many nodes there are, and servers: 3 without it. */
  readonly size?: number;
  /** How many nodes are started at once; the others later. */
  readonly started?: number;
  readonly args?: readonly string[];
  /** Of the operator. */
  readonly token?: string;
  /** Variables of a node. */
  readonly envOf?: (node: string) => Readonly<Record<string, string>>;
  /** Where a node or a server keeps its data; undefined for the folder of the cluster. */
  readonly folderOf?: (part: string) => string | undefined;
  /** Without proxies between the parts, which take time: nothing can be cut then. */
  readonly isDirect?: boolean;
  /** More of what the file of a server says of JetStream. */
  readonly jetStream?: string;
}

/** Everything ends with the test that starts it. */
export async function startReplicas(options: ClusterOptions = {}): Promise<ReplicaCluster> {
  const cluster = await launchReplicas(options);
  after(() => cluster.stop());
  return cluster;
}

/** The same for callers that stop it themselves. */
export async function launchReplicas(options: ClusterOptions): Promise<ReplicaCluster> {
  const {
    size = 3,
    started = size,
    args = [],
    token = adminToken,
    envOf,
    folderOf,
    isDirect = false,
    jetStream = '',
  } = options;
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-replicas-'));
  const place = (part: string): string => folderOf?.(part) ?? join(folder, part);
  const network = new Network(isDirect);
  const servers = await natsServers(namesOf('nats', size), folder, place, network, jetStream);
  await Promise.all(servers.map((server) => server.start()));
  const nodes: Replica[] = [];
  for (const name of namesOf('node', size)) {
    const ways = await Promise.all(servers.map((server) => network.link(name, server.name, server.port)));
    const [port, dataDir] = [await freePort(), place(name)];
    const own = ['--listen', `127.0.0.1:${port}`, '--node', name, '--data-dir', dataDir];
    const env = { PITWALL_TOKEN: token, ...envOf?.(name) };
    nodes.push(replica(name, port, dataDir, env, [...own, '--replicas', `nats://${ways}`, ...args]));
  }
  await Promise.all(nodes.slice(0, started).map((node) => node.start()));
  return {
    nodes,
    servers,
    network,
    async stop() {
      await Promise.all([...nodes, ...servers].map((part) => part.stop('SIGKILL')));
      network.close();
      rmSync(folder, { recursive: true, force: true });
    },
    async even() {
      const sequences = () =>
        Promise.all(
          nodes.map(async ({ url }) => {
            const { status, text } = await send(url, '/admin/replicas', { token }).catch(() => ({
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

/** `node1`, `node2` and so on. */
export function namesOf(kind: 'nats' | 'node', size: number): string[] {
  return Array.from({ length: size }, (_, i) => `${kind}${i + 1}`);
}

/** Servers that know each other by the ways of the network alone. */
async function natsServers(
  names: readonly string[],
  folder: string,
  place: (part: string) => string,
  network: Network,
  jetStream: string,
): Promise<LogServer[]> {
  const ports: { readonly client: number; readonly route: number }[] = [];
  for (const _name of names) ports.push({ client: await freePort(), route: await freePort() });
  const nobody = `127.0.0.1:${await freePort()}`;
  const start = async (name: string, i: number): Promise<LogServer> => {
    const others = names.flatMap((other, j) => (j === i ? [] : [{ other, port: ports[j]!.route }]));
    const routes = await Promise.all(others.map(({ other, port }) => network.link(name, other, port)));
    const file = join(folder, `${name}.conf`);
    writeFileSync(
      file,
      `server_name: ${name}
host: 127.0.0.1
port: ${ports[i]!.client}
max_payload: 8MB
jetstream { store_dir: "${place(name)}", ${jetStream} }
cluster {
  name: log
  host: 127.0.0.1
  port: ${ports[i]!.route}
  advertise: "${nobody}"
  no_advertise: true
  routes: [${routes.map((route) => `"nats://${route}"`).join(', ')}]
}
`,
    );
    let child: ChildProcess | undefined;
    return {
      name,
      port: ports[i]!.client,
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
      pid: () => child!.pid!,
      signal: (signal) => void child!.kill(signal),
    };
  };
  return await Promise.all(names.map(start));
}

function replica(
  name: string,
  port: number,
  dataDir: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
): Replica {
  const url = `http://127.0.0.1:${port}`;
  let service: StartingService | undefined;
  const ready = async () => {
    try {
      return await send(url, '/readyz', { token: env['PITWALL_TOKEN']! });
    } catch {
      return undefined;
    }
  };
  return {
    name,
    url,
    dataDir,
    stderr: () => service!.stderr(),
    async start(cli) {
      service = launchNode({ args, env, ...(cli !== undefined && { cli }) });
      await service.ready;
    },
    async stop(signal) {
      service?.child.kill('SIGCONT');
      await service?.stop(signal);
    },
    pid: () => service!.child.pid!,
    signal: (signal) => void service!.child.kill(signal),
    takesWrites: () => until(async () => (await ready())?.status === 200),
    ready,
  };
}
