import { findDigits, type SeventeenDigits } from './shortest-digits.ts';

/**
 * Numbers as JSON text, digit by digit into bytes. Each function writes at `at`, where the caller has made room for
 * `longestNumber` bytes, and gives the position after what it wrote.
 */
export interface Digits {
  readonly bytes: Buffer;
  /** Of the same memory as `bytes`: four digits at a time. */
  readonly view: DataView;
}

/** The most characters of a number: digits, sign, point, exponent and quotes. */
export const longestNumber = 32;

const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;

const maxDecimals = 9;
const powersOfTen = Float64Array.from({ length: maxDecimals + 1 }, (_, exponent) => 10 ** exponent);

/** The number of decimals that the numbers of a column had last: most have as many as the one before. */
export interface Decimals {
  guess: number;
}

/**
 * The shortest text that reads as the same double, as JSON.stringify writes it, but -0 as `-0`, and NaN and the
 * infinities as strings.
 *
 * A double that is m / 10^k for an integer m of at most 15 digits has those digits as its shortest text: no
 * two decimals of 15 digits read as one double. The division that proves it rounds correctly, so telemetry with few decimals
 * is written digit by digit. The digits of other fractions are found (shortest-digits.ts), the rest is left to the engine.
 */
export function putDouble(out: Digits, at: number, value: number, decimals: Decimals): number {
  const { bytes } = out;
  // JSON.stringify goes over to exponents below 10^-6, and there are 15 digits up to 10^15.
  const magnitude = Math.abs(value);
  if (magnitude < 1e-6 ? value !== 0 : !(magnitude < 1e15)) return putOther(bytes, at, value);
  let to = at;
  if (value < 0 || Object.is(value, -0)) bytes[to++] = minus;
  const whole = Math.floor(magnitude);
  if (whole === magnitude) return putWhole(bytes, to, magnitude);
  let places = decimals.guess;
  const power = powersOfTen[places]!;
  const mantissa = Math.round(magnitude * power);
  if (!(mantissa < 1e15 && mantissa / power === magnitude)) {
    if (!findDigits(magnitude, whole === 0 ? 0 : digitsOf(whole), digits)) return putOther(bytes, at, value);
    const end = putDigits(out, to, digits);
    const found = end - to - 1 - Math.max(1, digits.before);
    if (found <= maxDecimals) decimals.guess = found;
    return end;
  }
  let fraction = (mantissa - whole * power) | 0;
  while (fraction % 10 === 0) {
    fraction = (fraction / 10) | 0;
    places--;
  }
  to = putWhole(bytes, to, whole);
  bytes[to] = point;
  return putPadded(bytes, to + 1, fraction, places);
}

/** The four digits of 0000 to 9999, as the big-endian integer of their bytes. */
const fours = new Uint32Array(10_000);
for (let i = 0; i < fours.length; i++) {
  const ones = (i % 10) | ((Math.trunc(i / 10) % 10) << 8);
  const hundreds = (Math.trunc(i / 100) % 10) | (Math.trunc(i / 1000) << 8);
  fours[i] = 0x3030_3030 + ((hundreds << 16) | ones);
}

const digits: SeventeenDigits = { upper: 0, lower: 0, before: 0 };

/** At least one digit behind the point is none of the zeros that are left out. */
function putDigits({ bytes, view }: Digits, at: number, { upper, lower, before }: SeventeenDigits): number {
  let from = at + 1;
  if (before <= 0) {
    bytes[at] = zero;
    bytes[at + 1] = point;
    from = at + 2 - before;
    for (let i = at + 2; i < from; i++) bytes[i] = zero;
  }
  const five = (upper / 1e4) | 0;
  const one = (five / 1e4) | 0;
  const high = (lower / 1e4) | 0;
  bytes[from] = zero + one;
  view.setUint32(from + 1, fours[five - one * 1e4]!);
  view.setUint32(from + 5, fours[upper - five * 1e4]!);
  view.setUint32(from + 9, fours[high]!);
  view.setUint32(from + 13, fours[lower - high * 1e4]!);
  let end = from + 17;
  while (bytes[end - 1] === zero) end--;
  if (before <= 0) return end;
  for (let i = 0; i < before; i++) bytes[at + i] = bytes[from + i]!;
  bytes[at + before] = point;
  return end;
}

function putOther(bytes: Buffer, at: number, value: number): number {
  return at + bytes.write(Number.isFinite(value) ? String(value) : `"${value}"`, at, 'latin1');
}

/** A whole number from 0 to 2^53. */
function putWhole(bytes: Buffer, at: number, value: number): number {
  if (value < 1e9) {
    const small = value | 0;
    return putPadded(bytes, at, small, digitsOf(small));
  }
  const high = Math.floor(value / 1e9);
  return putPadded(bytes, putWhole(bytes, at, high), value - high * 1e9, 9);
}

/** How many digits a whole number below 10^15 has. */
function digitsOf(value: number): number {
  if (value >= 1e9) return 9 + digitsOf(Math.floor(value / 1e9));
  if (value < 1000) return value < 10 ? 1 : value < 100 ? 2 : 3;
  if (value < 1e6) return value < 1e4 ? 4 : value < 1e5 ? 5 : 6;
  return value < 1e7 ? 7 : value < 1e8 ? 8 : 9;
}

/** The digits of 00 to 99, one pair after another. */
const pairs = Uint8Array.from({ length: 200 }, (_, i) => zero + (i % 2 === 0 ? (i / 20) | 0 : (i >> 1) % 10));

/** A whole number below 10^9 with exactly `digits` digits. */
function putPadded(bytes: Buffer, at: number, value: number, digits: number): number {
  let rest = value | 0;
  let to = at + digits;
  while (to - at >= 2) {
    const above = (rest / 100) | 0;
    const pair = (rest - above * 100) << 1;
    bytes[--to] = pairs[pair + 1]!;
    bytes[--to] = pairs[pair]!;
    rest = above;
  }
  if (to > at) bytes[at] = zero + rest;
  return at + digits;
}

/** A base of timestamps, split so that sums with offsets need no bigint. */
export interface SplitBase {
  /** base = high * 10^9 + low, low in [0, 10^9). */
  readonly high: number;
  readonly low: number;
}

export function splitBase(base: bigint): SplitBase {
  const low = ((base % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  return { high: Number((base - low) / 1_000_000_000n), low: Number(low) };
}

/** The int64 `base + offset` (|offset| < 2^53). */
export function putTimestamp(digits: Digits, at: number, base: SplitBase, offset: number): number {
  let high = Math.floor(offset / 1e9);
  let low = base.low + (offset - high * 1e9);
  high += base.high;
  // The division may have rounded up by one, and the sum may carry one.
  if (low < 0) {
    low += 1e9;
    high--;
  } else if (low >= 1e9) {
    low -= 1e9;
    high++;
  }
  return high >= 1e9 && high < 1e10
    ? putPresent(digits, at, high, low)
    : putAnyTime(digits.bytes, at, high, low);
}

/** A time from 2001 to 2286: ten digits of seconds, nine of nanoseconds. */
function putPresent({ bytes, view }: Digits, at: number, high: number, low: number): number {
  const upper = Math.floor(high / 1e4);
  const century = (upper / 1e4) | 0;
  const pair = century << 1;
  bytes[at] = pairs[pair]!;
  bytes[at + 1] = pairs[pair + 1]!;
  view.setUint32(at + 2, fours[upper - century * 1e4]!);
  view.setUint32(at + 6, fours[high - upper * 1e4]!);
  const lower = (low / 1e4) | 0;
  const tenths = (lower / 1e4) | 0;
  bytes[at + 10] = zero + tenths;
  view.setUint32(at + 11, fours[lower - tenths * 1e4]!);
  view.setUint32(at + 15, fours[low - lower * 1e4]!);
  return at + 19;
}

function putAnyTime(bytes: Buffer, at: number, high: number, low: number): number {
  if (high > 0) return putPadded(bytes, putWhole(bytes, at, high), low, 9);
  if (high === 0) return putWhole(bytes, at, low);
  bytes[at] = minus;
  const seconds = low === 0 ? -high : -high - 1;
  const nanos = low === 0 ? 0 : 1e9 - low;
  return putAnyTime(bytes, at + 1, seconds, nanos);
}
