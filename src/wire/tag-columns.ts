import { noTags, type TagPair, type TagSet, tagSet } from '../domain/tags.ts';
import { fault } from './fault.ts';
import { Byte, describeNext, nextElement, openArray, peek, type Scan, takeNull } from './json-scanner.ts';
import { capacityOf, noteLength, type Payload, pathOf } from './payload.ts';
import { finish, reserve } from './scratch.ts';
import type { TagMemory } from './tag-memory.ts';
import { readCachedString } from './text-cache.ts';

/** One tag over all rows: per row an index into `values`, in which undefined stands for null. */
export interface TagColumn {
  readonly name: string;
  readonly values: readonly (string | undefined)[];
  readonly codes: Uint32Array;
}

const group = 'tagValues';

/** Reads `["12", null, ...]`. Rows mostly repeat the tag of the row before: those are only compared. */
export function readTagColumn(payload: Payload, name: string): TagColumn {
  const { scan } = payload;
  const capacity = capacityOf(payload);
  const arena = payload.scratch.integers;
  const values: (string | undefined)[] = [];
  const codeOf = new Map<string | undefined, number>();
  let row = 0;
  if (openArray(scan)) {
    do {
      peek(scan);
      const start = scan.at;
      const value = readTagValue(payload, name, row);
      let code = codeOf.get(value);
      if (code === undefined) {
        code = values.length;
        codeOf.set(value, code);
        values.push(value);
      }
      const rows = 1 + skipRepeats(scan, start, scan.at - start);
      const kept = Math.min(rows, capacity - row);
      if (kept > 0) {
        reserve(arena, row, kept);
        arena.array.fill(code, arena.used + row, arena.used + row + kept);
      }
      row += rows;
    } while (nextElement(scan));
  }
  noteLength(payload, group, name, row);
  return { name, values, codes: finish(arena, Math.min(row, capacity)) };
}

/** Skips the following elements that are the same token of `length` bytes as the one at `from`; how many they are. */
function skipRepeats(scan: Scan, from: number, length: number): number {
  const { bytes, end } = scan;
  let at = scan.at;
  let repeats = 0;
  while (at + 2 + length < end && bytes[at] === Byte.Comma) {
    const start = bytes[at + 1] === 0x20 ? at + 2 : at + 1;
    let same = 0;
    while (same < length && bytes[start + same] === bytes[from + same]) same++;
    if (same < length) break;
    at = start + length;
    repeats++;
  }
  scan.at = at;
  return repeats;
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
 * The tag set of each row from its tags: the values of the first tag, then for each further tag the pairs of
 * (set so far, value) that occur, until the sets are complete. Throws as the memory does.
 */
export function combineTags(
  columns: readonly TagColumn[],
  count: number,
  memory: TagMemory,
): { tagSets: readonly TagSet[]; tagIndex: Uint32Array | undefined } {
  if (columns.length === 0) return { tagSets: withoutTags, tagIndex: undefined };
  const constant = columns.filter(({ values }) => values.length === 1).flatMap((column) => tagOf(column, 0));
  const [first, ...others] = columns.filter(({ values }) => values.length > 1);
  if (first === undefined) return { tagSets: [tagSet(constant)], tagIndex: undefined };
  const steps: Step[] = [];
  let index = first.codes.subarray(0, count);
  for (const column of others) {
    const joined = joinCodes(index, column.codes, column.values.length);
    memory.pairs(joined.pairs.length);
    steps.push({ column, pairs: joined.pairs });
    index = joined.index;
  }
  const sets = steps.at(-1)?.pairs.length ?? first.values.length;
  memory.sets(sets, columns.length);
  return {
    tagSets: Array.from({ length: sets }, (_, set) => tagSet([...constant, ...tagsOf(set)])),
    tagIndex: index,
  };

  function tagsOf(set: number): TagPair[] {
    const tags: TagPair[] = [];
    let current = set;
    for (const { column, pairs } of steps.toReversed()) {
      const [left, code] = pairs[current]!;
      tags.push(...tagOf(column, code));
      current = left;
    }
    return [...tags, ...tagOf(first!, current)];
  }
}

const withoutTags: readonly TagSet[] = [noTags];

/** One more tag: the sets with it, each a set without it and the code of a value. */
interface Step {
  readonly column: TagColumn;
  readonly pairs: readonly (readonly [left: number, code: number])[];
}

/** The tag with a value as a list, which is empty where the value is null. */
function tagOf({ name, values }: TagColumn, code: number): TagPair[] {
  const value = values[code];
  return value === undefined ? [] : [[name, value]];
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
