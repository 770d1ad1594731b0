import { openCan } from '../../../src/import/can/open-can.ts';
import { openedLog } from './open-log.ts';
import type { Open } from './opened.ts';
import { dbcOf } from './read-dbc-files.ts';

/** A log of frames, with the .dbc files that were chosen with it. It is read twice: to see which frames there are, and from when to when they go. */
export const open: Open = async ({ bytes, beside }, _settings, reading) => {
  const dbc = await dbcOf(beside);
  if (dbc === undefined)
    throw new Error(
      'These are raw frames of a CAN bus: choose a .dbc file together with it, which says what they mean.',
    );
  const half = (before: number) => (read: number) => reading.onBytes(before + read / 2);
  const log = await openCan(bytes, dbc, half(0), reading.pace);
  return openedLog(log, bytes.size, { ...reading, onBytes: half(bytes.size / 2) });
};
