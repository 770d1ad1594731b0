import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';
import { type Engine, startEngine, urlOfEngines } from '../engine.ts';
import { type ReplicaPorts, replicaName } from './replica.ts';
import { startZooKeeper } from './zookeeper.ts';

/** Servers of ClickHouse, each with a replica of all tables, and what they share in a ZooKeeper. */
export interface Replicas {
  /** In the order in which nodes try them. */
  readonly engines: readonly Engine[];
  /** Names all servers. */
  urlOf(database: string): string;
  /** Ends a server, and starts it again on an empty disk. */
  loseDisk(number: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startReplicas(cluster: string, count: number): Promise<Replicas> {
  const zookeeper = await startZooKeeper();
  const servers: ReplicaPorts[] = [];
  for (let i = 0; i < count; i++) servers.push({ http: await freePort(), parts: await freePort() });
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-replicas-'));
  const folderOf = (number: number) => join(folder, replicaName(number));
  const engines: Engine[] = [];
  for (let number = 0; number < count; number++) {
    const replica = { cluster, number, keeperPort: zookeeper.port, servers };
    mkdirSync(folderOf(number));
    engines.push(await startEngine({ dataDir: folderOf(number), replica }));
  }
  const ports = servers.map(({ http }) => http);
  return {
    engines,
    urlOf: (database) => urlOfEngines(ports, database),
    async loseDisk(number) {
      await engines[number]!.kill();
      rmSync(folderOf(number), { recursive: true });
      mkdirSync(folderOf(number));
      await engines[number]!.restart();
    },
    async stop() {
      for (const engine of engines) await engine.stop();
      await zookeeper.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
