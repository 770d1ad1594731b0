import type { Settings } from './client.ts';
import type { Topology } from './schema.ts';

/** How long a server that has not run a statement is waited for. */
const patienceSeconds = 5;

/**
 * What every statement with ON CLUSTER is sent with. Such a statement stands in Keeper until each server has run it, one
 * that is away when it is back. By default ClickHouse waits three minutes for all of them and then fails, so that one
 * server that is away holds up the whole cluster. Here it waits for a moment, and fails only where a server refused.
 * Whoever needs the effect looks for it (`deletes/take-rows.ts`, `migrate.ts`).
 */
export function ddlSettings({ cluster }: Topology): Settings {
  if (cluster === undefined) return {};
  return {
    // The client's types do not know this one: a server that Keeper knows to be away is not waited for at all.
    distributed_ddl_output_mode: 'null_status_on_timeout_only_active' as 'null_status_on_timeout',
    distributed_ddl_task_timeout: String(patienceSeconds),
  };
}
