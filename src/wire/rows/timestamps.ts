import { spanLimit } from '../../domain/timestamp.ts';
import { fault } from '../base/fault.ts';
import { Byte, describeNext, nextElement, openArray, peek, type Scan } from '../json/json-scanner.ts';
import { finish, reserve } from '../json/scratch.ts';
import { readInteger64 } from '../json/timestamp-text.ts';
import { elementsOfLoop, noPause, type Payload } from './payload.ts';

/** The timestamps of a payload, without its epoch, in one of two forms. */
export type Timestamps = NarrowTimestamps | WideTimestamps;

/** All within 2^53 ns: row i is at `origin + offsets[i]`, offsets from `min` to `max`. */
export interface NarrowTimestamps {
  readonly count: number;
  readonly origin: bigint;
  readonly offsets: Float64Array;
  readonly min: number;
  readonly max: number;
}

export interface WideTimestamps {
  readonly count: number;
  readonly wide: BigInt64Array;
}

/** The array while it is read. */
export interface OpenTimestamps {
  /** Where it begins in the body. */
  start: number;
  origin: bigint;
  /** 0 before the first one. */
  count: number;
  /** Those that are beyond 2^53 ns from one another, and how many of them are read again. */
  wide: BigInt64Array | undefined;
  again: number;
}

export function openTimestamps(): OpenTimestamps {
  return { start: 0, origin: 0n, count: 0, wide: undefined, again: 0 };
}

/** Reads the array; undefined where it pauses. Throws `bad_timestamp` and `too_many_timestamps`. */
export function readTimestamps(payload: Payload, open: OpenTimestamps): Timestamps | undefined {
  const { scan, prefix, limits, pause } = payload;
  if (open.wide !== undefined) return readWideTimestamps(payload, open, open.wide);
  const path = `${prefix}timestamps`;
  const arena = payload.scratch.doubles;
  let count = open.count;
  if (count === 0) {
    if (peek(scan) !== Byte.OpenArray)
      throw fault('wrong_type', path, `must be an array, not ${describeNext(scan)}`);
    open.start = scan.at;
    if (!openArray(scan)) return { count: 0, origin: 0n, offsets: noOffsets, min: 0, max: 0 };
    open.origin = readInteger64(scan, `${path}[0]`);
    reserve(arena, 0, 1);
    arena.array[arena.used] = 0;
    count = 1;
  }
  const { origin, start } = open;
  const high = Number(origin / 1_000_000_000n);
  const low = Number(origin % 1_000_000_000n);
  for (;;) {
    // Between two elements: what comes next is a comma or the end.
    if (scan.at >= pause.at) {
      open.count = count;
      return undefined;
    }
    if (!nextElement(scan)) break;
    if (count === limits.maxTimestamps) {
      throw fault('too_many_timestamps', path, `has more than ${limits.maxTimestamps} elements`);
    }
    reserve(arena, count, 1);
    const { array, used } = arena;
    const room = Math.min(array.length, used + limits.maxTimestamps, used + count + elementsOfLoop);
    const next = readPlainOffsets(scan, array, used + count, room, high, low) - used;
    if (next > count) {
      count = next;
    } else {
      let offset = readOffset(scan, high, low);
      if (Number.isNaN(offset)) offset = Number(readInteger64(scan, `${path}[${count}]`) - origin);
      array[used + count] = offset;
      count++;
    }
  }
  const offsets = finish(arena, count);
  let min = 0;
  let max = 0;
  for (let i = 0; i < count; i++) {
    const offset = offsets[i]!;
    if (offset < min) min = offset;
    else if (offset > max) max = offset;
  }
  if (max - min < spanLimit) return { count, origin, offsets, min, max };
  scan.at = start;
  openArray(scan);
  open.wide = new BigInt64Array(count);
  return readWideTimestamps(payload, open, open.wide);
}

// Constants of this file: see json-number.ts.
const zero = 0x30;
const minus = 0x2d;
const point = 0x2e;
const comma = 0x2c;
const closeArray = 0x5d;
const space = 0x20;

const noOffsets = new Float64Array(0);

/**
 * Reads timestamps of 19 digits (those from 2001 on) for as long as they come: in loops like `readPlainNumbers`, to
 * distances like `readOffset`.
 */
function readPlainOffsets(
  scan: Scan,
  offsets: Float64Array,
  from: number,
  to: number,
  originHigh: number,
  originLow: number,
): number {
  const { bytes, end } = scan;
  let at = scan.at;
  let index = from;
  while (index < to && at + 20 < end) {
    const start = bytes[at] === space ? at + 1 : at;
    const head = nineDigits(bytes, start);
    const middle = bytes[start + 9]! ^ zero;
    const low = nineDigits(bytes, start + 10);
    const following = bytes[start + 19]!;
    // From 922337203 on int64 may end, and a leading zero is for others to refuse.
    if (head < 100_000_000 || head >= 922_337_203 || middle > 9 || low < 0) break;
    if (following !== comma && following !== closeArray) break;
    offsets[index++] = (head * 10 + middle - originHigh) * 1e9 + (low - originLow);
    at = start + 20;
    scan.at = at - 1;
    if (following !== comma) break;
  }
  return index;
}

/** The value of nine digits, or -1. */
function nineDigits(bytes: Uint8Array, at: number): number {
  const a = bytes[at]! ^ zero;
  const b = bytes[at + 1]! ^ zero;
  const c = bytes[at + 2]! ^ zero;
  const d = bytes[at + 3]! ^ zero;
  const e = bytes[at + 4]! ^ zero;
  const f = bytes[at + 5]! ^ zero;
  const g = bytes[at + 6]! ^ zero;
  const h = bytes[at + 7]! ^ zero;
  const i = bytes[at + 8]! ^ zero;
  if (a > 9 || b > 9 || c > 9 || d > 9 || e > 9 || f > 9 || g > 9 || h > 9 || i > 9) return -1;
  return ((a * 10 + b) * 10 + c) * 1_000_000 + ((d * 10 + e) * 10 + f) * 1000 + ((g * 10 + h) * 10 + i);
}

/**
 * The distance of a plain integer from the origin, which is `originHigh` * 10^9 + `originLow`: exact where it is
 * below 2^53 and above that at least 2^53. NaN, with nothing consumed, for what needs a closer look.
 */
function readOffset(scan: Scan, originHigh: number, originLow: number): number {
  const negative = peek(scan) === minus;
  const { bytes, at: start } = scan;
  const first = negative ? start + 1 : start;
  let at = first;
  let digit = bytes[at]! ^ zero;
  let head = 0;
  for (const stop = first + 9; at < stop && digit <= 9; digit = bytes[++at]! ^ zero) {
    head = (head * 10 + digit) | 0;
  }
  const headDigits = at - first;
  if (headDigits === 0 || (headDigits > 1 && bytes[first] === zero)) return Number.NaN;
  let tail = 0;
  for (const stop = first + 18; at < stop && digit <= 9; digit = bytes[++at]! ^ zero) {
    tail = (tail * 10 + digit) | 0;
  }
  const tailDigits = at - first - headDigits;
  let high = 0;
  let low = head;
  if (tailDigits === 9 && digit <= 9) {
    const carried = (tail / 100_000_000) | 0;
    high = head * 10 + carried;
    low = (tail - carried * 100_000_000) * 10 + digit;
    digit = bytes[++at]! ^ zero;
  } else if (tailDigits > 0) {
    const power = powersOfTen[9 - tailDigits]!;
    high = (head / power) | 0;
    low = (head - high * power) * powersOfTen[tailDigits]! + tail;
  }
  const following = bytes[at]!;
  // More digits, a fraction or an exponent; or near the end of int64, which a double cannot check.
  if (digit <= 9 || following === point || (following | 0x20) === 0x65) return Number.NaN;
  if (high >= 9_223_372_036) return Number.NaN;
  scan.at = at;
  return negative
    ? (-high - originHigh) * 1e9 + (-low - originLow)
    : (high - originHigh) * 1e9 + (low - originLow);
}

const powersOfTen = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9] as const;

/** The wide integers of a step: a fraction of a millisecond. */
const wideOfStep = 2048;

/** Reads once more an array that is known to be one of timestamps; undefined where it pauses. */
function readWideTimestamps(
  { scan, pause }: Payload,
  open: OpenTimestamps,
  wide: BigInt64Array,
): WideTimestamps | undefined {
  const to = pause === noPause ? wide.length : Math.min(wide.length, open.again + wideOfStep);
  for (let row = open.again; row < to; row++) {
    wide[row] = readInteger64(scan, `timestamps[${row}]`);
    nextElement(scan);
  }
  open.again = to;
  return to === wide.length ? { count: to, wide } : undefined;
}
