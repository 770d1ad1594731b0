import type { StoreLog } from '../../store-log.ts';
import type { ClickHouse } from '../server/client.ts';
import { print, type Sql, sql } from '../server/sql.ts';

/**
 * Whether a node that no setting tells writes values as windows: where some stand there, and in a database without values. Where
 * `samples` holds some, a node of an earlier version may be at work that knows no other table, and a server without
 * `enable_shared_storage_snapshot_in_query` can't be asked for both: there values go to `samples`, and the log says so.
 */
export async function isForWindows(clickhouse: Pick<ClickHouse, 'rows'>, log: StoreLog): Promise<boolean> {
  const holds = async (statement: Sql) => (await clickhouse.rows(print(statement))).length > 0;
  if (await holds(sql`SELECT 1 FROM windows LIMIT 1`)) return true;
  if (await holds(sql`SELECT 1 FROM samples WHERE kind != 'event' LIMIT 1`)) {
    log.info({ table: 'samples' }, `values go to samples, where others are: ${advice}`);
    return false;
  }
  if (await holds(sql`SELECT 1 FROM system.settings WHERE name = 'enable_shared_storage_snapshot_in_query'`))
    return true;
  log.info({ table: 'samples' }, 'values go to samples: ClickHouse must be 25.12 or newer to write windows');
  return false;
}

const advice =
  'when all nodes run this version, --clickhouse-windows=write writes windows, which take less room and are read faster';
