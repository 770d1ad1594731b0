import { openMdf4 } from '../../../src/import/mdf4/open-mdf4.ts';
import { openedLog } from './open-log.ts';
import type { Open } from './opened.ts';

export const open: Open = async ({ bytes }, _settings, reading) =>
  openedLog(await openMdf4(bytes), bytes.size, reading);
