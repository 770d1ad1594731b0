import { addColumns, type Migration } from '../schema.ts';
import { readings, scaledColumn } from './007-windows.ts';

/** Decimals as integers, for tables that schema 7 made. */
export const windowDecimals: Migration = {
  number: 8,
  name: 'window decimals',
  statements: (topology) => [...addColumns(topology, 'windows', [scaledColumn]), readings(topology)],
};
