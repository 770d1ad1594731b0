import { isUtf8 } from 'node:buffer';
import { LineFault } from './line-value.ts';

// Bytes of the line protocol: where its tokens end, and what they say.

export const newline = 0x0a;
const carriageReturn = 0x0d;
const tab = 0x09;
export const space = 0x20;
export const quote = 0x22;
export const hash = 0x23;
export const comma = 0x2c;
export const equals = 0x3d;
export const backslash = 0x5c;

/** The place of `stop` or `other` at or after `start`, the end of the line, or the end of the text; escapes skipped. */
export function tokenEnd(bytes: Buffer, start: number, stop: number, other: number): number {
  let at = start;
  for (; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === stop || byte === other || byte === newline) return at;
    if (byte === backslash && bytes[at + 1] !== newline) at++;
  }
  return Math.min(at, bytes.length);
}

/** The place of the quote that ends a string. Strings may hold line breaks. */
export function stringEnd(body: Buffer, start: number): number {
  for (let at = start; at < body.length; at++) {
    if (body[at] === quote) return at;
    if (body[at] === backslash) at++;
  }
  throw new LineFault('a string without an end');
}

export function stringBytes(body: Buffer, start: number, end: number): Uint8Array {
  const raw = body.subarray(start, end);
  if (!raw.includes(backslash)) return raw;
  return Buffer.from(raw.toString('latin1').replace(/\\(["\\])/g, '$1'), 'latin1');
}

/** The text of a name or tag value: a backslash goes where it stands before what it escapes, and stays elsewhere. */
export function textOf(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.subarray(start, end);
  if (!isUtf8(raw)) throw new LineFault('a name or tag that is not valid UTF-8');
  const text = raw.toString();
  return text.includes('\\') ? text.replace(/\\([,= ])/g, '$1') : text;
}

export function skipSpaces(body: Buffer, start: number): number {
  let at = start;
  while (body[at] === space) at++;
  return at;
}

export function skipBlanks(body: Buffer, start: number): number {
  let at = start;
  while (body[at] === space || body[at] === tab || body[at] === carriageReturn) at++;
  return at;
}

/**
 * Returns where a line begins, behind blanks and byte order marks: programs of Windows begin a text with three bytes
 * that say it is UTF-8, and such texts are put together.
 */
export function lineStart(body: Buffer, start: number): number {
  let at = skipBlanks(body, start);
  while (body[at] === 0xef && body[at + 1] === 0xbb && body[at + 2] === 0xbf) at = skipBlanks(body, at + 3);
  return at;
}

export function lineEnd(body: Buffer, start: number): number {
  const end = body.indexOf(newline, start);
  return end < 0 ? body.length : end;
}

export function behindLine(body: Buffer, start: number): number {
  return lineEnd(body, start) + 1;
}

const excerptBytes = 120;

export function excerptOf(body: Buffer, start: number, end: number): string {
  const text = body.toString('utf8', start, Math.min(end, start + excerptBytes)).trimEnd();
  return end - start > excerptBytes ? `${text}…` : text;
}
