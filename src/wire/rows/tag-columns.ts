import { noTags, type TagPair, type TagSet, tagSet } from '../../domain/tags.ts';
import type { Steps } from '../../turns/steps.ts';
import { fault } from '../base/fault.ts';
import {
  Byte,
  describeNext,
  nextElement,
  openArray,
  peek,
  type Scan,
  takeNull,
} from '../json/json-scanner.ts';
import { finish, reserve } from '../json/scratch.ts';
import { readCachedString } from '../json/text-cache.ts';
import { capacityOf, noteLength, type OpenColumn, type Payload, pathOf } from './payload.ts';
import type { TagMemory } from './tag-memory.ts';

/** One tag over all rows: per row an index into `values`, in which undefined stands for null. */
export interface TagColumn {
  readonly name: string;
  readonly values: readonly (string | undefined)[];
  readonly codes: Uint32Array;
}

const group = 'tagValues';

/** The values of a tag that is being read, and the code of each. */
export interface OpenTag extends Pick<OpenColumn, 'name' | 'isBegun' | 'row'> {
  readonly values: (string | undefined)[];
  readonly codeOf: Map<string | undefined, number>;
}

export function openTag(name: string): OpenTag {
  return { name, isBegun: false, row: 0, values: [], codeOf: new Map() };
}

/**
 * Reads `["12", null, ...]`. Rows mostly repeat the tag of the row before: those are only compared. Undefined where it
 * pauses.
 */
export function readTagColumn(payload: Payload, tag: OpenTag): TagColumn | undefined {
  const { scan, pause } = payload;
  const { name, values, codeOf } = tag;
  const capacity = capacityOf(payload);
  const arena = payload.scratch.integers;
  let { row } = tag;
  if (tag.isBegun || openArray(scan)) {
    tag.isBegun = true;
    do {
      if (scan.at >= pause.at) {
        tag.row = row;
        return undefined;
      }
      peek(scan);
      const start = scan.at;
      const value = readTagValue(payload, name, row);
      let code = codeOf.get(value);
      if (code === undefined) {
        code = values.length;
        codeOf.set(value, code);
        values.push(value);
      }
      const rows = 1 + skipRepeats(scan, start, scan.at - start, pause.at);
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

/**
 * Skips the following elements before the place `until` that are the same token of `length` bytes as the one at `from`; how
 * many they are.
 */
function skipRepeats(scan: Scan, from: number, length: number, until: number): number {
  const { bytes, end } = scan;
  let at = scan.at;
  let repeats = 0;
  const last = Math.min(end - 2 - length, until);
  while (at < last && bytes[at] === Byte.Comma) {
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

/** The tags of all rows, where they are the same; else undefined. */
export function commonTags(columns: readonly TagColumn[]): TagSet | undefined {
  if (columns.length === 0) return noTags;
  if (columns.some(({ values }) => values.length > 1)) return undefined;
  return tagSet(columns.flatMap((column) => tagOf(column, 0)));
}

/**
 * The tag set of each row from its tags, step by step: the values of the first tag, then for each further tag the pairs of
 * (set so far, value) that occur, until the sets are complete. Throws as the memory does. Some tag
 * has more than one value.
 */
export function* combineTags(
  columns: readonly TagColumn[],
  count: number,
  memory: TagMemory,
): Steps<{ tagSets: readonly TagSet[]; tagIndex: Uint32Array | undefined }> {
  const constant = columns.filter(({ values }) => values.length === 1).flatMap((column) => tagOf(column, 0));
  const [first, ...others] = columns.filter(({ values }) => values.length > 1) as [TagColumn, ...TagColumn[]];
  const steps: Step[] = [];
  let index = first.codes.subarray(0, count);
  for (const column of others) {
    const joined = yield* joinCodes(index, column.codes, column.values.length);
    memory.pairs(joined.pairs.length);
    steps.push({ column, pairs: joined.pairs });
    index = joined.index;
  }
  const sets = steps.at(-1)?.pairs.length ?? first.values.length;
  memory.sets(sets, columns.length);
  const tagSets: TagSet[] = [];
  for (let set = 0; set < sets; set++) {
    if (set > 0 && set % setsOfStep === 0) yield;
    tagSets.push(tagSet([...constant, ...tagsOf(set)]));
  }
  return { tagSets, tagIndex: index };

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

/** The tag sets of a step: well below a millisecond, unless a set has very many tags. */
const setsOfStep = 256;
const rowsOfStep = 4096;

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
function* joinCodes(left: Uint32Array, right: Uint32Array, rightCount: number): Steps<Joined> {
  const joined: Joined = { index: new Uint32Array(left.length), pairs: [], numberOf: new Map() };
  for (let row = 0; row < left.length; row += rowsOfStep) {
    if (row > 0) yield;
    joinRows(joined, left, right, rightCount, row, Math.min(left.length, row + rowsOfStep));
  }
  return joined;
}

interface Joined {
  readonly index: Uint32Array;
  readonly pairs: [left: number, right: number][];
  readonly numberOf: Map<number, number>;
}

function joinRows(
  { index, pairs, numberOf }: Joined,
  left: Uint32Array,
  right: Uint32Array,
  rightCount: number,
  from: number,
  to: number,
): void {
  let before = -1;
  let current = 0;
  for (let row = from; row < to; row++) {
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
}
