import { dayOfDate, nsOfDay, yearOf } from '../text/dates.ts';

/** A sentence of NMEA 0183, its fields after its type. */
export interface NmeaSentence {
  /** Without the talker, such as RMC; a maker's own with all its letters, such as PGRME. */
  readonly type: string;
  readonly fields: readonly string[];
  readonly hasChecksum: boolean;
  /** What stands behind its checksum, such as a time of the logger. */
  readonly tail: string;
}

const form = /^\$([A-Z0-9]{3,12}),([^*$]*)(?:\*([0-9A-F]{2})(?![0-9A-F])([^$]*))?$/i;

/** Reads a text that begins with `$`; gives what is wrong with it where it is no sentence. */
export function nmeaSentence(text: string): NmeaSentence | 'checksum' | 'form' {
  const match = form.exec(text);
  if (match === null) return 'form';
  const [, address, rest, sum, tail = ''] = match;
  if (sum !== undefined) {
    let own = 0;
    for (let i = 1; i < text.indexOf('*'); i++) own ^= text.charCodeAt(i);
    if (own !== Number.parseInt(sum, 16)) return 'checksum';
  }
  const name = address!.toUpperCase();
  return {
    type: name.length === 5 && !name.startsWith('P') ? name.slice(2) : name,
    fields: rest!.trimEnd().split(','),
    hasChecksum: sum !== undefined,
    tail: tail.trim(),
  };
}

/** A number with decimals; null for anything else. */
export function nmeaNumber(text: string | undefined): number | null {
  return text !== undefined && /^-?\d+(?:\.\d*)?$|^-?\.\d+$/.test(text) ? Number(text) : null;
}

/** Degrees of `ddmm.mmmm` and its hemisphere, of a latitude `NS` or of a longitude `EW`; null where it is no place. */
export function nmeaDegrees(
  text: string | undefined,
  hemisphere: string | undefined,
  hemispheres: 'NS' | 'EW',
): number | null {
  const match = /^(\d{1,3})(\d\d(?:\.\d*)?)$/.exec(text ?? '');
  if (match === null || hemisphere?.length !== 1 || !hemispheres.includes(hemisphere)) return null;
  const minutes = Number(match[2]);
  const degrees = Number(match[1]) + minutes / 60;
  if (degrees > (hemispheres === 'NS' ? 90 : 180) || minutes >= 60) return null;
  return hemisphere === hemispheres[0] ? degrees : -degrees;
}

/** Nanoseconds since midnight of `hhmmss.sss`. */
export function nmeaTime(text = ''): bigint | undefined {
  const match = /^([01]\d|2[0-3])([0-5]\d)([0-5]\d|60)(?:\.(\d*))?$/.exec(text);
  if (match === null) return undefined;
  const [, h, m, s, decimals = ''] = match;
  const seconds = BigInt(Number(h) * 3600 + Number(m) * 60 + Number(s));
  return seconds * 1_000_000_000n + BigInt(decimals.slice(0, 9).padEnd(9, '0'));
}

/** Days since 1970; undefined where there is no such day. */
export function nmeaDay(day: string, month: string, year: string): number | undefined {
  if (![day, month, year].every((one) => /^\d+$/.test(one))) return undefined;
  const midnight = dayOfDate(yearOf(year), Number(month), Number(day));
  return midnight === undefined ? undefined : Number(midnight / nsOfDay);
}
