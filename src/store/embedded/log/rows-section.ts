import { type Column, Kind, type Rows } from '../../../domain/parameter-data.ts';
import { noTags, type TagSet, tagSetOfKey } from '../../../domain/tags.ts';
import { type Steps, whole } from '../../../wire/steps.ts';
import { countPresent } from '../rows/presence.ts';
import type { GroupColumn } from '../rows/row-group.ts';
import { align, type Slab, type SlabWords } from './slab.ts';

/**
 * Rows of one stream as they came, inside a log record and, the same bytes, in the head. Little endian, every
 * array at a multiple of 8; positions count from the start of the section's body.
 *
 *   0  u32  stream number          4  u32  rows
 *   8  u32  columns               12  u32  tag sets (0: no row has tags)
 *  16  i64  base, ns since the Unix epoch
 *  24  f64  span: the largest offset
 *  32  u32  flags: 1 = offsets ascend; 2 = one tag index per row stands after the columns' directory
 *  36  u32  bytes of the tag dictionary
 *  40       offsets, f64 per row
 *           directory, per column: u32 parameter number, u32 kind (+ 256 if a presence bitmap stands before
 *           the values), u32 position of the column, u32 bytes of all values (strings and binaries)
 *           tag index, u32 per row (flag 2)
 *           tag dictionary: JSON array of the sets' keys, UTF-8
 *           columns: [bitmap] then f64 per row, or u32 end per row and the bytes
 */
export interface RowsSection {
  readonly stream: number;
  readonly count: number;
  readonly base: bigint;
  readonly span: number;
  readonly ascending: boolean;
  readonly offsets: Float64Array;
  readonly tagSets: readonly TagSet[];
  readonly tagIndex: Uint32Array | undefined;
  readonly columns: readonly GroupColumn[];
}

const headBytes = 40;
const directoryEntryBytes = 16;
const presenceFlag = 256;
const flagAscending = 1;
const flagTagIndex = 2;

/** Rows with everything that has to be known before they can be written. */
export interface RowsSectionDraft {
  readonly rows: Rows;
  readonly stream: number;
  readonly parameters: readonly number[];
  readonly tagDictionary: Buffer | undefined;
  readonly bytes: number;
}

export function draftRows(rows: Rows, stream: number, parameters: readonly number[]): RowsSectionDraft {
  const untagged = rows.tagSets.length === 1 && rows.tagSets[0]!.key === noTags.key;
  const tagDictionary = untagged
    ? undefined
    : Buffer.from(JSON.stringify(rows.tagSets.map((set) => set.key)));
  let bytes = headBytes + 8 * rows.count + directoryEntryBytes * rows.columns.length;
  if (rows.tagIndex !== undefined) bytes += align(4 * rows.count, 8);
  if (tagDictionary !== undefined) bytes += align(tagDictionary.length, 8);
  for (const column of rows.columns) bytes += columnBytes(column, rows.count);
  return { rows, stream, parameters, tagDictionary, bytes };
}

function columnBytes(column: Column, count: number): number {
  const presence = column.present === undefined ? 0 : align((count + 7) >> 3, 8);
  if (column.kind === Kind.Numeric) return presence + 8 * count;
  return presence + align(4 * count, 8) + align(column.ends[count - 1] ?? 0, 8);
}

/** Writes the section's body at `start`, a multiple of 8; it takes `draft.bytes` bytes. */
export function writeRows(slab: Slab, start: number, draft: RowsSectionDraft): void {
  whole(rowsSteps(slab, start, draft));
}

/** Rows of a step, and bytes of one. */
const stepRows = 32 * 1024;
const stepBytes = 8 * stepRows;

/** The same in steps. The rows must stay as they are until the last one. */
export function* rowsSteps(slab: Slab, start: number, draft: RowsSectionDraft): Steps<void> {
  const { rows, tagDictionary } = draft;
  const { count, offsets } = rows;
  const { u32, f64, bytes } = slab;
  const word = start >> 2;
  let span = 0;
  let ascending = 1;
  let at = start + headBytes;
  for (let i = 0, to = at >> 3, before = -1; i < count; ) {
    if (i > 0) yield;
    for (const end = Math.min(count, i + stepRows); i < end; i++, to++) {
      const offset = offsets[i]!;
      f64[to] = offset;
      if (offset > span) span = offset;
      if (offset < before) ascending = 0;
      before = offset;
    }
  }
  u32[word] = draft.stream;
  u32[word + 1] = count;
  u32[word + 2] = rows.columns.length;
  u32[word + 3] = tagDictionary === undefined ? 0 : rows.tagSets.length;
  slab.i64[(start + 16) >> 3] = rows.base;
  f64[(start + 24) >> 3] = span;
  u32[word + 8] = (ascending === 1 ? flagAscending : 0) | (rows.tagIndex === undefined ? 0 : flagTagIndex);
  u32[word + 9] = tagDictionary?.length ?? 0;
  at += 8 * count;
  let entry = at >> 2;
  at += directoryEntryBytes * rows.columns.length;
  if (rows.tagIndex !== undefined) {
    yield* copySteps(u32, at >> 2, rows.tagIndex, count);
    at += align(4 * count, 8);
  }
  if (tagDictionary !== undefined) {
    yield* copySteps(bytes, at, tagDictionary, tagDictionary.length);
    at += align(tagDictionary.length, 8);
  }
  for (let i = 0, rested = at; i < rows.columns.length; i++) {
    if (at - rested >= stepBytes) {
      rested = at;
      yield;
    }
    const column = rows.columns[i]!;
    u32[entry] = draft.parameters[i]!;
    u32[entry + 1] = column.kind | (column.present === undefined ? 0 : presenceFlag);
    u32[entry + 2] = at - start;
    u32[entry + 3] = column.kind === Kind.Numeric ? 0 : (column.ends[count - 1] ?? 0);
    entry += 4;
    if (columnBytes(column, count) <= stepBytes) at = writeColumn(slab, at, column, count);
    else at = yield* columnSteps(slab, at, column, count);
  }
}

function* columnSteps(slab: Slab, start: number, column: Column, count: number): Steps<number> {
  let at = start;
  if (column.present !== undefined) {
    const length = (count + 7) >> 3;
    yield* copySteps(slab.bytes, at, column.present, length);
    at += align(length, 8);
  }
  if (column.kind === Kind.Numeric) {
    yield* copySteps(slab.f64, at >> 3, column.values, count);
    return at + 8 * count;
  }
  yield* copySteps(slab.u32, at >> 2, column.ends, count);
  at += align(4 * count, 8);
  const length = column.ends[count - 1] ?? 0;
  yield* copySteps(slab.bytes, at, column.bytes, length);
  return at + align(length, 8);
}

/** Copies the first `count` elements of `from` to `at`. */
function* copySteps<Elements extends Uint8Array | Uint32Array | Float64Array>(
  to: Elements,
  at: number,
  from: Elements,
  count: number,
): Steps<void> {
  const step = stepBytes / from.BYTES_PER_ELEMENT;
  for (let done = 0; done < count; done += step) {
    if (done > 0) yield;
    to.set(from.subarray(done, Math.min(count, done + step)), at + done);
  }
}

function writeColumn(slab: Slab, start: number, column: Column, count: number): number {
  let at = start;
  if (column.present !== undefined) {
    const length = (count + 7) >> 3;
    slab.bytes.set(column.present.subarray(0, length), at);
    at += align(length, 8);
  }
  if (column.kind === Kind.Numeric) {
    copyDoubles(slab.f64, at >> 3, column.values, count);
    return at + 8 * count;
  }
  slab.u32.set(column.ends.subarray(0, count), at >> 2);
  at += align(4 * count, 8);
  const length = column.ends[count - 1] ?? 0;
  slab.bytes.set(column.bytes.subarray(0, length), at);
  return at + align(length, 8);
}

/** For a few values a loop is several times faster than `set`. */
function copyDoubles(to: Float64Array, at: number, values: Float64Array, count: number): void {
  if (count <= 64) for (let i = 0; i < count; i++) to[at + i] = values[i]!;
  else to.set(values.length === count ? values : values.subarray(0, count), at);
}

/** What tells whether a section matters to a read, without building its view. Times in ns, both inclusive. */
export function rowsExtent(
  slab: SlabWords,
  start: number,
): { stream: number; first: bigint; last: bigint; count: number } {
  const first = slab.i64[(start + 16) >> 3]!;
  return {
    stream: slab.u32[start >> 2]!,
    first,
    last: first + BigInt(slab.f64[(start + 24) >> 3]!),
    count: slab.u32[(start >> 2) + 1]!,
  };
}

/** The times of a section's rows, in ns from its first; a view into the slab. */
export function rowsOffsets(slab: SlabWords, start: number): Float64Array {
  return new Float64Array(slab.f64.buffer, start + headBytes, slab.u32[(start >> 2) + 1]!);
}

/** The parameter numbers of a section's columns. */
export function rowsParameters(slab: SlabWords, start: number): number[] {
  const word = start >> 2;
  const columns = slab.u32[word + 2]!;
  const entry = (start + headBytes + 8 * slab.u32[word + 1]!) >> 2;
  const parameters: number[] = [];
  for (let i = 0; i < columns; i++) parameters.push(slab.u32[entry + 4 * i]!);
  return parameters;
}

/** The columns of a section: of each the parameter, and how many rows have a value; undefined where all have one. */
export function rowsColumns(
  slab: SlabWords,
  start: number,
): { readonly parameter: number; readonly present: number | undefined }[] {
  const { u32 } = slab;
  const count = u32[(start >> 2) + 1]!;
  const columns = u32[(start >> 2) + 2]!;
  const found: { parameter: number; present: number | undefined }[] = [];
  for (let i = 0, entry = (start + headBytes + 8 * count) >> 2; i < columns; i++, entry += 4) {
    const at = start + u32[entry + 2]!;
    const hasPresence = (u32[entry + 1]! & presenceFlag) !== 0;
    const present = hasPresence
      ? countPresent(new Uint8Array(u32.buffer, at, (count + 7) >> 3), count)
      : undefined;
    found.push({ parameter: u32[entry]!, present });
  }
  return found;
}

/** Whether two sections have the same columns in the same order, and the second a value in each of its rows. */
export function hasSameFullColumns(slab: SlabWords, start: number, other: number): boolean {
  const { u32 } = slab;
  const columns = u32[(other >> 2) + 2]!;
  if (columns !== u32[(start >> 2) + 2]!) return false;
  let entry = (start + headBytes + 8 * u32[(start >> 2) + 1]!) >> 2;
  let otherEntry = (other + headBytes + 8 * u32[(other >> 2) + 1]!) >> 2;
  for (let i = 0; i < columns; i++, entry += 4, otherEntry += 4) {
    if (u32[entry] !== u32[otherEntry] || (u32[otherEntry + 1]! & presenceFlag) !== 0) return false;
  }
  return true;
}

/**
 * The section at `start`, its arrays views into the slab; only columns of `wanted` parameters where given.
 */
export function viewRows(slab: SlabWords, start: number, wanted?: ReadonlySet<number>): RowsSection {
  const { u32, f64 } = slab;
  const memory = f64.buffer;
  const word = start >> 2;
  const count = u32[word + 1]!;
  const columnCount = u32[word + 2]!;
  const tagSetCount = u32[word + 3]!;
  const flags = u32[word + 8]!;
  let at = start + headBytes;
  const offsets = new Float64Array(memory, at, count);
  at += 8 * count;
  let entry = at >> 2;
  at += directoryEntryBytes * columnCount;
  let tagIndex: Uint32Array | undefined;
  if ((flags & flagTagIndex) !== 0) {
    tagIndex = new Uint32Array(memory, at, count);
    at += align(4 * count, 8);
  }
  const tagSets =
    tagSetCount === 0
      ? [noTags]
      : (JSON.parse(Buffer.from(memory, at, u32[word + 9]).toString()) as string[]).map(tagSetOfKey);
  const columns: GroupColumn[] = [];
  for (let i = 0; i < columnCount; i++, entry += 4) {
    const parameter = u32[entry]!;
    if (wanted !== undefined && !wanted.has(parameter)) continue;
    columns.push(
      viewColumn(slab, start + u32[entry + 2]!, parameter, u32[entry + 1]!, u32[entry + 3]!, count),
    );
  }
  return {
    stream: u32[word]!,
    count,
    base: slab.i64[(start + 16) >> 3]!,
    span: f64[(start + 24) >> 3]!,
    ascending: (flags & flagAscending) !== 0,
    offsets,
    tagSets,
    tagIndex,
    columns,
  };
}

function viewColumn(
  slab: SlabWords,
  start: number,
  parameter: number,
  kindAndFlags: number,
  valueBytes: number,
  count: number,
): GroupColumn {
  const memory = slab.f64.buffer;
  let at = start;
  let present: Uint8Array | undefined;
  if ((kindAndFlags & presenceFlag) !== 0) {
    const length = (count + 7) >> 3;
    present = new Uint8Array(memory, at, length);
    at += align(length, 8);
  }
  const kind = (kindAndFlags & 255) as Kind;
  if (kind === Kind.Numeric) return { parameter, kind, values: new Float64Array(memory, at, count), present };
  const ends = new Uint32Array(memory, at, count);
  at += align(4 * count, 8);
  return { parameter, kind, bytes: new Uint8Array(memory, at, valueBytes), ends, present };
}
