import { randomUUID } from 'node:crypto';
import type { ClickHouse, Settings } from './client.ts';
import { isSpread, type TableName, type Topology } from './schema.ts';
import { print, type Sql } from './sql.ts';

/** More rows than any block that is sent has, so that none is split. ClickHouse takes no more, and warns at each insert. */
const mostRows = String(2 ** 32);

/**
 * What every insert is sent with, whatever the server's and the user's own settings are: one block sent is one block
 * inserted, acknowledged when it is stored, and taken once however often it is sent with its token.
 */
export function insertSettings(topology: Topology, table: TableName, token: string): Settings {
  return {
    async_insert: 0,
    insert_deduplicate: 1,
    insert_deduplication_token: token,
    // A repeated insert also fills what the first one did not get to: streams are states, to which nothing is added.
    deduplicate_blocks_in_dependent_materialized_views: 1,
    // One part per partition in one statement; insert/partitions.ts bounds how many.
    max_partitions_per_insert_block: '0',
    max_insert_block_size: mostRows,
    min_insert_block_size_rows: '0',
    min_insert_block_size_bytes: '0',
    max_insert_threads: '1',
    input_format_parallel_parsing: 0,
    // Of equal identities in a block the last one stays before it is stored. Rows of one window may stand in a part as they
    // may in two; merges join them.
    optimize_on_insert: table === 'windows' ? 0 : 1,
    ...(topology.cluster !== undefined && { ...clusterSettings, insert_quorum: quorumOf(topology, table) }),
  };
}

/** Runs an `INSERT … SELECT` into a table that is spread. Blocks are put together, so that it makes few parts. */
export async function insertFound(
  { clickhouse, topology }: { readonly clickhouse: Pick<ClickHouse, 'command'>; readonly topology: Topology },
  statement: Sql,
  settings: Settings = {},
): Promise<void> {
  await clickhouse.command(print(statement), {
    settings: {
      ...insertSettings(topology, 'windows', randomUUID()),
      min_insert_block_size_rows: '1048576',
      min_insert_block_size_bytes: '268435456',
      ...settings,
    },
  });
}

/**
 * On a cluster all nodes talk to the same replica of each shard: the first in the cluster's configuration that lives.
 * That the server of a connection is a replica itself does not count. So the next read finds an insert on the replica
 * that took it, though another one may not have fetched it yet.
 */
const sameReplica: Settings = {
  load_balancing: 'in_order',
  prefer_localhost_replica: 0,
  // Otherwise a read whose replica is slow to answer goes on at the next one.
  use_hedged_requests: 0,
};

/**
 * On a cluster an insert is acknowledged when a majority of the replicas has it. Where there is one replica ClickHouse
 * would wait for another (26.7: until it times out).
 */
function quorumOf({ replicas = [] }: Topology, table: TableName): 'auto' | '0' {
  if (replicas.length === 0) return 'auto';
  const least = isSpread(table) ? Math.min(...replicas) : replicas.reduce((sum, one) => sum + one, 0);
  return least > 1 ? 'auto' : '0';
}

/**
 * Inserts go side by side. (One
 * after another, which reads with `select_sequential_consistency` would want, ClickHouse refuses with code 286 an
 * insert that comes while another one is under way.) Inserts into Distributed tables wait for their shards.
 */
const clusterSettings: Settings = {
  insert_quorum_parallel: 1,
  distributed_foreground_insert: 1,
  ...sameReplica,
};

/**
 * What every statement is sent with: on a cluster it reads where inserts go to, and only on the shards that can hold
 * the streams that it names. What stands after IN and JOIN is found once, not by every shard for itself, which would lack the rows of the others.
 */
export function readSettings({ cluster }: Topology): Settings {
  if (cluster === undefined) return {};
  return { ...sameReplica, optimize_skip_unused_shards: 1, distributed_product_mode: 'global' };
}
