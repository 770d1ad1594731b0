import type { Asking } from '../catalog/catalog-settings.ts';
import { codeOf } from '../server/client-errors.ts';
import { deleteSettings, trusted } from '../server/delete-settings.ts';
import { localTable, type Topology } from '../server/schema.ts';
import { literal, param, print, sql } from '../server/sql.ts';

/** ClickHouse's code of a part that is not there: it was merged or dropped meanwhile. */
const noSuchPart = 232;

/**
 * Drops parts of `windows` of which deletes have taken all rows. ClickHouse keeps no projection of such a part, and joins only parts that
 * have the same ones: it would stay, and what stands on its two sides would never be joined.
 * On a cluster this is done where the connection goes to.
 */
export async function dropEmptyParts(
  clickhouse: Asking,
  topology: Topology,
  signal: AbortSignal,
): Promise<void> {
  const own = localTable(topology, 'windows');
  const found = await clickhouse.rows<[name: string]>(
    print(sql`SELECT name FROM system.parts
WHERE database = currentDatabase() AND table = ${param(own, 'String')} AND active AND has_lightweight_delete
  AND empty(projections) AND rows > 0`),
    { signal },
  );
  for (const [name] of found) {
    const rest = print(sql`SELECT 1 FROM ${trusted(own)} WHERE _part = ${param(name, 'String')} LIMIT 1`);
    if ((await clickhouse.rows(rest, { settings: deleteSettings, signal })).length > 0) continue;
    try {
      await clickhouse.command(print(sql`ALTER TABLE ${trusted(own)} DROP PART ${literal(name)}`), {
        signal,
      });
    } catch (error) {
      if (codeOf(error) !== noSuchPart) throw error;
    }
  }
}
