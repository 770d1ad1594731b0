import { openNmea } from '../../../src/import/position/open-nmea.ts';
import { openedTwice } from './open-log.ts';
import type { Open } from './opened.ts';

/** A log of NMEA 0183. */
export const open: Open = ({ bytes }, _settings, reading) =>
  openedTwice(bytes.size, reading, ({ onBytes, pace }) => openNmea(bytes, onBytes, pace));
