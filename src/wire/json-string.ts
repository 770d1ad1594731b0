import { Byte, peek, readColon, type Scan, unexpected } from './json-scanner.ts';

/** Reads a string. The caller has seen its opening quote. */
export function readString(scan: Scan): string {
  const start = scan.at + 1;
  const stop = plainEnd(scan, start);
  if (scan.bytes[stop] !== Byte.Quote) return readEscaped(scan, start, stop);
  scan.at = stop + 1;
  return scan.bytes.toString('utf8', start, stop);
}

/** Reads the name of a member and the `:` behind it. */
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
    if (byte < 0x20) {
      scan.at = i;
      throw unexpected(scan, 'a character (control characters are written as escapes)');
    }
  }
  scan.at = end;
  throw unexpected(scan, "'\"'");
}

/** The rest of a string from its first backslash, at `backslash`; the string itself begins at `start`. */
function readEscaped(scan: Scan, start: number, backslash: number): string {
  const { bytes } = scan;
  let text = bytes.toString('utf8', start, backslash);
  let at = backslash;
  while (bytes[at] !== Byte.Quote) {
    scan.at = at + 1;
    text += readEscape(scan);
    at = plainEnd(scan, scan.at);
    text += bytes.toString('utf8', scan.at, at);
  }
  scan.at = at + 1;
  return text;
}

const escapes: Readonly<Record<number, string>> = {
  34: '"',
  92: '\\',
  47: '/',
  98: '\b',
  102: '\f',
  110: '\n',
  114: '\r',
  116: '\t',
};

/** Reads what stands behind a backslash: one character, or two halves of a surrogate pair. */
function readEscape(scan: Scan): string {
  const { bytes } = scan;
  const letter = scan.at < scan.end ? bytes[scan.at]! : -1;
  const plain = escapes[letter];
  if (plain !== undefined) {
    scan.at++;
    return plain;
  }
  if (letter !== 0x75) throw unexpected(scan, 'an escape');
  const start = scan.at;
  scan.at++;
  const unit = readHex(scan);
  if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit);
  if (unit < 0xdc00 && bytes[scan.at] === Byte.Backslash && bytes[scan.at + 1] === 0x75) {
    scan.at += 2;
    const low = readHex(scan);
    if (low >= 0xdc00 && low <= 0xdfff) return String.fromCharCode(unit, low);
  }
  scan.at = start;
  throw unexpected(scan, 'a whole surrogate pair');
}

function readHex(scan: Scan): number {
  let unit = 0;
  for (let i = 0; i < 4; i++) {
    const byte = scan.at < scan.end ? scan.bytes[scan.at]! : 0;
    const digit = hexDigit(byte);
    if (digit < 0) throw unexpected(scan, 'a hexadecimal digit');
    unit = unit * 16 + digit;
    scan.at++;
  }
  return unit;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
