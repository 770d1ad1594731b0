import { openMdf4 } from '../../../src/import/mdf4/open-mdf4.ts';
import { openedLog } from './open-log.ts';
import type { Open } from './opened.ts';
import { dbcOf } from './read-dbc-files.ts';

/** Its records are read twice: to see that they can be, and from when to when they go. */
export const open: Open = async ({ bytes, beside }, _settings, reading) => {
  const half = (before: number) => (read: number) => reading.onBytes(before + read / 2);
  const log = await openMdf4(bytes, await dbcOf(beside), half(0), reading.pace);
  return openedLog(log, bytes.size, { ...reading, onBytes: half(bytes.size / 2) });
};
