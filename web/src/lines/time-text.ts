import type { TimeRange } from '../state/view-text.ts';
import { shiftOfLocal, zoneShift } from './zone.ts';

const second = 1_000_000_000n;

/** All times that there are. */
export const allTime: TimeRange = { from: -(2n ** 63n), to: 2n ** 63n - 1n };

/** The whole of a time: `2026-11-21 15:27:02.123456789` by the clock of the zone, all nine digits. */
export function timeText(nanoseconds: bigint): string {
  const seconds = floorDivide(nanoseconds, second);
  const rest = nanoseconds - seconds * second;
  const date = new Date(Number(seconds) * 1000 + zoneShift(Number(seconds) * 1000));
  if (Number.isNaN(date.getTime())) return String(nanoseconds);
  return `${date.toISOString().slice(0, -5).replace('T', ' ')}.${String(rest).padStart(9, '0')}`;
}

/** Letters of nanoseconds behind those of milliseconds. */
const finer = 6;

/** The same to the millisecond: what there is room for. */
export function shortTimeText(nanoseconds: bigint): string {
  const text = timeText(nanoseconds);
  return text.includes('.') ? text.slice(0, -finer) : text;
}

/** From when to when; the second day is left out where it is the first one. */
export function spanText({ from, to }: TimeRange): string {
  const [begin, end] = [timeText(from), timeText(to)];
  const day = begin.slice(0, 11);
  return `${begin} … ${end.startsWith(day) ? end.slice(day.length) : end}`;
}

/** A length of time in the largest unit that it fills: `1.5 s`, `20 ms`, `3 d`. */
export function durationText(nanoseconds: bigint, digits = 4): string {
  const value = Number(nanoseconds);
  const [size, unit] = units.find(([size]) => Math.abs(value) >= size) ?? [1, 'ns'];
  return `${Number((value / size).toPrecision(digits))} ${unit}`;
}

/** How long a run is, as a stopwatch tells it: `0:42`, `10:11`, `2:07:30`, `3 d 4 h`. */
export function clockText(nanoseconds: bigint): string {
  const seconds = Number(nanoseconds / second);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  const rest = String(seconds % 60).padStart(2, '0');
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${String(minutes % 60).padStart(2, '0')}:${rest}`;
}

const units: readonly (readonly [number, string])[] = [
  [86_400e9, 'd'],
  [3600e9, 'h'],
  [60e9, 'min'],
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
];

/** Ticks of an axis: as many digits as their distance needs, the date where the day is new. */
export function tickTexts(times: readonly bigint[], step: bigint): string[] {
  const digits = fractionDigits(step);
  let day = '';
  return times.map((time) => {
    const text = timeText(time);
    const [date = '', clock = ''] = text.split(' ');
    const isNew = date !== day;
    day = date;
    if (step >= 86_400n * second) return date;
    const short = step >= 60n * second ? clock.slice(0, 5) : clock.slice(0, digits === 0 ? 8 : 9 + digits);
    return isNew ? `${short}\n${date}` : short;
  });
}

function fractionDigits(step: bigint): number {
  let digits = 0;
  for (let unit = second; unit > step && digits < 9; unit /= 10n) digits++;
  return digits;
}

/**
 * A time as a person may write it: digits of nanoseconds, or ISO 8601 with up to nine digits of a second, by the clock of
 * the zone unless a Z or an offset stands behind it. A text says what is wrong.
 */
export function parseTime(text: string): bigint | string {
  const trimmed = text.trim();
  const time = /^-?\d{1,30}$/.test(trimmed) ? BigInt(trimmed) : parseDate(trimmed);
  if (typeof time === 'string' || BigInt.asIntN(64, time) === time) return time;
  return 'Times are from 1677-09-21 to 2262-04-11: nanoseconds of 64 bits';
}

function parseDate(text: string): bigint | string {
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))?(Z|[-+]\d\d:\d\d)?$/.exec(text);
  const [, day, clock, fraction = '', offset] = match ?? [];
  const millis = Date.parse(`${day}T${clock}${offset ?? 'Z'}`);
  // Browsers take 30 February for a day in March.
  const isDay = new Date(Date.parse(`${day}T00:00Z`)).getUTCDate() === Number(day?.slice(-2));
  if (Number.isNaN(millis) || !isDay)
    return 'Type a time such as 2026-05-31 12:30:00.5, with Z or +02:00 behind it if you like, or nanoseconds';
  const shift = offset === undefined ? shiftOfLocal(millis) : 0;
  return typeof shift === 'string'
    ? shift
    : BigInt(millis - shift) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

export function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return quotient * divisor > value ? quotient - 1n : quotient;
}
