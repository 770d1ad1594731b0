import { type Column, Kind, type Rows } from '../../../domain/parameter-data.ts';
import { noTags } from '../../../domain/tags.ts';
import { type Steps, whole } from '../../../turns/steps.ts';
import { directoryEntryBytes, flagAscending, flagTagIndex, headBytes, presenceFlag } from './rows-section.ts';
import { align, type Slab } from './slab.ts';

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
