import type { Steps } from '../../turns/steps.ts';
import { fault } from '../../wire/base/fault.ts';
import { tooLarge } from './message-buffer.ts';

/**
 * A walk over MessagePack (its specification, "Formats") byte by byte. Nothing is built on the way, and nothing
 * recurses, so depth costs nothing here.
 */
export interface Pack {
  readonly bytes: Buffer;
  at: number;
}

/** Makes sure that `size` bytes follow. */
export function need(pack: Pack, size: number): void {
  if (pack.bytes.length - pack.at < size) throw notMessagePack('it ends too early');
}

/** The first byte of the next value, consumed. */
export function readFormat(pack: Pack): number {
  need(pack, 1);
  return pack.bytes[pack.at++]!;
}

/** An unsigned integer of 1, 2 or 4 bytes: a length, mostly. */
export function readUnsigned(pack: Pack, size: number): number {
  need(pack, size);
  const value = pack.bytes.readUIntBE(pack.at, size);
  pack.at += size;
  return value;
}

/** How many elements the array has whose header is next. */
export function readArrayHeader(pack: Pack, what: string): number {
  const format = readFormat(pack);
  if (format >> 4 === 0x9) return format & 0x0f;
  if (format === 0xdc) return readUnsigned(pack, 2);
  if (format === 0xdd) return readUnsigned(pack, 4);
  throw notMessagePack(`${what} must be an array`);
}

/** A string, or undefined for nil. Throws `body_too_large` beyond so many bytes. */
export function readText(pack: Pack, what: string, maxBytes: number): string | undefined {
  const format = readFormat(pack);
  if (format === 0xc0) return undefined;
  const length = stringLength(pack, format);
  if (length < 0) throw notMessagePack(`${what} must be a string`);
  if (length > maxBytes) throw tooLarge(what, maxBytes);
  need(pack, length);
  pack.at += length;
  return pack.bytes.toString('utf8', pack.at - length, pack.at);
}

/** The length of the string whose format byte has been read, or -1 if it is no string. */
export function stringLength(pack: Pack, format: number): number {
  if (format >> 5 === 0b101) return format & 0x1f;
  if (format === 0xd9) return readUnsigned(pack, 1);
  if (format === 0xda) return readUnsigned(pack, 2);
  if (format === 0xdb) return readUnsigned(pack, 4);
  return -1;
}

/** Bytes after the format byte of what has a fixed size, by format from 0xc0 on; -1 for what has a length. */
// biome-ignore format: eight formats a line, as in the specification
const fixedSizes = [
   0, -1,  0,  0, -1, -1, -1, -1, // nil, never used, false, true, bin 8-32, ext 8
  -1, -1,  4,  8,  1,  2,  4,  8, // ext 16-32, float 32-64, uint 8-64
   1,  2,  4,  8,  2,  3,  5,  9, // int 8-64, fixext 1-8
  17, -1, -1, -1, -1, -1, -1, -1, // fixext 16, str 8-32, array 16-32, map 16-32
];

/** Bytes of a value with its format byte, by format; 0 where they are not fixed, and for arrays and maps. */
const wholeSizes = Uint8Array.from({ length: 256 }, (_, format) => {
  if (format < 0x80 || format >= 0xe0) return 1;
  if (format < 0xa0) return 0;
  if (format < 0xc0) return 1 + (format & 0x1f);
  return 1 + fixedSizes[format - 0xc0]!;
});

/** Values of a step: the slowest to get past take a few nanoseconds each. */
const stepValues = 50_000;

/** Gets past the next value, whatever is in it. */
export function* skipPacked(pack: Pack): Steps<void> {
  for (let values = skipValues(pack, 1); values > 0; values = skipValues(pack, values)) yield;
}

/** Gets past so many values, or a step of them: in a tight loop, for there may be many millions. How many are left. */
function skipValues(pack: Pack, count: number): number {
  const { bytes } = pack;
  const end = bytes.length;
  let values = count;
  let { at } = pack;
  for (let left = stepValues; values > 0 && left > 0; values--, left--) {
    const size = at < end ? wholeSizes[bytes[at]!]! : 0;
    if (size > 0) {
      at += size;
      continue;
    }
    pack.at = at;
    values += skipHead(pack);
    at = pack.at;
  }
  if (at > end) throw notMessagePack('it ends too early');
  pack.at = at;
  return values;
}

/** Gets past a value of no fixed size, without its elements; how many of them follow. */
function skipHead(pack: Pack): number {
  const format = readFormat(pack);
  if (format < 0x90) return (format & 0x0f) * 2;
  if (format < 0xa0) return format & 0x0f;
  switch (format) {
    case 0xc4:
    case 0xd9:
      return skipBytes(pack, readUnsigned(pack, 1));
    case 0xc5:
    case 0xda:
      return skipBytes(pack, readUnsigned(pack, 2));
    case 0xc6:
    case 0xdb:
      return skipBytes(pack, readUnsigned(pack, 4));
    case 0xc7:
      return skipBytes(pack, readUnsigned(pack, 1) + 1);
    case 0xc8:
      return skipBytes(pack, readUnsigned(pack, 2) + 1);
    case 0xc9:
      return skipBytes(pack, readUnsigned(pack, 4) + 1);
    case 0xdc:
      return readUnsigned(pack, 2);
    case 0xdd:
      return readUnsigned(pack, 4);
    case 0xde:
      return readUnsigned(pack, 2) * 2;
    case 0xdf:
      return readUnsigned(pack, 4) * 2;
    default:
      throw notMessagePack('it holds the byte c1');
  }
}

function skipBytes(pack: Pack, size: number): 0 {
  need(pack, size);
  pack.at += size;
  return 0;
}

export function notMessagePack(why: string) {
  return fault('bad_request', '', `is not a valid MessagePack message: ${why}`);
}
