import { CannotOpen } from '../../cannot-open.ts';
import type { StoreLog } from '../../store-log.ts';
import type { ClickHouse } from './client.ts';
import type { Topology } from './schema.ts';
import { lookedAtAnywhere } from './schema-look.ts';
import { param, print, type Sql, sql } from './sql.ts';

/**
 * The topology with how many replicas each shard of its cluster has. Throws CannotOpen where the tables are spread over
 * other shards. Shards that have more or fewer replicas than the rest are told of: their inserts can be acknowledged in one way only.
 */
export async function withShards(
  clickhouse: ClickHouse,
  topology: Topology,
  log: StoreLog,
): Promise<Topology> {
  const { cluster } = topology;
  if (cluster === undefined) return topology;
  const shards = await clickhouse.rows<[weight: number, replicas: string]>(
    print(sql`SELECT any(shard_weight), count() FROM system.clusters
WHERE cluster = ${param(cluster, 'String')} GROUP BY shard_num ORDER BY shard_num`),
  );
  await checkWeights(clickhouse, cluster, shards.map(([weight]) => weight).join(', '));
  const replicas = shards.map(([, count]) => Number(count));
  if (replicas.includes(1) && replicas.some((count) => count > 1)) {
    log.warn(
      { replicas },
      'a shard of the ClickHouse cluster has one replica, others have more: a write is acknowledged when one replica has it; give each shard at least two',
    );
  }
  return { ...topology, replicas };
}

/**
 * Keeps the weights of the shards that the tables are spread over, in order, with the schema. A stream is found by its hash modulo
 * the weights: with other shards most streams would be looked for where they are not, and acknowledged rows would be missing
 * without a word.
 */
async function checkWeights(clickhouse: ClickHouse, cluster: string, now: string): Promise<void> {
  let kept = await keptShards(clickhouse, sql`layout`);
  // A server that has just come to the cluster may not have fetched the row.
  if (kept.length === 0) {
    kept = await keptShards(clickhouse, lookedAtAnywhere({ cluster }, clickhouse.database, 'layout'));
  }
  if (kept.length === 0) {
    await clickhouse.command(
      print(sql`INSERT INTO layout (name, value) SELECT 'shards', ${param(now, 'String')}`),
    );
    kept = await keptShards(clickhouse, sql`layout`);
  }
  const other = kept.find((value) => value !== now);
  if (other === undefined) return;
  throw new CannotOpen(
    `the rows in ${clickhouse.database} are spread over ${described(other)}, and the cluster ${cluster} has ${described(now)}: ` +
      'give it its former shards again, or copy the rows into a new database (docs/clickhouse.md, "How a cluster grows")',
  );
}

async function keptShards(clickhouse: ClickHouse, from: Sql): Promise<string[]> {
  const rows = await clickhouse.rows<[value: string]>(
    print(sql`SELECT DISTINCT value FROM ${from} WHERE name = 'shards'`),
    { settings: { skip_unavailable_shards: 1 } },
  );
  return rows.map(([value]) => value);
}

function described(weights: string): string {
  const count = weights.split(', ').length;
  return `${count} ${count === 1 ? 'shard' : 'shards'} with ${count === 1 ? 'the weight' : 'the weights'} ${weights}`;
}
