import { freePort } from '../../free-port.ts';
import { type Engine, startEngine, urlOfEngines } from '../engine.ts';
import type { ReplicaPorts } from './replica.ts';
import { startZooKeeper } from './zookeeper.ts';

/** Servers of ClickHouse, each with a replica of all tables, and what they share in a ZooKeeper. */
export interface Replicas {
  /** In the order in which nodes try them. */
  readonly engines: readonly Engine[];
  /** Names all servers. */
  urlOf(database: string): string;
  stop(): Promise<void>;
}

export async function startReplicas(cluster: string, count: number): Promise<Replicas> {
  const zookeeper = await startZooKeeper();
  const servers: ReplicaPorts[] = [];
  for (let i = 0; i < count; i++) servers.push({ http: await freePort(), parts: await freePort() });
  const engines: Engine[] = [];
  for (let number = 0; number < count; number++) {
    engines.push(await startEngine({ replica: { cluster, number, keeperPort: zookeeper.port, servers } }));
  }
  const ports = servers.map(({ http }) => http);
  return {
    engines,
    urlOf: (database) => urlOfEngines(ports, database),
    async stop() {
      for (const engine of engines) await engine.stop();
      await zookeeper.stop();
    },
  };
}
