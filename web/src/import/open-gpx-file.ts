import { openGpx } from '../../../src/import/position/open-gpx.ts';
import { openedTwice } from './open-log.ts';
import type { Open } from './opened.ts';

/** Tracks of GPX. */
export const open: Open = ({ bytes }, _settings, reading) =>
  openedTwice(bytes.size, reading, ({ onBytes, pace }) => openGpx(bytes, onBytes, pace));
