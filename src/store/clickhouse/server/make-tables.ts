import { setTimeout as pause } from 'node:timers/promises';
import { CannotOpen } from '../../cannot-open.ts';
import type { StoreLog } from '../../store-log.ts';
import type { ClickHouse } from './client.ts';
import { codeOf, messageOf } from './client-errors.ts';
import { ddlSettings } from './cluster-ddl.ts';
import { onCluster, type Topology } from './schema.ts';
import { lookedAtAnywhere } from './schema-look.ts';
import { literal, param, print, type Statement, sql } from './sql.ts';

/** Makes tables and views on all servers of the cluster, or on the one that there is. */
export interface TableMaker {
  /** Runs a statement of the schema. */
  run(statement: string): Promise<void>;
  /** Makes what some servers have where others lack it; where all that answer lack it, by the statement of the schema. */
  makeWhereMissing(table: string, statement: string): Promise<void>;
}

export function tableMaker(clickhouse: ClickHouse, topology: Topology, log: StoreLog): TableMaker {
  // Columns may have codecs that ClickHouse calls experimental: a server that comes later gets them too.
  const settings = { ...ddlSettings(topology), allow_experimental_codecs: 1 } as const;
  const command = (statement: Statement) => clickhouse.command(statement, { settings });

  async function run(statement: string): Promise<void> {
    try {
      await command({ text: statement, params: {} });
    } catch (error) {
      const lost = lostReplicaOf(error);
      if (lost === undefined) throw error;
      log.warn(lost, 'a server of the ClickHouse cluster has lost a table: it is made anew there');
      await forget(lost);
      // Other servers may have lost it as well.
      await run(statement);
    }
  }

  async function forget({ path, replica }: LostReplica): Promise<void> {
    const statement = print(sql`SYSTEM DROP REPLICA ${literal(replica)} FROM ZKPATH ${literal(path)}`);
    const deadline = performance.now() + sessionLastsMs;
    for (;;) {
      try {
        await command(statement);
        return;
      } catch (error) {
        if (codeOf(error) !== notDropped) throw error;
        if (performance.now() > deadline) {
          throw new CannotOpen(
            `a server of the cluster lacks a table whose replica ${replica} at ${path} lives on another one: do two servers have the same macros {shard} and {replica}?`,
          );
        }
      }
      await pause(betweenTriesMs);
    }
  }

  return {
    run,
    async makeWhereMissing(table, statement) {
      log.info({ table }, `making ${table} on servers of the cluster that lack it`);
      const [definition] = await clickhouse.rows<[text: string]>(
        print(sql`SELECT create_table_query FROM ${lookedAtAnywhere(topology, 'system', 'tables')}
WHERE database = ${param(clickhouse.database, 'String')} AND name = ${param(table, 'String')} LIMIT 1`),
        { settings: { skip_unavailable_shards: 1 } },
      );
      const head = `CREATE $1 IF NOT EXISTS ${table}${onCluster(topology)}`;
      await run(definition === undefined ? statement : definition[0].replace(named, head));
    },
  };
}

/** The head of a definition as ClickHouse gives it: `CREATE TABLE database.table`. */
const named = /^CREATE (TABLE|VIEW|MATERIALIZED VIEW) (?:`(?:[^`\\]|\\.)*`|\w+)\.\w+/;

/** ClickHouse's REPLICA_ALREADY_EXISTS. */
const alreadyExists = 253;
/** ClickHouse's TABLE_WAS_NOT_DROPPED: the replica lives. */
const notDropped = 305;

/** Keeper takes a server that was lost for alive as long as its session lasts: 30 s by default. */
const sessionLastsMs = 60_000;
const betweenTriesMs = 500;

interface LostReplica {
  /** The table's, in Keeper. */
  readonly path: string;
  readonly replica: string;
}

/**
 * Keeper knows the replica and the server has no such table: it has lost its disk. ClickHouse makes the table only when
 * Keeper has forgotten the replica.
 */
function lostReplicaOf(error: unknown): LostReplica | undefined {
  if (codeOf(error) !== alreadyExists) return undefined;
  const [, path, replica] = /Replica (\S+)\/replicas\/(\S+) already exists/.exec(messageOf(error)) ?? [];
  return path === undefined || replica === undefined ? undefined : { path, replica };
}
