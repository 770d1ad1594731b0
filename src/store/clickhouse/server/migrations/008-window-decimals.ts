import { addColumns, type Migration } from '../schema.ts';
import { readings, scaledColumn } from './005-windows.ts';

/** Decimals as integers, for tables that an earlier form of schema 5 made. */
export const windowDecimals: Migration = {
  number: 8,
  name: 'window decimals',
  statements: (topology) => [...addColumns(topology, 'windows', [scaledColumn]), readings(topology)],
};
