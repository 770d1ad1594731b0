import { login } from '../configuration.ts';
import type { ClusterServer } from './cluster-server.ts';

export interface ClusterOf {
  /** How many replicas each shard has, by the name of a cluster. All consist of the same servers, and of some that are away. */
  readonly clusters: Readonly<Record<string, readonly number[]>>;
  readonly servers: readonly ClusterServer[];
  readonly keeperPort: number;
}

/** What the configuration of a server says of its cluster. */
export function clusterXml(own: ClusterServer, { clusters, servers, keeperPort }: ClusterOf): string {
  const named = Object.entries(clusters).map(
    ([name, shards]) => `<${name}>${shardsXml(shards, servers)}</${name}>`,
  );
  return `<macros><shard>${own.shard}</shard><replica>${own.replica}</replica></macros>
<zookeeper>
<node><host>127.0.0.1</host><port>${keeperPort}</port></node>
<session_timeout_ms>3000</session_timeout_ms>
</zookeeper>
<remote_servers>${named.join('\n')}</remote_servers>`;
}

/** Nothing listens there. */
const closedPort = 1;

function shardsXml(shards: readonly number[], servers: readonly ClusterServer[]): string {
  const { user, password } = login;
  const replica = (port: number) =>
    `<replica><host>127.0.0.1</host><port>${port}</port><user>${user}</user><password>${password}</password></replica>`;
  const listed = shards.map((replicas, i) => {
    const there = servers.filter(({ shard }) => shard === i + 1).map(({ native }) => native);
    const ports = Array.from({ length: replicas }, (_, at) => there[at] ?? closedPort);
    return `<shard><internal_replication>true</internal_replication>${ports.map(replica).join('')}</shard>`;
  });
  return listed.join('\n');
}
