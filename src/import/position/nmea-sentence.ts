/** A sentence of NMEA 0183, its fields after its type. */
export interface NmeaSentence {
  /** Without the talker, such as RMC. */
  readonly type: string;
  readonly fields: readonly string[];
}

const form = /\$([A-Z]{2})?([A-Z]{3}|P[A-Z0-9]+),([^*$]*)(?:\*([0-9A-F]{2}))?\s*$/i;

/** Reads a line; gives what is wrong with it where it is none. */
export function nmeaSentence(line: string): NmeaSentence | 'checksum' | 'form' {
  const match = form.exec(line);
  if (match === null) return 'form';
  const [, , type, rest, sum] = match;
  if (sum !== undefined) {
    const from = line.indexOf('$', match.index) + 1;
    let own = 0;
    for (let i = from; i < line.lastIndexOf('*'); i++) own ^= line.charCodeAt(i);
    if (own !== Number.parseInt(sum, 16)) return 'checksum';
  }
  return { type: type!.toUpperCase(), fields: rest!.split(',') };
}

/** A number with decimals; null for anything else. */
export function nmeaNumber(text: string | undefined): number | null {
  return text !== undefined && /^-?\d+(?:\.\d*)?$|^-?\.\d+$/.test(text) ? Number(text) : null;
}

/** Degrees of `ddmm.mmmm` and its hemisphere; null where it is no place. */
export function nmeaDegrees(text = '', hemisphere = '', most = 180): number | null {
  const match = /^(\d{1,3})(\d\d(?:\.\d*)?)$/.exec(text);
  if (match === null || !/^[NSEW]$/.test(hemisphere)) return null;
  const degrees = Number(match[1]) + Number(match[2]) / 60;
  if (degrees > most || Number(match[2]) >= 60) return null;
  return hemisphere === 'S' || hemisphere === 'W' ? -degrees : degrees;
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
  const short = Number(year);
  const full = year.length > 2 ? short : short + (short < 80 ? 2000 : 1900);
  const date = new Date(Date.UTC(full, Number(month) - 1, Number(day)));
  return date.getUTCDate() === Number(day) && date.getUTCMonth() === Number(month) - 1
    ? date.getTime() / 86_400_000
    : undefined;
}
