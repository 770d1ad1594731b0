import { spanLimit } from '../domain/timestamp.ts';
import { fault } from './fault.ts';
import { digitAt } from './json-number.ts';
import { Byte, describeNext, nextElement, openArray, peek, type Scan } from './json-scanner.ts';
import type { Payload } from './payload.ts';
import { finish, reserve } from './scratch.ts';
import { readInteger64 } from './timestamp-text.ts';

/** The timestamps of a payload, without its epoch, in one of two forms. */
export type Timestamps = NarrowTimestamps | WideTimestamps;

/** All within 2^53 ns: row i is at `origin + offsets[i]`, offsets from `least` to `most`. */
export interface NarrowTimestamps {
  readonly count: number;
  readonly origin: bigint;
  readonly offsets: Float64Array;
  readonly least: number;
  readonly most: number;
}

export interface WideTimestamps {
  readonly count: number;
  readonly wide: BigInt64Array;
}

/** Reads the array. Throws `bad_timestamp` and `too_many_timestamps`. */
export function readTimestamps(payload: Payload): Timestamps {
  const { scan, prefix, limits } = payload;
  const path = `${prefix}timestamps`;
  if (peek(scan) !== Byte.OpenArray)
    throw fault('wrong_type', path, `must be an array, not ${describeNext(scan)}`);
  const start = scan.at;
  if (!openArray(scan)) return { count: 0, origin: 0n, offsets: noOffsets, least: 0, most: 0 };
  const arena = payload.scratch.doubles;
  const origin = readInteger64(scan, `${path}[0]`);
  const originHigh = Number(origin / 1_000_000_000n);
  const originLow = Number(origin % 1_000_000_000n);
  reserve(arena, 0, 1);
  let offsets = arena.array;
  let first = arena.used;
  offsets[first] = 0;
  let count = 1;
  let least = 0;
  let most = 0;
  while (nextElement(scan)) {
    if (count === limits.maxTimestamps) {
      throw fault('too_many_timestamps', path, `has more than ${limits.maxTimestamps} elements`);
    }
    let offset = readOffset(scan, originHigh, originLow);
    if (Number.isNaN(offset)) offset = Number(readInteger64(scan, `${path}[${count}]`) - origin);
    if (offset < least) least = offset;
    else if (offset > most) most = offset;
    if (first + count === offsets.length) {
      reserve(arena, count, 1);
      offsets = arena.array;
      first = arena.used;
    }
    offsets[first + count] = offset;
    count++;
  }
  if (most - least < spanLimit) return { count, origin, offsets: finish(arena, count), least, most };
  scan.at = start;
  return { count, wide: readWideTimestamps(scan, count) };
}

const noOffsets = new Float64Array(0);

/**
 * The distance of a plain integer from the origin, which is `originHigh` * 10^9 + `originLow`: exact where it is
 * below 2^53 and above that at least 2^53. NaN, with nothing consumed, for what needs a closer look.
 */
function readOffset(scan: Scan, originHigh: number, originLow: number): number {
  const { bytes, end } = scan;
  const start = peek(scan) === Byte.Minus ? scan.at + 1 : scan.at;
  let at = start;
  let stop = Math.min(end, start + 9);
  let head = 0;
  for (let digit = digitAt(bytes, at, stop); digit <= 9; digit = digitAt(bytes, ++at, stop)) {
    head = (head * 10 + digit) | 0;
  }
  const headDigits = at - start;
  if (headDigits === 0 || (headDigits > 1 && bytes[start] === Byte.Zero)) return Number.NaN;
  let tail = 0;
  stop = Math.min(end, at + 9);
  const tailStart = at;
  for (let digit = digitAt(bytes, at, stop); digit <= 9; digit = digitAt(bytes, ++at, stop)) {
    tail = (tail * 10 + digit) | 0;
  }
  let high = 0;
  let low = head;
  const tailDigits = at - tailStart;
  if (tailDigits === 9) {
    high = head;
    low = tail;
    const digit = digitAt(bytes, at, end);
    if (digit <= 9) {
      const carried = (tail / 100_000_000) | 0;
      high = head * 10 + carried;
      low = (tail - carried * 100_000_000) * 10 + digit;
      at++;
    }
  } else if (tailDigits > 0) {
    const power = powersOfTen[9 - tailDigits]!;
    high = (head / power) | 0;
    low = (head - high * power) * powersOfTen[tailDigits]! + tail;
  }
  const following = at < end ? bytes[at]! : 0;
  // More digits, a fraction or an exponent; or near the end of int64, which a double cannot check.
  if ((following ^ Byte.Zero) <= 9 || following === Byte.Point || (following | 0x20) === 0x65)
    return Number.NaN;
  if (high >= 9_223_372_036) return Number.NaN;
  const negative = start !== scan.at;
  scan.at = at;
  return negative
    ? (-high - originHigh) * 1e9 + (-low - originLow)
    : (high - originHigh) * 1e9 + (low - originLow);
}

const powersOfTen = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9] as const;

/** Reads an array again that has proved to be of `count` timestamps. */
function readWideTimestamps(scan: Scan, count: number): BigInt64Array {
  const wide = new BigInt64Array(count);
  openArray(scan);
  for (let row = 0; row < count; row++) {
    wide[row] = readInteger64(scan, `timestamps[${row}]`);
    nextElement(scan);
  }
  return wide;
}
