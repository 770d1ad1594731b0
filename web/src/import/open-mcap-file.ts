import { openMcap } from '../../../src/import/mcap/open-mcap.ts';
import { openedLog } from './open-log.ts';
import type { Open } from './opened.ts';

/** Its messages are read twice: to learn which fields they have, and from when to when they go. */
export const open: Open = async ({ bytes }, _settings, reading) => {
  const half = (before: number) => (read: number) => reading.onBytes(before + read / 2);
  const log = await openMcap(bytes, { onBytes: half(0), pace: reading.pace });
  return openedLog(log, bytes.size, { ...reading, onBytes: half(bytes.size / 2) });
};
