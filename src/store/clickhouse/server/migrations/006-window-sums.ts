import { distributed, localTable, type Migration, onCluster } from '../schema.ts';
import { sumColumns } from './005-windows.ts';

/** What tells of the numbers of a window without them, for tables that an earlier form of schema 5 made. */
export const windowSums: Migration = {
  number: 6,
  name: 'window sums',
  statements(topology) {
    const tables = [
      localTable(topology, 'windows'),
      ...(distributed(topology, 'windows').length > 0 ? ['windows'] : []),
    ];
    return tables.map(
      (table) =>
        `ALTER TABLE ${table}${onCluster(topology)} ${sumColumns.map((column) => `ADD COLUMN IF NOT EXISTS ${column}`).join(', ')}`,
    );
  },
};
