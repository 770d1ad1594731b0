import { type JsonWriter, makeRoom, writeText } from './json-writer.ts';

/** Digits, sign, point, exponent and quotes of any number below. */
const longestNumber = 32;

const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const quote = 0x22;

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
 * two decimals of 15 digits read as one double. The division that proves it rounds correctly, so most telemetry
 * is written digit by digit; the rest is left to the engine.
 */
export function writeDouble(out: JsonWriter, value: number, decimals: Decimals): void {
  makeRoom(out, longestNumber);
  const magnitude = Math.abs(value);
  // JSON.stringify goes over to exponents below 10^-6, and there are 15 digits up to 10^15.
  if (magnitude < 1e-6 ? value !== 0 : !(magnitude < 1e15)) {
    writeOther(out, value);
    return;
  }
  const places = decimalsOf(magnitude, decimals.guess);
  if (places < 0) {
    writeOther(out, value);
    return;
  }
  if (value < 0 || Object.is(value, -0)) out.bytes[out.at++] = minus;
  if (places === 0) {
    writeWhole(out, magnitude);
    return;
  }
  decimals.guess = places;
  const power = powersOfTen[places]!;
  const mantissa = Math.round(magnitude * power);
  const whole = Math.floor(mantissa / power);
  writeWhole(out, whole);
  out.bytes[out.at++] = point;
  writePadded(out, mantissa - whole * power, places);
}

/** How many decimals the shortest text of a magnitude has, or -1 for more than nine, or more than 15 digits. */
function decimalsOf(magnitude: number, guess: number): number {
  if (Math.floor(magnitude) === magnitude) return 0;
  if (guess > 0 && isDecimal(magnitude, guess)) {
    let places = guess;
    while (isDecimal(magnitude, places - 1)) places--;
    return places;
  }
  for (let places = 1; places <= maxDecimals; places++) {
    if (isDecimal(magnitude, places)) return places;
  }
  return -1;
}

function isDecimal(magnitude: number, places: number): boolean {
  const power = powersOfTen[places]!;
  const mantissa = Math.round(magnitude * power);
  return mantissa < 1e15 && mantissa / power === magnitude;
}

function writeOther(out: JsonWriter, value: number): void {
  writeText(out, Number.isFinite(value) ? String(value) : `"${value}"`);
}

/** A whole number from 0 to 2^53. */
function writeWhole(out: JsonWriter, value: number): void {
  if (value < 1e9) {
    writePadded(out, value, digitsOf(value));
    return;
  }
  const high = Math.floor(value / 1e9);
  writeWhole(out, high);
  writePadded(out, value - high * 1e9, 9);
}

function digitsOf(value: number): number {
  let digits = 1;
  while (digits < 9 && value >= powersOfTen[digits]!) digits++;
  return digits;
}

/** A whole number below 10^9 with exactly `digits` digits. */
function writePadded(out: JsonWriter, value: number, digits: number): void {
  const { bytes, at } = out;
  let rest = value | 0;
  for (let i = at + digits - 1; i >= at; i--) {
    const tenth = (rest / 10) | 0;
    bytes[i] = zero + rest - tenth * 10;
    rest = tenth;
  }
  out.at = at + digits;
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

/** The int64 `base + offset` (|offset| < 2^53), as digits or, `quoted`, as a string of digits. */
export function writeTimestamp(out: JsonWriter, base: SplitBase, offset: number, quoted: boolean): void {
  makeRoom(out, longestNumber);
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
  if (quoted) out.bytes[out.at++] = quote;
  if (high < 0) {
    out.bytes[out.at++] = minus;
    high = low === 0 ? -high : -high - 1;
    low = low === 0 ? 0 : 1e9 - low;
  }
  if (high > 0) {
    writeWhole(out, high);
    writePadded(out, low, 9);
  } else {
    writeWhole(out, low);
  }
  if (quoted) out.bytes[out.at++] = quote;
}
