import { after } from 'node:test';
import { type Engine, startEngine } from '../clickhouse/engine.ts';
import { freePort } from '../free-port.ts';
import { type RunningNats, startNats } from '../live/nats-server.ts';
import { until } from '../until.ts';
import { type RunningHaproxy, startHaproxy } from './nodes-haproxy.ts';
import { adminToken, clickHouseArgs, launchNode, type RunningService, send } from './service.ts';

/** One node, which keeps its name and address when it is started again. */
export interface ClusterNode {
  readonly name: string;
  readonly url: string;
  /** Ends it and waits until it has gone. */
  stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<{ readonly code: number | null; readonly stderr: string }>;
  /** Starts it and waits until it listens. */
  start(): Promise<void>;
  /** What `/readyz` says to an admin; undefined where nobody answers. */
  ready(): Promise<{ readonly status: number; readonly text: string } | undefined>;
}

/** Nodes over one engine of ClickHouse and one NATS behind one HAProxy, all of them real processes. */
export interface Cluster {
  readonly nodes: readonly ClusterNode[];
  readonly engine: Engine;
  readonly nats: RunningNats;
  readonly proxy: RunningHaproxy;
  /** The address of HAProxy. */
  readonly url: string;
  /** Resolves when every node is ready, hears the others, and is up for HAProxy. */
  whole(): Promise<void>;
}

/** Everything stops after the tests of the file. */
export async function startCluster(count: number): Promise<Cluster> {
  const engine = await startEngine();
  after(() => engine.stop());
  const nats = await startNats();
  const nodes: ClusterNode[] = [];
  for (let i = 1; i <= count; i++) nodes.push(clusterNode(`node${i}`, await freePort(), engine, nats));
  // At once: each finds the database without tables.
  await Promise.all(nodes.map((node) => node.start()));
  const proxy = await startHaproxy(nodes.map(({ url }) => new URL(url).host));
  const cluster: Cluster = {
    nodes,
    engine,
    nats,
    proxy,
    url: proxy.url,
    async whole() {
      for (const node of nodes) {
        await until(async () => {
          const ready = await node.ready();
          return ready?.status === 200 && !/is down/.test(ready.text);
        });
      }
      await until(async () => {
        const up = (await proxy.admin('show stat')).match(/^nodes,node\d,.*,UP,/gm);
        return up?.length === nodes.length;
      });
    },
  };
  await cluster.whole();
  return cluster;
}

function clusterNode(name: string, port: number, engine: Engine, nats: RunningNats): ClusterNode {
  const url = `http://127.0.0.1:${port}`;
  let service: RunningService | undefined;
  after(() => service?.stop('SIGKILL'));
  return {
    name,
    url,
    async stop(signal) {
      const stopped = await service!.stop(signal);
      service = undefined;
      return stopped;
    },
    async start() {
      const own = ['--listen', `127.0.0.1:${port}`, '--node-name', name, '--live', nats.url];
      const args = [...own, ...clickHouseArgs];
      const env = { PITWALL_TOKEN: adminToken, PITWALL_STORE: engine.url };
      service = await launchNode({ args, env }).ready;
    },
    async ready() {
      try {
        return await send(url, '/readyz');
      } catch {
        return undefined;
      }
    },
  };
}
