import type { ClickHouse, Settings, StatementOptions } from '../server/client.ts';
import { readSettings } from '../server/insert-settings.ts';
import type { Topology } from '../server/schema.ts';

/** A connection for statements with small answers or none. */
export type Asking = Pick<ClickHouse, 'rows' | 'command'>;

/** A connection whose every statement has these options; what a statement gives itself goes before. */
export function askingWith(clickhouse: Asking, given: StatementOptions): Asking {
  const both = (own: StatementOptions = {}): StatementOptions => ({
    ...given,
    ...own,
    settings: { ...given.settings, ...own.settings },
  });
  return {
    rows: (statement, options) => clickhouse.rows(statement, both(options)),
    command: (statement, options) => clickhouse.command(statement, both(options)),
  };
}

/** Of every statement on the catalogue. */
export function catalogSettings(topology: Topology): Settings {
  return {
    ...readSettings(topology),
    // Bounds of parameters are ordered as the numbers that they are.
    precise_float_parsing: 1,
    // A join leaves what is not there empty; Nullable columns tell it from what is.
    join_use_nulls: 0,
    max_execution_time: 300,
  };
}
