import { openCan } from '../../../src/import/can/open-can.ts';
import { openedTwice } from './open-log.ts';
import type { Open } from './opened.ts';
import { dbcOf } from './read-dbc-files.ts';

/** A log of frames, with the .dbc files that were chosen with it. */
export const open: Open = async ({ bytes, beside }, _settings, reading) => {
  const dbc = await dbcOf(beside);
  if (dbc === undefined)
    throw new Error(
      'These are raw frames of a CAN bus: choose a .dbc file together with it, which says what they mean.',
    );
  return openedTwice(bytes.size, reading, ({ onBytes, pace }) => openCan(bytes, dbc, onBytes, pace));
};
