import type { Settings } from './client.ts';
import { localTable, mutableTable, type TableName, type Topology } from './schema.ts';
import { type Sql, sql } from './sql.ts';

/**
 * Of statements that take rows away, beside those of the catalogue: they end when the rows are gone from reads of the
 * server that runs the statement. To wait for all replicas would be to wait for one that is away.
 */
export const deleteSettings: Settings = {
  lightweight_deletes_sync: '1',
  // What is deleted is chosen by rows that a replica may not have yet: `deletes/take-rows.ts` looks whether it is gone.
  allow_nondeterministic_mutations: 1,
  max_execution_time: 3600,
};

/** How long others finish what a node began and did not finish. */
export const changesLastNs = 86_400_000_000_000n;

/** `DELETE FROM` of rows where they are, on every shard. */
export function deleteFrom(topology: Topology, table: TableName, condition: Sql): Sql {
  return sql`DELETE FROM ${trusted(mutableTable(topology, table))} WHERE ${condition}`;
}

/** The table that holds a shard's own rows. */
export function ownTable(topology: Topology, table: TableName): Sql {
  return trusted(localTable(topology, table));
}

/** Text of the schema, in which no data stand. */
export function trusted(text: string): Sql {
  return { texts: [text], holes: [] };
}
