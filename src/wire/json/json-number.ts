import { type Scan, unexpected } from './json-scanner.ts';

/**
 * Numbers, correctly rounded: the same doubles as JSON.parse gives, -0 included.
 *
 * Up to nine digits without an exponent, nearly all of telemetry, are one 32-bit integer and one division of
 * exact doubles, which rounds correctly (W. Clinger, "How to read floating point numbers accurately", 1990).
 * The exclusive or of a byte with '0' maps the ten digits to 0..9, and every other byte above.
 */
// Constants of this file, which the engine folds into the code; a property of an imported object is a load.
const zero = 0x30;
const minus = 0x2d;
const plus = 0x2b;
const point = 0x2e;
const comma = 0x2c;
const space = 0x20;

/**
 * Reads elements of an array to `values[from, to)` for as long as they are numbers without an exponent that a double
 * holds. Gives the end of what was read; the scan stands after the last element, or where it stood if there was none. This is the
 * hot loop of the whole service, so it has everything in local variables.
 */
export function readPlainNumbers(scan: Scan, values: Float64Array, from: number, to: number): number {
  const { bytes } = scan;
  let at = scan.at;
  let end = at;
  let index = from;
  while (index < to) {
    let byte = bytes[at]!;
    if (byte === space) byte = bytes[++at]!;
    const negative = byte === minus;
    if (negative) byte = bytes[++at]!;
    const first = at;
    let mantissa = byte ^ zero;
    if (mantissa > 9) break;
    byte = bytes[++at]!;
    if (mantissa !== 0) {
      for (let digit = byte ^ zero; digit <= 9; digit = byte ^ zero) {
        mantissa = (mantissa * 10 + digit) | 0;
        byte = bytes[++at]!;
      }
    }
    let scale = 0;
    if (byte === point) {
      const fraction = ++at;
      byte = bytes[at]!;
      for (let digit = byte ^ zero; digit <= 9; digit = byte ^ zero) {
        mantissa = (mantissa * 10 + digit) | 0;
        byte = bytes[++at]!;
      }
      scale = at - fraction;
      if (scale === 0) break;
    }
    if (byte === 0x65 || byte === 0x45) break;
    let magnitude: number;
    // With the point counted as a digit, which spares a test on every number.
    if (at - first > 9) {
      magnitude = decimalValue(bytes, first, at, at, -scale);
      if (magnitude === Number.POSITIVE_INFINITY) break;
      // Who reads the elements one by one looks whether a number was rounded.
      if (scale === 0 && magnitude > Number.MAX_SAFE_INTEGER) break;
      if (magnitude === 0 && scale > 300) break;
    } else {
      magnitude = scale > 0 ? mantissa / powersOfTen[scale]! : mantissa;
    }
    values[index++] = negative ? -magnitude : magnitude;
    end = at++;
    if (byte !== comma) break;
  }
  scan.at = end;
  return index;
}

/**
 * Reads a number. The caller has seen its first byte, a digit or `-`. One beyond double comes as ±Infinity, for
 * the caller to refuse.
 */
export function readNumber(scan: Scan): number {
  const { bytes } = scan;
  const start = scan.at;
  const negative = bytes[start] === minus;
  const first = negative ? start + 1 : start;
  const wholeEnd = digitsEnd(scan, first);
  if (wholeEnd > first + 1 && bytes[first] === zero) {
    scan.at = first;
    throw unexpected(scan, 'a number without leading zeros');
  }
  const hasFraction = bytes[wholeEnd] === point;
  const end = hasFraction ? digitsEnd(scan, wholeEnd + 1) : wholeEnd;
  scan.at = end;
  const exponent = (bytes[end]! | 0x20) === 0x65 ? readExponent(scan) : 0;
  const scale = hasFraction ? end - wholeEnd - 1 : 0;
  const magnitude = decimalValue(bytes, first, end, scan.at, exponent - scale);
  return negative ? -magnitude : magnitude;
}

export const beyondDouble = 'is beyond the range of a 64-bit floating point number';

/** The end of the digits at `at`. Throws `bad_json` if there is none. */
function digitsEnd(scan: Scan, at: number): number {
  const { bytes } = scan;
  let end = at;
  while ((bytes[end]! ^ zero) <= 9) end++;
  if (end > at) return end;
  scan.at = at;
  throw unexpected(scan, 'a digit');
}

function readExponent(scan: Scan): number {
  const sign = scan.bytes[scan.at + 1];
  const first = sign === minus || sign === plus ? scan.at + 2 : scan.at + 1;
  const end = digitsEnd(scan, first);
  let exponent = 0;
  for (let i = first; i < end && exponent < 1e6; i++) exponent = exponent * 10 + (scan.bytes[i]! ^ zero);
  scan.at = end;
  return sign === minus ? -exponent : exponent;
}

/** The powers of ten that a double holds exactly. */
const powersOfTen = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
const maxPower = 22;
/** The most digits of a mantissa: two 32-bit integers of nine digits hold it. */
const maxDigits = 18;

/**
 * The value of the number in `bytes[start, end)`, the digits of which, read as one integer without their point, are
 * in `bytes[start, digitsEnd)` and count times 10^power.
 */
function decimalValue(bytes: Buffer, start: number, digitsEnd: number, end: number, power: number): number {
  let head = 0;
  let tail = 0;
  let digits = 0;
  for (let i = start; i < digitsEnd; i++) {
    const digit = bytes[i]! ^ zero;
    if (digit > 9) continue;
    if (digits < 9) head = (head * 10 + digit) | 0;
    else tail = (tail * 10 + digit) | 0;
    if (digits > 0 || digit > 0) digits++;
  }
  if (digits <= maxDigits && power >= -maxPower && power <= maxPower) {
    // Exact: below 2^30 times a power of ten with 21 significant bits.
    const upper = digits > 9 ? head * powersOfTen[digits - 9]! : head;
    const mantissa = upper + tail;
    // Below 2^53 the sum has not rounded; 2^53 itself may have been an odd number.
    if (mantissa < 2 ** 53) {
      return power < 0 ? mantissa / powersOfTen[-power]! : mantissa * powersOfTen[power]!;
    }
    const value = power < 0 ? quotient(upper, tail, powersOfTen[-power]!) : Number.NaN;
    if (!Number.isNaN(value)) return value;
  }
  return Number(bytes.toString('latin1', start, end));
}

/**
 * (upper + tail) / divisor for a sum from 2^53 to 10^18, tail below 10^9: a first quotient, and from its exact
 * remainder a correction. The remainder is known to 10^-6 at worst, while half a unit in the last place of the
 * quotient makes 0.5 and more of it: if both ends of that doubt round alike, so does the true value; else NaN.
 * The exact product is T. Dekker's, "A floating-point technique for extending the available precision", 1971.
 */
function quotient(upper: number, tail: number, divisor: number): number {
  const first = (upper + tail) / divisor;
  const product = first * divisor;
  const a = upperHalf(first);
  const b = upperHalf(divisor);
  const restA = first - a;
  const restB = divisor - b;
  const rest = restA * restB - (product - a * b - restA * b - a * restB);
  const remainder = upper - product - rest + tail;
  const low = first + (remainder - 1e-6) / divisor;
  const high = first + (remainder + 1e-6) / divisor;
  return low === high ? low : Number.NaN;
}

/** The upper 26 bits of a double. */
function upperHalf(value: number): number {
  const scaled = value * (2 ** 27 + 1);
  return scaled - (scaled - value);
}
