import { CannotOpen } from '../../cannot-open.ts';
import type { StoreLog } from '../../store-log.ts';
import type { ClickHouse } from './client.ts';
import { loggedCause } from './client-errors.ts';
import { ddlSettings } from './cluster-ddl.ts';
import { tableMaker } from './make-tables.ts';
import { tables } from './migrations/001-tables.ts';
import { makeDatabase } from './open-database.ts';
import {
  createTable,
  engine,
  localTable,
  type Migration,
  madeBy,
  onCluster,
  spreadTables,
  type Topology,
  wholeTables,
} from './schema.ts';
import { checkKind, lookAtSchema, lookedAtAnywhere } from './schema-look.ts';
import { print, type Statement, sql } from './sql.ts';

/** In the order of their numbers. */
export const migrations: readonly Migration[] = [tables];

/**
 * Brings the database's schema to that of this program. It looks first and changes only what is missing, so a node
 * starts while a server of the cluster is away, and a server that came to the cluster gets its tables. Nodes that start
 * at once may all do this: every statement changes nothing when it is run again.
 * Throws CannotOpen, with one line, for a schema of another version and for tables that do not fit the topology.
 */
export async function migrate(
  clickhouse: ClickHouse,
  topology: Topology,
  log: StoreLog,
  known: readonly Migration[] = migrations,
): Promise<void> {
  const look = await lookAtSchema(clickhouse, topology);
  checkKind(look, topology, clickhouse.database);
  if (look.away > 0) log.warn({ away: look.away }, 'servers of the ClickHouse cluster do not answer');
  const maker = tableMaker(clickhouse, topology, log);
  const isEverywhere = (table: string) => look.living.every((server) => server.has(table));

  if (!isEverywhere('schema_migrations')) {
    await makeDatabase(clickhouse, clickhouse.database, topology);
    await maker.run(migrationsTable(topology));
  }
  const done = await numbersDone(clickhouse, topology);
  const newest = Math.max(0, ...done);
  const newestKnown = known.at(-1)?.number ?? 0;
  if (newest > newestKnown) {
    throw new CannotOpen(
      `the database ${clickhouse.database} has schema ${newest}, and this program knows schemas up to ${newestKnown}: another version made it`,
    );
  }
  for (const migration of known) {
    const isDone = done.has(migration.number);
    if (isDone && topology.cluster === undefined) continue;
    if (!isDone)
      log.info({ migration: migration.number }, `migrating the database to schema ${migration.number}`);
    for (const statement of migration.statements(topology)) {
      const table = madeBy(statement);
      const isMade = table === undefined ? isDone : isEverywhere(table);
      if (isMade) continue;
      if (isDone && table !== undefined) await maker.makeWhereMissing(table, statement);
      else await maker.run(statement);
    }
    if (isDone) continue;
    await clickhouse.command({
      text: 'INSERT INTO schema_migrations (number, name) SELECT {number:UInt32}, {name:String}',
      params: { number: migration.number, name: migration.name },
    });
  }
}

/** How many of the tables' inserts ClickHouse writes through to the disk before it acknowledges them. */
export type Durability = 'synced' | 'cached';

/**
 * Makes the tables sync as `durability` says: `synced` = an insert is acknowledged when its files and their folder
 * are synced to the disk; `cached` = when the operating system has them, and a power cut takes the last seconds.
 */
export async function setDurability(
  clickhouse: ClickHouse,
  topology: Topology,
  durability: Durability,
  log: StoreLog,
): Promise<void> {
  const value = durability === 'synced' ? 1 : 0;
  const { living } = await lookAtSchema(clickhouse, topology);
  for (const table of [...spreadTables, ...wholeTables]) {
    const local = localTable(topology, table);
    const engines = living.map((server) => server.get(local)).filter((found) => found !== undefined);
    if (engines.every((found) => isSynced(found) === (durability === 'synced'))) continue;
    log.info({ table: local, durability }, `making ${local} acknowledge inserts when they are ${durability}`);
    await clickhouse.command(
      text(
        `ALTER TABLE ${local}${onCluster(topology)} MODIFY SETTING fsync_after_insert = ${value}, fsync_part_directory = ${value}`,
      ),
      { settings: ddlSettings(topology) },
    );
  }
}

/**
 * Names the codec ALP for the numbers of `windows`, which takes half of what others take for decimals. It is experimental
 * in ClickHouse 26.7 and unknown to older servers: where it is refused, numbers stay as the schema says.
 */
export async function setNumberCodec(
  clickhouse: ClickHouse,
  topology: Topology,
  log: StoreLog,
): Promise<void> {
  const table = localTable(topology, 'windows');
  const [column] = await clickhouse.rows<[codec: string]>(
    text(
      `SELECT compression_codec FROM system.columns WHERE database = currentDatabase() AND table = '${table}' AND name = 'numbers'`,
    ),
  );
  if (column?.[0].includes('ALP') === true) return;
  try {
    await clickhouse.command(
      text(`ALTER TABLE ${table}${onCluster(topology)} MODIFY COLUMN numbers CODEC(ALP, ZSTD(1))`),
      { settings: { ...ddlSettings(topology), allow_experimental_codecs: 1 } },
    );
  } catch (error) {
    log.warn({ cause: loggedCause(error) }, 'ClickHouse does not pack numbers with its codec ALP');
  }
}

function isSynced(engine: string): boolean {
  return /\bfsync_after_insert = 1\b/.test(engine) && /\bfsync_part_directory = 1\b/.test(engine);
}

function migrationsTable(topology: Topology): string {
  return `${createTable(topology, 'schema_migrations')} (
  number UInt32,
  name String,
  applied DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ${engine(topology, 'schema_migrations', 'Replacing')}
ORDER BY number`;
}

/** A server that has just got the table may not have fetched its rows. */
async function numbersDone(clickhouse: ClickHouse, topology: Topology): Promise<Set<number>> {
  const table = lookedAtAnywhere(topology, clickhouse.database, 'schema_migrations');
  const rows = await clickhouse.rows<[number]>(print(sql`SELECT DISTINCT number FROM ${table}`), {
    settings: { skip_unavailable_shards: 1 },
  });
  return new Set(rows.map(([number]) => number));
}

/** A statement that holds no data. */
function text(statement: string): Statement {
  return { text: statement, params: {} };
}
