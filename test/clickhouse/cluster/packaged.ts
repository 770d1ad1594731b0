import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../root.ts';
import type { ClusterOf } from './cluster-configuration.ts';
import { type ClusterServer, serverName } from './cluster-server.ts';
import { type Cluster, startCluster } from './start-cluster.ts';

/** The cluster `pitwall`, one shard of three replicas, configured as `packaging/cluster` has it. */
export function startPackagedCluster(): Promise<Cluster> {
  return startCluster('pitwall', [3], {}, { xml: packagedXml, env: packagedEnv });
}

/** Where the packaged servers are, in their order. */
const hosts = ['clickhouse', 'clickhouse2', 'clickhouse3'];

/** `packaging/cluster/clickhouse-replicas.xml` as it is, with the addresses of servers on this machine. */
function packagedXml(_own: ClusterServer, { servers, keeperPort }: ClusterOf): string {
  let text = readFileSync(join(root, 'packaging/cluster/clickhouse-replicas.xml'), 'utf8');
  const put = (from: string, to: string) => {
    if (!text.includes(from)) throw new Error(`the packaged configuration has no ${from}`);
    text = text.replaceAll(from, to);
  };
  for (const [i, host] of hosts.entries()) {
    const at = (port: number) => `<host>127.0.0.1</host><port>${port}</port>`;
    put(`<host>${host}</host><port>9000</port>`, at(servers[i]!.native));
    put(`<host>${host}</host><port>9181</port>`, at(keeperPort));
  }
  return /<clickhouse>(.*)<\/clickhouse>/s.exec(text)![1]!;
}

/** What the packaged configuration takes from the environment. */
function packagedEnv(own: ClusterServer): NodeJS.ProcessEnv {
  return { REPLICA: serverName(own), KEEPER_ID: String(own.replica), CLUSTER_SECRET: 'a secret of servers' };
}
