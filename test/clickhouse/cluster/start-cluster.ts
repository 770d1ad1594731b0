import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';
import { engineMissing, urlOfEngines } from '../engine.ts';
import type { ClusterOf } from './cluster-configuration.ts';
import { type ClusterServer, serverName } from './cluster-server.ts';
import { type Configured, type RunningServer, startServer } from './start-server.ts';
import { startZooKeeper, zookeeperMissing } from './zookeeper.ts';

/** What `skip` of a test takes: false where a cluster can run. */
export const clusterMissing = engineMissing || zookeeperMissing;

/** Real servers of ClickHouse, and what they share in a ZooKeeper. */
export interface Cluster {
  /** In the order in which nodes try them: replica after replica, shard after shard. */
  readonly servers: readonly RunningServer[];
  /** Names all servers. */
  urlOf(database: string): string;
  /** Ends a server, and starts it again on an empty disk. */
  loseDisk(number: number): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param shards how many replicas each shard has
 * @param others by other names, the same servers and some that are away
 * @param configured with another configuration than that of the tests
 */
export async function startCluster(
  cluster: string,
  shards: readonly number[],
  others: ClusterOf['clusters'] = {},
  configured?: Configured,
): Promise<Cluster> {
  const zookeeper = await startZooKeeper();
  const places: ClusterServer[] = [];
  for (const [i, replicas] of shards.entries()) {
    for (let replica = 1; replica <= replicas; replica++) {
      const [front, http, native, parts] = [
        await freePort(),
        await freePort(),
        await freePort(),
        await freePort(),
      ];
      places.push({ shard: i + 1, replica, front, http, native, parts });
    }
  }
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-cluster-'));
  const folders = places.map((place) => join(folder, serverName(place)));
  const clusters = { ...others, [cluster]: shards };
  const given = { clusters, servers: places, keeperPort: zookeeper.port };
  const servers: RunningServer[] = [];
  for (const [i, place] of places.entries()) {
    mkdirSync(folders[i]!);
    servers.push(await startServer(folders[i]!, place, given, configured));
  }
  const ports = places.map(({ front }) => front);
  return {
    servers,
    urlOf: (database) => urlOfEngines(ports, database),
    async loseDisk(number) {
      await servers[number]!.kill();
      rmSync(folders[number]!, { recursive: true });
      mkdirSync(folders[number]!);
      await servers[number]!.restart();
    },
    async stop() {
      for (const server of servers) await server.kill();
      await zookeeper.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
