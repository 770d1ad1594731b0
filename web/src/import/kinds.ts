import { fileKinds } from '../../../src/import/file-ends.ts';

/** Each kind of file that the page reads, with what loads its reader. */
export const readers = {
  text: () => import('./open-text-file.ts'),
  motec: () => import('./open-motec.ts'),
  mdf4: () => import('./open-mdf4-file.ts'),
  mcap: () => import('./open-mcap-file.ts'),
  can: () => import('./open-can-file.ts'),
  nmea: () => import('./open-nmea-file.ts'),
  gpx: () => import('./open-gpx-file.ts'),
  parquet: () => import('./open-table-file.ts'),
  json: () => import('./open-table-file.ts'),
  arrow: () => import('./open-table-file.ts'),
} as const;

/** What a dialog for files offers: what is read, text that is packed, laps of MoTeC logs, and what frames of CAN buses mean. */
export const offeredFiles = [
  ...(Object.keys(readers) as (keyof typeof readers)[]).flatMap((kind) => fileKinds[kind]),
  ...['.gz', '.zst', '.ldx', '.dbc'],
].join();
