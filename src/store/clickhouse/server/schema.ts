/**
 * Where the tables stand. On one server a table has its own name. With the name of a cluster, each shard holds a
 * replicated table `<name>_local`, and `<name>` is a Distributed table over them; small tables that every node needs
 * whole are one replicated table over all shards. The same functions print both.
 */
export interface Topology {
  /** The name of a cluster of the server's configuration; undefined on one server. */
  readonly cluster?: string | undefined;
  /** How many replicas each shard has by the server's configuration, where that is known. */
  readonly replicas?: readonly number[] | undefined;
}

/** Tables that are spread over the shards by stream; all rows of a stream are on one shard. */
export const spreadTables = ['windows', 'streams', 'arrivals', 'definitions'] as const;
/** Small tables that every shard has whole. */
export const wholeTables = ['topics', 'tokens', 'kept', 'workspaces', 'schema_migrations', 'layout'] as const;

export type TableName = (typeof spreadTables)[number] | (typeof wholeTables)[number];

const clusterPattern = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

/** Throws a TypeError for a name that cannot be a cluster's. */
export function checkCluster(name: string): void {
  if (!clusterPattern.test(name)) {
    throw new TypeError(
      `'${name}' is not a name of a cluster: letters, digits, '_', '.' and '-' stand in one`,
    );
  }
}

/** `ON CLUSTER` of a statement that every shard shall run; empty on one server. */
export function onCluster({ cluster }: Topology): string {
  if (cluster === undefined) return '';
  checkCluster(cluster);
  return ` ON CLUSTER \`${cluster}\``;
}

export function isSpread(table: TableName): boolean {
  return (spreadTables as readonly string[]).includes(table);
}

/** The table that holds the rows on a server. */
export function localTable(topology: Topology, table: TableName): string {
  return topology.cluster !== undefined && isSpread(table) ? `${table}_local` : table;
}

/**
 * What `DELETE FROM` and `ALTER TABLE` are to be followed by: rows are changed where they are, on every shard. A
 * table that every shard has whole is changed once; its replicas follow.
 */
export function mutableTable(topology: Topology, table: TableName): string {
  const local = localTable(topology, table);
  return isSpread(table) ? `${local}${onCluster(topology)}` : local;
}

/** The beginning of the statement that makes a table on each server. */
export function createTable(topology: Topology, table: TableName): string {
  return `CREATE TABLE IF NOT EXISTS ${localTable(topology, table)}${onCluster(topology)}`;
}

/** The engine of a table, `family` being its kind of merge: `Replacing`, `Aggregating`; `argument` as in its docs. */
export function engine(
  topology: Topology,
  table: TableName,
  family: 'Replacing' | 'Aggregating',
  argument = '',
): string {
  if (topology.cluster === undefined) return `${family}MergeTree(${argument})`;
  // {shard}, {replica}, {database} and {table} are macros, which each server fills in.
  const path = isSpread(table)
    ? `'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'`
    : `'/clickhouse/tables/whole/{database}/{table}', '{shard}-{replica}'`;
  return `Replicated${family}MergeTree(${path}${argument === '' ? '' : `, ${argument}`})`;
}

/** The inserts back for which a token is known; a token is tried again for minutes at most. */
const deduplicationWindow = 10_000;

/** What tokens of inserts are kept for: replicated tables name the setting otherwise. */
export function deduplication({ cluster }: Topology): string {
  const name =
    cluster === undefined ? 'non_replicated_deduplication_window' : 'replicated_deduplication_window';
  return `${name} = ${deduplicationWindow}`;
}

/** The table that reads and inserts name, over the local ones; none on one server, where it is the local one. */
export function distributed(topology: Topology, table: TableName): string[] {
  if (topology.cluster === undefined || !isSpread(table)) return [];
  return [
    `CREATE TABLE IF NOT EXISTS ${table}${onCluster(topology)} AS ${localTable(topology, table)}
ENGINE = Distributed('${topology.cluster}', currentDatabase(), ${localTable(topology, table)}, cityHash64(workspace, topic, stream))`,
  ];
}

/** The table or view that a statement of the schema makes, or makes anew; undefined where it changes one. */
export function madeBy(statement: string): string | undefined {
  return /^CREATE (?:TABLE|VIEW|MATERIALIZED VIEW) IF NOT EXISTS (\w+)/.exec(statement)?.[1];
}

/**
 * A step of the schema, run once on a database, in the order of the numbers. Several nodes may run it at the same
 * time, and a node may stop in the middle: each of its statements changes nothing when it is run again.
 */
export interface Migration {
  /** 1, 2, 3 …: the number of the schema that it leads to. Never used twice, never changed once released. */
  readonly number: number;
  readonly name: string;
  statements(topology: Topology): readonly string[];
}
