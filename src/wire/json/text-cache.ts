import { Byte, type Scan } from './json-scanner.ts';
import { readString } from './json-string.ts';

/**
 * Short texts that come again and again (names of parameters, values of tags), found by their bytes: a payload
 * of ten rows has more names than rows, and making a string of each is a good part of its cost.
 */
export type TextCache = (string | undefined)[];

/** The places of the cache, a power of two. A text that falls on a taken place replaces what was there. */
const places = 2048;
const maxTextBytes = 64;

export function createTextCache(): TextCache {
  return new Array<string | undefined>(places).fill(undefined);
}

/** Reads a string as `readString` does, from the cache where it can be. */
export function readCachedString(scan: Scan, cache: TextCache): string {
  const { bytes } = scan;
  const start = scan.at + 1;
  const last = Math.min(scan.end, start + maxTextBytes);
  let hash = 0x811c9dc5;
  let at = start;
  for (; at < last; at++) {
    const byte = bytes[at]!;
    if (byte === Byte.Quote) break;
    if (byte === Byte.Backslash || byte < 0x20 || byte > 0x7e) return readString(scan);
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  if (at === last) return readString(scan);
  const place = (hash ^ (hash >>> 15)) & (places - 1);
  const cached = cache[place];
  if (cached !== undefined && isText(cached, bytes, start, at)) {
    scan.at = at + 1;
    return cached;
  }
  const text = readString(scan);
  cache[place] = text;
  return text;
}

function isText(text: string, bytes: Uint8Array, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let i = start; i < end; i++) {
    if (text.charCodeAt(i - start) !== bytes[i]) return false;
  }
  return true;
}
