import type { ClickHouse, StatementOptions } from '../server/client.ts';
import { print, sql } from '../server/sql.ts';

/**
 * Whether values stand in `windows`, or all of them in `samples`: most of what a statement over both tables does is in vain
 * as long as one of them is empty.
 */
export type LookForWindows = (options: StatementOptions) => Promise<boolean>;

/** Looks until there are some, then for no read any more. */
export function lookForWindows(clickhouse: Pick<ClickHouse, 'rows'>): LookForWindows {
  let found = false;
  return async (options) => {
    if (found) return true;
    const rows = await clickhouse.rows(print(sql`SELECT 1 FROM windows LIMIT 1`), options);
    if (rows.length > 0) found = true;
    return found;
  };
}
