import type { PitwallError } from '../../errors.ts';
import { Byte, peek, readColon, type Scan, unexpected } from './json-scanner.ts';

/** Reads a string. The caller has seen its opening quote. */
export function readString(scan: Scan): string {
  const { bytes } = scan;
  const start = scan.at + 1;
  const stop = plainEnd(scan, start);
  if (bytes[stop] === Byte.Quote) {
    scan.at = stop + 1;
    return bytes.toString('utf8', start, stop);
  }
  const end = stringEnd(scan, stop);
  const text = Buffer.allocUnsafe(end - start);
  return text.toString('utf8', 0, readEscaped(scan, end, text, 0));
}

/** Reads the name of a member and the `:` after it. */
export function readKey(scan: Scan): string {
  if (peek(scan) !== Byte.Quote) throw unexpected(scan, 'a name in quotes');
  const name = readString(scan);
  readColon(scan);
  return name;
}

/** The first quote or backslash from `at`; throws `bad_json` for a control character or the end of the text. */
export function plainEnd(scan: Scan, at: number): number {
  const { bytes, end } = scan;
  for (let i = at; i < end; i++) {
    const byte = bytes[i]!;
    if (byte === Byte.Quote || byte === Byte.Backslash) return i;
    if (byte < 0x20) throw misplaced(scan, i, 'a character (control characters are written as escapes)');
  }
  throw misplaced(scan, end, "'\"'");
}

/** The closing quote of the string that is plain up to `at`. */
export function stringEnd(scan: Scan, at: number): number {
  let end = plainEnd(scan, at);
  while (scan.bytes[end] === Byte.Backslash) end = plainEnd(scan, end + 2);
  return end;
}

const escapes: Readonly<Record<number, number>> = {
  34: 0x22,
  92: 0x5c,
  47: 0x2f,
  98: 0x08,
  102: 0x0c,
  110: 0x0a,
  114: 0x0d,
  116: 0x09,
};

/**
 * Reads a string whose closing quote is at `end`, as UTF-8 to `out` from `to` on; it is never longer than its
 * spelling. Gives the end of what was written.
 */
export function readEscaped(scan: Scan, end: number, out: Uint8Array, to: number): number {
  const { bytes } = scan;
  let at = scan.at + 1;
  let o = to;
  while (at < end) {
    const byte = bytes[at]!;
    if (byte !== Byte.Backslash) {
      out[o++] = byte;
      at++;
      continue;
    }
    const plain = escapes[bytes[at + 1]!];
    if (plain !== undefined) {
      out[o++] = plain;
      at += 2;
      continue;
    }
    const unit = readUnit(scan, at, end);
    if (unit < 0xd800 || unit > 0xdfff) {
      o = putCodePoint(out, o, unit);
      at += 6;
      continue;
    }
    const isPair = unit < 0xdc00 && bytes[at + 6] === Byte.Backslash && bytes[at + 7] === 0x75;
    const low = isPair ? readUnit(scan, at + 6, end) : 0;
    if (low < 0xdc00 || low > 0xdfff) throw misplaced(scan, at, 'a whole surrogate pair');
    o = putCodePoint(out, o, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
    at += 12;
  }
  scan.at = end + 1;
  return o;
}

/** The UTF-16 code unit of the escape of six characters at `at`. */
function readUnit(scan: Scan, at: number, end: number): number {
  const { bytes } = scan;
  if (bytes[at + 1] !== 0x75) throw misplaced(scan, at + 1, 'an escape');
  let unit = 0;
  for (let i = at + 2; i < at + 6; i++) {
    const digit = i < end ? hexDigit(bytes[i]!) : -1;
    if (digit < 0) throw misplaced(scan, i, 'a hexadecimal digit');
    unit = unit * 16 + digit;
  }
  return unit;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function putCodePoint(out: Uint8Array, at: number, point: number): number {
  if (point < 0x80) {
    out[at] = point;
    return at + 1;
  }
  const more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  out[at] = ((0xff00 >> (more + 1)) & 0xff) | (point >> (6 * more));
  for (let i = 1; i <= more; i++) out[at + i] = 0x80 | ((point >> (6 * (more - i))) & 0x3f);
  return at + more + 1;
}

function misplaced(scan: Scan, at: number, expected: string): PitwallError {
  scan.at = at;
  return unexpected(scan, expected);
}
