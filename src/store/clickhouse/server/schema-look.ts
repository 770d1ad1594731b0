import { CannotOpen } from '../../cannot-open.ts';
import type { ClickHouse } from './client.ts';
import { localTable, type Topology } from './schema.ts';
import { literal, name, param, print, type Sql, sql } from './sql.ts';

/** What tables there are, by server: name and full engine of each. */
export interface SchemaLook {
  /** The server that was asked. */
  readonly own: ReadonlyMap<string, string>;
  /** All servers of the cluster that answer; on one server that one. */
  readonly living: readonly ReadonlyMap<string, string>[];
  /** Servers of the cluster that do not answer; they make up for it by themselves when they are back. */
  readonly away: number;
}

/** Reads only: it waits for no server that is away. Throws CannotOpen where the cluster is not known. */
export async function lookAtSchema(clickhouse: ClickHouse, topology: Topology): Promise<SchemaLook> {
  const database = param(clickhouse.database, 'String');
  const rows = await clickhouse.rows<[name: string, engine: string]>(
    print(sql`SELECT name, engine_full FROM system.tables WHERE database = ${database}`),
  );
  const own = new Map(rows);
  if (topology.cluster === undefined) return { own, living: [own], away: 0 };
  const cluster = literal(topology.cluster);
  const [servers] = await clickhouse.rows<[count: string]>(
    print(sql`SELECT count() FROM system.clusters WHERE cluster = ${cluster}`),
  );
  const count = Number(servers?.[0] ?? 0);
  if (count === 0) {
    throw new CannotOpen(
      `ClickHouse knows no cluster '${topology.cluster}' (--clickhouse-cluster): its configuration has to name it in remote_servers`,
    );
  }
  const asked = { settings: { skip_unavailable_shards: 1 } as const };
  // In this function each replica has a number of its own.
  const living = await clickhouse.rows<[server: number]>(
    print(sql`SELECT DISTINCT _shard_num FROM clusterAllReplicas(${cluster}, system.one)`),
    asked,
  );
  const tables = new Map(living.map(([server]) => [server, new Map<string, string>()]));
  const found = await clickhouse.rows<[server: number, name: string, engine: string]>(
    print(
      sql`SELECT _shard_num, name, engine_full FROM clusterAllReplicas(${cluster}, system.tables) WHERE database = ${database}`,
    ),
    asked,
  );
  for (const [server, name, engine] of found) tables.get(server)?.set(name, engine);
  return { own, living: [...tables.values()], away: count - tables.size };
}

/** A table as all servers of the cluster have it that answer, to be asked with `skip_unavailable_shards`. */
export function lookedAtAnywhere({ cluster }: Topology, database: string, table: string): Sql {
  if (cluster === undefined) return name(database, table);
  return sql`clusterAllReplicas(${literal(cluster)}, ${literal(database)}, ${literal(table)})`;
}

/**
 * Throws CannotOpen where the tables of a cluster would be used as those of one server, or the reverse: rows would go
 * where others do not look for them.
 */
export function checkKind({ own }: SchemaLook, topology: Topology, database: string): void {
  if (!own.has('windows')) return;
  const isSpread = own.has(`${localTable({ cluster: 'any' }, 'windows')}`);
  if (isSpread === (topology.cluster !== undefined)) return;
  throw new CannotOpen(
    isSpread
      ? `the database ${database} has tables of a cluster: name it (--clickhouse-cluster)`
      : `the database ${database} has tables of one server, which --clickhouse-cluster cannot use: take a new database and copy the rows (docs/clickhouse.md, "How a cluster grows")`,
  );
}
