import { noTags, type TagPair, type TagSet, tagSet } from '../domain/tags.ts';
import { fault } from './fault.ts';
import { Byte, describeNext, nextElement, openArray, peek, type Scan, takeNull } from './json-scanner.ts';
import { type Payload, pathOf } from './payload.ts';
import { finish, reserve } from './scratch.ts';
import { readCachedString } from './text-cache.ts';

/** One tag over all rows: per row an index into `values`, in which undefined stands for null. */
export interface TagColumn {
  readonly name: string;
  readonly values: readonly (string | undefined)[];
  readonly codes: Uint32Array;
}

const group = 'tagValues';

/** Reads `["12", null, ...]`. Rows mostly repeat the tag of the row before, and then nothing is looked up. */
export function readTagColumn(payload: Payload, name: string): TagColumn {
  const { scan, capacity } = payload;
  const arena = payload.scratch.integers;
  const values: (string | undefined)[] = [];
  const codeOf = new Map<string | undefined, number>();
  let code = -1;
  // Where the token of the row before stands.
  let before = 0;
  let beforeLength = 0;
  let row = 0;
  if (openArray(scan)) {
    do {
      peek(scan);
      const start = scan.at;
      if (beforeLength > 0 && repeats(scan, before, beforeLength)) {
        scan.at = start + beforeLength;
      } else {
        const value = readTagValue(payload, name, row);
        const known = codeOf.get(value);
        code = known ?? values.length;
        if (known === undefined) {
          codeOf.set(value, code);
          values.push(value);
        }
        before = start;
        beforeLength = scan.at - start;
      }
      if (row < capacity) {
        reserve(arena, row, 1);
        arena.array[arena.used + row] = code;
      }
      row++;
    } while (nextElement(scan));
  }
  payload.lengths.push({ group, name, length: row });
  return { name, values, codes: finish(arena, Math.min(row, capacity)) };
}

/** Whether the token of `length` bytes at `from` stands at the current place too. */
function repeats({ bytes, at, end }: Scan, from: number, length: number): boolean {
  if (at + length > end) return false;
  for (let i = 0; i < length; i++) {
    if (bytes[at + i] !== bytes[from + i]) return false;
  }
  return true;
}

function readTagValue(payload: Payload, name: string, row: number): string | undefined {
  const { scan, limits, scratch } = payload;
  if (takeNull(scan)) return undefined;
  if (peek(scan) !== Byte.Quote) {
    const message = `must be a string or null, not ${describeNext(scan)}`;
    throw fault('wrong_type', pathOf(payload, group, name, row), message);
  }
  const value = readCachedString(scan, scratch.tagValues);
  if (value.length * 3 > limits.maxStringBytes && Buffer.byteLength(value) > limits.maxStringBytes) {
    const message = `has ${Buffer.byteLength(value)} bytes; ${limits.maxStringBytes} are allowed`;
    throw fault('string_too_long', pathOf(payload, group, name, row), message);
  }
  return value;
}

/**
 * The tag set of each row from its tags: the sets of the first tag, then for each further tag the pairs of
 * (set so far, value) that occur, until the sets are complete.
 */
export function combineTags(
  columns: readonly TagColumn[],
  count: number,
): { tagSets: readonly TagSet[]; tagIndex: Uint32Array | undefined } {
  const constant: TagPair[] = [];
  let sets: TagPair[][] = [[]];
  let index: Uint32Array | undefined;
  for (const { name, values, codes } of columns) {
    const pairOf = values.map((value): TagPair[] => (value === undefined ? [] : [[name, value]]));
    if (values.length === 1) {
      constant.push(...pairOf[0]!);
    } else if (index === undefined) {
      sets = pairOf;
      index = codes.subarray(0, count);
    } else {
      const joined = joinCodes(index, codes, values.length);
      sets = joined.pairs.map(([set, code]) => [...sets[set]!, ...pairOf[code]!]);
      index = joined.index;
    }
  }
  if (index === undefined && constant.length === 0) return { tagSets: [noTags], tagIndex: undefined };
  return { tagSets: sets.map((pairs) => tagSet([...constant, ...pairs])), tagIndex: index };
}

/** Numbers the pairs (left, right) that occur, in the order in which they do. `rightCount` is above every right. */
function joinCodes(left: Uint32Array, right: Uint32Array, rightCount: number) {
  const index = new Uint32Array(left.length);
  const pairs: [left: number, right: number][] = [];
  const numberOf = new Map<number, number>();
  let before = -1;
  let current = 0;
  for (let row = 0; row < left.length; row++) {
    const pair = left[row]! * rightCount + right[row]!;
    if (pair !== before) {
      before = pair;
      current = numberOf.get(pair) ?? pairs.length;
      if (current === pairs.length) {
        numberOf.set(pair, current);
        pairs.push([left[row]!, right[row]!]);
      }
    }
    index[row] = current;
  }
  return { index, pairs };
}
