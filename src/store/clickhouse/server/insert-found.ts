import type { ClickHouse, Settings } from './client.ts';
import { insertFoundSettings } from './insert-settings.ts';
import type { Topology } from './schema.ts';
import { print, type Sql } from './sql.ts';

/** Runs an `INSERT … SELECT`. */
export type FoundInserter = (statement: Sql, settings?: Settings) => Promise<void>;

export function foundInserter({
  clickhouse,
  topology,
}: {
  readonly clickhouse: Pick<ClickHouse, 'command'>;
  readonly topology: Topology;
}): FoundInserter {
  return (statement, settings) =>
    clickhouse.command(print(statement), { settings: { ...insertFoundSettings(topology), ...settings } });
}
