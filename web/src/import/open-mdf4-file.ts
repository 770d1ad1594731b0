import { openMdf4 } from '../../../src/import/mdf4/open-mdf4.ts';
import { openedTwice } from './open-log.ts';
import type { Open } from './opened.ts';
import { dbcOf } from './read-dbc-files.ts';

export const open: Open = async ({ bytes, beside }, _settings, reading) => {
  const dbc = await dbcOf(beside);
  return openedTwice(bytes.size, reading, ({ onBytes, pace }) => openMdf4(bytes, dbc, onBytes, pace));
};
