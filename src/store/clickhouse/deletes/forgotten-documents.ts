import type { Asking } from '../catalog/catalog-settings.ts';
import { changesLastNs, ownTable } from '../server/delete-settings.ts';
import type { Topology } from '../server/schema.ts';
import { every, param, print, sql } from '../server/sql.ts';
import type { VersionClock } from '../server/version-clock.ts';
import { rowTaker } from './take-rows.ts';

/** The fewest forgotten documents that are deleted: a delete writes parts of the table anew. */
export const worthDeleting = 1000;

/**
 * Takes the rows away that say that documents were forgotten, a day later, where they are worth a delete: of each delivered
 * message there is one.
 */
export async function takeForgotten({
  clickhouse,
  topology,
  clock,
}: {
  readonly clickhouse: Asking;
  readonly topology: Topology;
  readonly clock: Pick<VersionClock, 'reading'>;
}): Promise<void> {
  const takeFrom = rowTaker({ clickhouse, topology });
  const old = sql`version < ${param(clock.reading() - changesLastNs, 'UInt64')}`;
  const saysSo = every([sql`removed = 1`, old]);
  const [row] = await clickhouse.rows<[count: string]>(print(sql`SELECT count() FROM kept WHERE ${saysSo}`));
  if (Number(row?.[0] ?? 0) < worthDeleting) return;
  // What was kept before goes first: without the row that says so it would be there again.
  const forgotten = sql`(workspace, kind, topic, id) IN (
  SELECT workspace, kind, topic, id FROM ${ownTable(topology, 'kept')} WHERE ${old}
  GROUP BY workspace, kind, topic, id HAVING argMax(removed, version) = 1)`;
  await takeFrom('kept', every([sql`removed = 0`, old, forgotten]));
  await takeFrom('kept', saysSo);
}
