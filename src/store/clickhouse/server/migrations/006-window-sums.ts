import { addColumns, type Migration } from '../schema.ts';
import { sumColumns } from './005-windows.ts';

/** What tells of the numbers of a window without them, for tables that an earlier form of schema 5 made. */
export const windowSums: Migration = {
  number: 6,
  name: 'window sums',
  statements: (topology) => addColumns(topology, 'windows', sumColumns),
};
