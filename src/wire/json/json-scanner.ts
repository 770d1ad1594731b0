import { isUtf8 } from 'node:buffer';
import type { PitwallError } from '../../errors.ts';
import { fault } from '../base/fault.ts';

/**
 * A strict JSON scanner (RFC 8259) over bytes. A reader walks the text token by token and takes values where it
 * knows their type; nothing is built on the way:
 *
 *   if (openObject(scan)) {
 *     do {
 *       const name = readKey(scan);
 *       ... read the value ...
 *     } while (nextMember(scan));
 *   }
 *
 * Stricter than JSON.parse: invalid UTF-8 (`bad_utf8`), lone surrogates (`bad_json`) and more than 64 levels
 * (`too_deep`) are refused; a leading byte order mark is ignored. Whether a name stands twice, the reader has to check.
 */
export interface Scan {
  /**
   * `bytes[end]` may be read after a part of a number or a comma, and is no digit: loops over digits need not look
   * where the text ends.
   */
  readonly bytes: Buffer;
  readonly end: number;
  /** The next byte to read. */
  at: number;
  /** How many objects and arrays are open. */
  depth: number;
}

const maxDepth = 64;

export const Byte = {
  Quote: 0x22,
  Comma: 0x2c,
  Minus: 0x2d,
  Point: 0x2e,
  Zero: 0x30,
  Colon: 0x3a,
  OpenArray: 0x5b,
  Backslash: 0x5c,
  CloseArray: 0x5d,
  OpenObject: 0x7b,
  CloseObject: 0x7d,
} as const;

/** Begins to read a text, which must stay as it is meanwhile. Throws `bad_utf8`. */
export function openScan(body: Uint8Array): Scan {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (!isUtf8(bytes)) throw fault('bad_utf8', '', 'is not valid UTF-8');
  const hasMark = bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return { bytes: withGuard(bytes), end: bytes.length, at: hasMark ? 3 : 0, depth: 0 };
}

/** A bracket or white space is no part of a number and no comma; a text with another end (mostly one that is cut off) is copied. */
function withGuard(bytes: Buffer): Buffer {
  const last = bytes[bytes.length - 1] ?? 0;
  if (last === Byte.CloseObject || last === Byte.CloseArray || isSpace(last)) return bytes;
  return Buffer.concat([bytes], bytes.length + 1);
}

/** The first byte of the next token, which is not consumed; -1 at the end of the text. */
export function peek(scan: Scan): number {
  const { bytes, end } = scan;
  let at = scan.at;
  while (at < end) {
    const byte = bytes[at]!;
    if (byte > 0x20 || !isSpace(byte)) {
      scan.at = at;
      return byte;
    }
    at++;
  }
  scan.at = end;
  return -1;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Consumes `{`; false if the object is empty, and consumed whole. */
export function openObject(scan: Scan): boolean {
  return open(scan, Byte.OpenObject, Byte.CloseObject, 'an object');
}

/** Consumes `[`; false if the array is empty, and consumed whole. */
export function openArray(scan: Scan): boolean {
  return open(scan, Byte.OpenArray, Byte.CloseArray, 'an array');
}

function open(scan: Scan, opening: number, closing: number, what: string): boolean {
  if (peek(scan) !== opening) throw unexpected(scan, what);
  if (++scan.depth > maxDepth) throw fault('too_deep', '', `is nested deeper than ${maxDepth} levels`);
  scan.at++;
  if (peek(scan) !== closing) return true;
  scan.at++;
  scan.depth--;
  return false;
}

/** Goes on after a member of an object: consumes `,` (true: another one follows) or `}` (false). */
export function nextMember(scan: Scan): boolean {
  return next(scan, Byte.CloseObject, "',' or '}'");
}

/** Goes on after an element of an array: consumes `,` (true: another one follows) or `]` (false). */
export function nextElement(scan: Scan): boolean {
  return next(scan, Byte.CloseArray, "',' or ']'");
}

function next(scan: Scan, closing: number, what: string): boolean {
  const byte = peek(scan);
  if (byte === Byte.Comma) {
    scan.at++;
    return true;
  }
  if (byte !== closing) throw unexpected(scan, what);
  scan.at++;
  scan.depth--;
  return false;
}

/** Consumes the `:` between a name and its value. */
export function readColon(scan: Scan): void {
  if (peek(scan) !== Byte.Colon) throw unexpected(scan, "':'");
  scan.at++;
}

/** Consumes `null` if it is the next token. */
export function takeNull(scan: Scan): boolean {
  if (peek(scan) !== 0x6e) return false;
  const { bytes, at, end } = scan;
  // 'ull', without a loop: columns may be full of it.
  const isNull = at + 4 <= end && bytes[at + 1] === 0x75 && bytes[at + 2] === 0x6c && bytes[at + 3] === 0x6c;
  if (isNull) scan.at = at + 4;
  else readWord(scan, 'null');
  return true;
}

/** Consumes `true`, `false` or `null`. */
export function readWord(scan: Scan, word: string): void {
  const { bytes, at, end } = scan;
  for (let i = 0; i < word.length; i++) {
    if (at + i >= end || bytes[at + i] !== word.charCodeAt(i)) {
      scan.at = Math.min(at + i, end);
      throw unexpected(scan, `'${word}'`);
    }
  }
  scan.at = at + word.length;
}

/** Ends after the outermost value: throws where more than white space follows. */
export function endScan(scan: Scan): void {
  if (peek(scan) !== -1) throw unexpected(scan, 'the end');
}

/** Describes the next token, in words for a message; throws `bad_json` if no value begins here. */
export function describeNext(scan: Scan): string {
  const byte = peek(scan);
  const name = valueNames[byte];
  if (name !== undefined) return name;
  if (byte === Byte.Minus || (byte >= 0x30 && byte <= 0x39)) return 'a number';
  throw unexpected(scan, 'a value');
}

const valueNames: Readonly<Record<number, string>> = {
  [Byte.Quote]: 'a string',
  [Byte.OpenObject]: 'an object',
  [Byte.OpenArray]: 'an array',
  116: 'true',
  102: 'false',
  110: 'null',
};

/** `bad_json` at the current place. */
export function unexpected(scan: Scan, expected: string): PitwallError {
  const { at, bytes, end } = scan;
  if (at >= end) return fault('bad_json', '', `is not valid JSON: it ends where ${expected} was expected`);
  const found = JSON.stringify(String.fromCodePoint(bytes.toString('utf8', at, at + 4).codePointAt(0)!));
  return fault('bad_json', '', `is not valid JSON: ${found} at byte ${at} where ${expected} was expected`);
}
