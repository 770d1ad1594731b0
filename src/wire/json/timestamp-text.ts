import { isTimestamp } from '../../domain/timestamp.ts';
import { fault } from '../base/fault.ts';
import { readNumber } from './json-number.ts';
import { Byte, describeNext, peek, type Scan } from './json-scanner.ts';
import { readString } from './json-string.ts';

/**
 * A 64-bit integer as the wire has it: a JSON number whose exact value is an integer (`17`, `1.7e18`,
 * `1591733989000000001.0`), or a string of digits with `-` if need be. Throws `bad_timestamp` for all else.
 */
export function readInteger64(scan: Scan, path: string): bigint {
  const byte = peek(scan);
  if (byte === Byte.Quote) return integer64OfDigits(readString(scan), path);
  if (byte !== Byte.Minus && !(byte >= 0x30 && byte <= 0x39)) {
    throw fault('bad_timestamp', path, `must be a 64-bit integer, not ${describeNext(scan)}`);
  }
  const start = scan.at;
  readNumber(scan);
  return integer64OfNumber(scan.bytes.toString('latin1', start, scan.at), path);
}

/** The exact value of a JSON number's text. Throws `bad_timestamp`. */
export function integer64OfNumber(text: string, path: string): bigint {
  const value = exactInteger(text);
  if (value === undefined) throw fault('bad_timestamp', path, `must be a 64-bit integer, not ${brief(text)}`);
  return inRange(value, text, path);
}

/** The value of a string of digits. Throws `bad_timestamp`. */
export function integer64OfDigits(text: string, path: string): bigint {
  if (text.length > maxDigits || !/^-?[0-9]+$/.test(text)) {
    throw fault(
      'bad_timestamp',
      path,
      `must be a 64-bit integer, not the string ${JSON.stringify(brief(text))}`,
    );
  }
  return inRange(exactInteger(text), text, path);
}

function inRange(value: bigint | undefined, text: string, path: string): bigint {
  if (value !== undefined && isTimestamp(value)) return value;
  throw fault('bad_timestamp', path, `must be a 64-bit integer; ${brief(text)} is out of range`);
}

/** The most digits of a timestamp: leading zeros are allowed, but not any number of them. */
const maxDigits = 1024;

/** A stand-in for whatever is far out of range (2^63 and more): its digits are never spelt out. */
const farOut = 10n ** 20n;

/** The integer that the text of a JSON number is exactly, or undefined where it is none. */
function exactInteger(text: string): bigint | undefined {
  if (text.length <= 20 && !/[.eE]/.test(text)) return BigInt(text);
  const negative = text.startsWith('-');
  const exponentAt = text.search(/e/i);
  const mantissa = text.slice(negative ? 1 : 0, exponentAt < 0 ? text.length : exponentAt);
  const exponent = exponentAt < 0 ? 0 : Number(text.slice(exponentAt + 1));
  const point = mantissa.indexOf('.');
  const fraction = point < 0 ? 0 : mantissa.length - point - 1;
  const digits = mantissa.replace('.', '');
  let first = 0;
  let end = digits.length;
  while (digits[first] === '0') first++;
  while (end > first && digits[end - 1] === '0') end--;
  if (first === end) return 0n;
  const zeros = digits.length - end - fraction + exponent;
  if (zeros < 0) return undefined;
  if (end - first + zeros > 20) return farOut;
  const magnitude = BigInt(digits.slice(first, end)) * 10n ** BigInt(zeros);
  return negative ? -magnitude : magnitude;
}

function brief(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`;
}
