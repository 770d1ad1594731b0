// One server of a cluster whose other servers are away. The library behind the engine knows clusters from a
// configuration, but neither listens for other servers nor speaks to a Keeper.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Job } from './session.ts';
import { statementOf } from './statement.ts';

/** A cluster of which the engine is the first replica of the first shard; the others do not answer. */
export interface LoneCluster {
  readonly name: string;
  /** Replicas of each shard. */
  readonly shards: readonly number[];
  /**
   * What becomes of a statement with ON CLUSTER: it runs here; or it is refused, as ClickHouse does in the end when a
   * server is away; or a DELETE is answered at once and runs somewhat later, as on a server that has much to do.
   */
  readonly onCluster: 'runs' | 'fails' | 'is late';
}

/** Only so that the library knows which replica it is. */
const ownPort = 9;
/** Nothing listens there. */
const closedPort = 1;

/** Writes the library's configuration and returns its path. */
export function writeConfiguration(dataDir: string, { name, shards }: LoneCluster): string {
  const replica = (port: number) => `<replica><host>127.0.0.1</host><port>${port}</port></replica>`;
  const listed = shards.map((replicas, shard) => {
    const all = Array.from({ length: replicas }, (_, i) => replica(shard + i === 0 ? ownPort : closedPort));
    return `<shard><internal_replication>true</internal_replication>${all.join('')}</shard>`;
  });
  const path = join(dataDir, 'cluster.xml');
  writeFileSync(
    path,
    `<clickhouse><tcp_port>${ownPort}</tcp_port><remote_servers><${name}>${listed.join('')}</${name}></remote_servers></clickhouse>`,
  );
  return path;
}

const onCluster = / ON CLUSTER `[^`]+`/;
const lateMs = 500;

/** The job as this server runs it, and how much later. */
export function alone(job: Job, cluster: LoneCluster): { readonly job: Job; readonly delayMs: number } {
  const { text } = job.statement;
  const settings = new Map(job.settings);
  // Otherwise it would speak to itself over a port.
  settings.delete('prefer_localhost_replica');
  if (!onCluster.test(text)) return { job: { ...job, settings }, delayMs: 0 };
  if (cluster.onCluster === 'fails') {
    throw new Error('Code: 159. DB::Exception: Distributed DDL task is not finished. (TIMEOUT_EXCEEDED)');
  }
  const plain = text
    .replace(onCluster, '')
    // There is no Keeper.
    .replace(/Replicated(\w+MergeTree)\('[^']*', '[^']*'(?:, )?/, '$1(');
  const isLate = cluster.onCluster === 'is late' && text.startsWith('DELETE');
  return { job: { ...job, settings, statement: statementOf(plain) }, delayMs: isLate ? lateMs : 0 };
}
