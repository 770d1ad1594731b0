import { distributed, localTable, type Migration, onCluster } from '../schema.ts';
import { readings, scaledColumn } from './005-windows.ts';

/** Decimals as integers, for tables that an earlier form of schema 5 made. */
export const windowDecimals: Migration = {
  number: 8,
  name: 'window decimals',
  statements(topology) {
    const tables = [
      localTable(topology, 'windows'),
      ...(distributed(topology, 'windows').length > 0 ? ['windows'] : []),
    ];
    const alter = (table: string) =>
      `ALTER TABLE ${table}${onCluster(topology)} ADD COLUMN IF NOT EXISTS ${scaledColumn}`;
    return [...tables.map(alter), readings(topology)];
  },
};
