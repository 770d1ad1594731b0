import { Kind } from '../../../domain/parameter-data.ts';
import { countPresent } from '../../../domain/presence.ts';
import { noTags, type TagSet, tagSetOfKey } from '../../../domain/tags.ts';
import type { GroupColumn } from '../rows/row-group.ts';
import { windowOfHalves } from '../rows/windows.ts';
import { align, type SlabWords } from './slab.ts';

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

/** Before the offsets. */
export const headBytes = 40;
export const directoryEntryBytes = 16;
export const presenceFlag = 256;
/** The only flag of a section whose rows ascend and have no tag index. */
export const flagAscending = 1;
export const flagTagIndex = 2;

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

/** How many rows a section has. */
export function rowsCount(slab: SlabWords, start: number): number {
  return slab.u32[(start >> 2) + 1]!;
}

/** The window of all rows of a section; undefined where they lie in several. */
export function rowsWindow(slab: SlabWords, start: number): number | undefined {
  const word = (start + 16) >> 2;
  return windowOfHalves(slab.u32[word]!, slab.u32[word + 1]!, slab.f64[(start + 24) >> 3]!);
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

/** Whether a section has no tags, and its columns a value in each row. */
export function isUntaggedAndFull({ u32 }: SlabWords, start: number): boolean {
  const word = start >> 2;
  if (u32[word + 3] !== 0) return false;
  const columns = u32[word + 2]!;
  let entry = (start + headBytes + 8 * u32[word + 1]!) >> 2;
  for (let i = 0; i < columns; i++, entry += 4) if ((u32[entry + 1]! & presenceFlag) !== 0) return false;
  return true;
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

/** Whether two sections have the same tag sets in the same order. Nothing is decoded. */
export function hasSameTagDictionary(
  { u32 }: SlabWords,
  start: number,
  { u32: others }: SlabWords,
  other: number,
): boolean {
  const length = u32[(start >> 2) + 9]!;
  if (length !== others[(other >> 2) + 9] || u32[(start >> 2) + 3] !== others[(other >> 2) + 3]) return false;
  const at = tagDictionaryAt(u32, start);
  const otherAt = tagDictionaryAt(others, other);
  const words = length >> 2;
  for (let i = 0; i < words; i++) if (u32[(at >> 2) + i] !== others[(otherAt >> 2) + i]) return false;
  const rest = 8 * (length & 3);
  if (rest === 0) return true;
  // The first bytes of a word are its lowest: slabs are little-endian, as log records are.
  const difference = u32[(at >> 2) + words]! ^ others[(otherAt >> 2) + words]!;
  return (difference & ((1 << rest) - 1)) === 0;
}

/** Where the tag dictionary of a section begins. */
function tagDictionaryAt(u32: Uint32Array, start: number): number {
  const word = start >> 2;
  const count = u32[word + 1]!;
  const directory = start + headBytes + 8 * count + directoryEntryBytes * u32[word + 2]!;
  return (u32[word + 8]! & flagTagIndex) === 0 ? directory : directory + align(4 * count, 8);
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
