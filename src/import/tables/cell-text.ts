import type { Cell, CellKind } from './table-source.ts';

const second = 1_000_000_000n;
const day = 86_400n * second;

/** A cell as its column shows it: times are ISO 8601 text. */
export function valueCell(cell: Cell, kind: CellKind): Cell {
  return kind === 'plain' || typeof cell !== 'bigint' ? cell : textOfTime(cell, kind);
}

function textOfTime(nanos: bigint, kind: CellKind): string {
  if (kind === 'span') return spanText(0, 0, nanos);
  return kind === 'clock' || kind === 'utc-clock'
    ? clockText(nanos, kind === 'utc-clock')
    : momentText(nanos);
}

/** The furthest time from 1970 (ns), either way: no calendar goes further. */
const mostMoment = 8_640_000_000_000_000_000_000n;

/** Nanoseconds since 1970 as ISO 8601 with all nine decimals. Years beyond four digits have a sign. */
export function momentText(nanos: bigint): string {
  if (nanos > mostMoment || nanos < -mostMoment) return `${nanos} ns since 1970`;
  const below = ((nanos % second) + second) % second;
  const whole = new Date(Number((nanos - below) / 1_000_000n)).toISOString();
  return `${whole.slice(0, -5)}.${String(below).padStart(9, '0')}Z`;
}

/** Days since 1970 as a date. */
export function dateText(days: number): string {
  return momentText(BigInt(days) * day).replace(/T.*/, '');
}

/** Nanoseconds since midnight, up to 24:00:00. */
export function clockText(nanos: bigint, isUtc: boolean): string {
  const seconds = Number(nanos / second);
  const parts = [seconds / 3600, (seconds / 60) % 60, seconds % 60];
  const clock = parts.map((part) => String(Math.trunc(part)).padStart(2, '0')).join(':');
  return `${clock}.${String(nanos % second).padStart(9, '0')}${isUtc ? 'Z' : ''}`;
}

/** A span as ISO 8601: `P1Y2M3DT4H5M6.7S`, where months and days have no fixed length. Each part has a sign of its own. */
export function spanText(months: number, days: number, nanos: bigint): string {
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = String(size % second)
    .padStart(9, '0')
    .replace(/0+$/, '');
  const whole = size / second;
  const seconds = `${whole % 60n}${fraction === '' ? '' : `.${fraction}`}`;
  const part = (amount: number | bigint | string, letter: string, before = ''): string =>
    String(amount) === '0' ? '' : `${before}${amount}${letter}`;
  const date = part(Math.trunc(months / 12), 'Y') + part(months % 12, 'M') + part(days, 'D');
  const time =
    part(whole / 3600n, 'H', sign) + part((whole / 60n) % 60n, 'M', sign) + part(seconds, 'S', sign);
  if (date === '' && time === '') return 'PT0S';
  return `P${date}${time === '' ? '' : `T${time}`}`;
}
