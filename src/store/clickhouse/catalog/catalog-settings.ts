import type { ClickHouse, Settings } from '../server/client.ts';
import { readSettings } from '../server/insert-settings.ts';
import type { Topology } from '../server/schema.ts';

/** A connection whose every statement has settings; what a statement gives itself goes before. */
export type Asking = Pick<ClickHouse, 'rows' | 'command'>;

export function askingWith(clickhouse: Asking, settings: Settings): Asking {
  return {
    rows: (statement, options) =>
      clickhouse.rows(statement, { ...options, settings: { ...settings, ...options?.settings } }),
    command: (statement, options) =>
      clickhouse.command(statement, { ...options, settings: { ...settings, ...options?.settings } }),
  };
}

/** A connection whose statements end with the reason of a signal. */
export function endedBy(clickhouse: Asking, signal: AbortSignal | undefined): Asking {
  if (signal === undefined) return clickhouse;
  return {
    rows: (statement, options) => clickhouse.rows(statement, { ...options, signal }),
    command: (statement, options) => clickhouse.command(statement, { ...options, signal }),
  };
}

/** Of every statement on the catalogue. */
export function catalogSettings(topology: Topology): Settings {
  return {
    ...readSettings(topology),
    // On a cluster what stands after IN is found once, not by every shard for itself.
    distributed_product_mode: 'global',
    // Bounds of parameters are ordered as the numbers that they are.
    precise_float_parsing: 1,
    // A join leaves what is not there empty; Nullable columns tell it from what is.
    join_use_nulls: 0,
    max_execution_time: 300,
  };
}
