import { openNmea } from '../../../src/import/position/open-nmea.ts';
import { openedLog } from './open-log.ts';
import type { Open } from './opened.ts';

/** A log of NMEA 0183, which is read twice: to see what there is, and from when to when it goes. */
export const open: Open = async ({ bytes }, _settings, reading) => {
  const half = (before: number) => (read: number) => reading.onBytes(before + read / 2);
  const log = await openNmea(bytes, half(0));
  return openedLog(log, bytes.size, { ...reading, onBytes: half(bytes.size / 2) });
};
