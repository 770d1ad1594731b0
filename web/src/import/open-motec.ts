import { openLd } from '../../../src/import/motec/open-ld.ts';
import { openedLog } from './open-log.ts';
import type { Open } from './opened.ts';

/** Longest .ldx file: laps are a few hundred bytes each. */
const longestLdx = 16 << 20;

export const open: Open = async ({ bytes, beside: [laps] }, _settings, reading) => {
  if (laps !== undefined && laps.size > longestLdx) throw new Error('The .ldx file is too large.');
  return openedLog(await openLd(bytes, await laps?.text()), bytes.size, reading);
};
