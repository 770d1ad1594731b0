import { Byte, type Scan, unexpected } from './json-scanner.ts';

/**
 * Reads a number, correctly rounded: the same double as JSON.parse gives, -0 included. The caller has seen its
 * first byte, a digit or `-`. A number beyond double comes as ±Infinity, for the caller to refuse.
 *
 * Up to nine digits without an exponent, nearly all of telemetry, are one 32-bit integer and one division of
 * exact doubles, which rounds correctly (W. Clinger, "How to read floating point numbers accurately", 1990).
 */
export function readNumber(scan: Scan): number {
  const { bytes, end } = scan;
  let at = scan.at;
  const negative = bytes[at] === Byte.Minus;
  if (negative) at++;
  const first = at;
  let mantissa = 0;
  for (let digit = digitAt(bytes, at, end); digit <= 9; digit = digitAt(bytes, ++at, end)) {
    mantissa = (mantissa * 10 + digit) | 0;
  }
  let digits = at - first;
  if (digits === 0) throw badNumber(scan, at, 'a digit');
  if (digits > 1 && bytes[first] === Byte.Zero)
    throw badNumber(scan, first, 'a number without leading zeros');
  let scale = 0;
  if (at < end && bytes[at] === Byte.Point) {
    const point = ++at;
    for (let digit = digitAt(bytes, at, end); digit <= 9; digit = digitAt(bytes, ++at, end)) {
      mantissa = (mantissa * 10 + digit) | 0;
    }
    scale = at - point;
    if (scale === 0) throw badNumber(scan, at, 'a digit');
    digits += scale;
  }
  if (digits > 9 || (at < end && (bytes[at]! | 0x20) === 0x65)) return readLongNumber(scan, at);
  scan.at = at;
  const magnitude = scale === 0 ? mantissa : mantissa / powersOfTen[scale]!;
  return negative ? -magnitude : magnitude;
}

/** The digit at `at`, or something above 9: the exclusive or with '0' maps the ten digits to 0..9, and all else above. */
export function digitAt(bytes: Uint8Array, at: number, end: number): number {
  return at < end ? bytes[at]! ^ Byte.Zero : 255;
}

/** The powers of ten that a double holds exactly. */
const powersOfTen = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/** A number of more than nine digits, or with an exponent; `at` is behind its digits. */
function readLongNumber(scan: Scan, at: number): number {
  const { bytes, at: start } = scan;
  const exponent = readExponent(scan, at);
  const negative = bytes[start] === Byte.Minus;
  let mantissa = 0;
  let scale = 0;
  let afterPoint = 0;
  for (let i = negative ? start + 1 : start; i < at; i++) {
    const digit = bytes[i]! ^ Byte.Zero;
    if (digit > 9) {
      afterPoint = 1;
    } else {
      mantissa = mantissa * 10 + digit;
      scale += afterPoint;
    }
  }
  // Below 2^53 no step has rounded.
  if (mantissa < Number.MAX_SAFE_INTEGER) {
    const power = exponent - scale;
    if (power >= -22 && power <= 22) {
      const magnitude = power < 0 ? mantissa / powersOfTen[-power]! : mantissa * powersOfTen[power]!;
      return negative ? -magnitude : magnitude;
    }
  }
  return Number(bytes.toString('latin1', start, scan.at));
}

/** Reads the exponent at `at`, if there is one, and moves the scan behind the number. */
function readExponent(scan: Scan, at: number): number {
  const { bytes, end } = scan;
  let i = at;
  let exponent = 0;
  if (i < end && (bytes[i]! | 0x20) === 0x65) {
    i++;
    const sign = i < end ? bytes[i]! : 0;
    if (sign === Byte.Minus || sign === 0x2b) i++;
    const first = i;
    for (let digit = digitAt(bytes, i, end); digit <= 9; digit = digitAt(bytes, ++i, end)) {
      if (exponent < 1e6) exponent = exponent * 10 + digit;
    }
    if (i === first) throw badNumber(scan, i, 'a digit');
    if (sign === Byte.Minus) exponent = -exponent;
  }
  scan.at = i;
  return exponent;
}

function badNumber(scan: Scan, at: number, expected: string) {
  scan.at = at;
  return unexpected(scan, expected);
}
