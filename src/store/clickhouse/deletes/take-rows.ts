import { PitwallError } from '../../../errors.ts';
import type { Asking } from '../catalog/catalog-settings.ts';
import { ddlSettings } from '../server/cluster-ddl.ts';
import { deleteFrom, deleteSettings } from '../server/delete-settings.ts';
import type { TableName, Topology } from '../server/schema.ts';
import { name, print, type Sql, sql } from '../server/sql.ts';

export async function hasRows(
  clickhouse: Pick<Asking, 'rows'>,
  table: TableName,
  condition: Sql,
): Promise<boolean> {
  const statement = print(sql`SELECT 1 FROM ${name(table)} WHERE ${condition} LIMIT 1`);
  return (await clickhouse.rows(statement, { settings: deleteSettings })).length > 0;
}

/** Takes rows that are there when it is called out of reads, for good. */
export type RowTaker = (table: TableName, condition: Sql) => Promise<void>;

/** Waits between two looks: 50 ms, doubling up to 2 s. */
const firstWaitMs = 50;
const maxWaitMs = 2000;
/** The time after which the statement is sent again, and after twice that again. */
const againMs = 2000;
/** How long rows may take to be taken: as long as a statement on one server may. */
const patienceMs = 3_600_000;

/**
 * On one server a delete is over when its statement is. On a cluster the statement goes to all servers, of which one may
 * be away for days: what counts is whether reads still find such rows. They go to the first replica of each shard that
 * lives, and so does the look that this waits for; other replicas follow in their own time. Rows may stay: some come late. And a replica
 * that lags, and lacks what a condition looks up in another table, may be the first to run the statement: the others take over what it
 * leaves.
 *
 * Rejects with `storage_failed` when rows are still there after an hour.
 */
export function rowTaker({
  clickhouse,
  topology,
}: {
  readonly clickhouse: Asking;
  readonly topology: Topology;
}): RowTaker {
  const settings = { ...deleteSettings, ...ddlSettings(topology) };

  return async (table, condition) => {
    // A delete that finds nothing costs more than a look.
    if (!(await hasRows(clickhouse, table, condition))) return;
    const statement = print(deleteFrom(topology, table, condition));
    await clickhouse.command(statement, { settings });
    if (topology.cluster === undefined) return;
    const began = performance.now();
    let nextAgain = againMs;
    for (
      let wait = firstWaitMs;
      await hasRows(clickhouse, table, condition);
      wait = Math.min(wait * 2, maxWaitMs)
    ) {
      const waited = performance.now() - began;
      if (waited > patienceMs) {
        throw new PitwallError('storage_failed', { detail: 'ClickHouse has not deleted all rows' });
      }
      if (waited > nextAgain) {
        nextAgain *= 2;
        await clickhouse.command(statement, { settings });
      }
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  };
}
