import type { Kind, Presence } from '../../../domain/parameter-data.ts';
import { sliceRows } from '../../../domain/slice-rows.ts';
import type { TagSet } from '../../../domain/tags.ts';
import type { OffsetRange } from './windows.ts';

/**
 * The most rows of a row group: enough for frames and columns to pay, few enough to decode in a fraction of a
 * millisecond a column.
 */
export const maxGroupRows = 8192;
/**
 * The values of a row group take no more memory than this, unless one row alone takes more: bounds what a read or a
 * merge holds. 128 numeric columns of 8192 rows; with more or larger values a group has fewer rows.
 */
export const maxGroupBytes = 8 * 1024 * 1024;

/**
 * Rows of one stream within one time window, column by column: what part files store and give back.
 * Ordered by (offset, order of tag sets), each such identity once.
 * Arrays may be shared between groups, so nobody writes to them.
 */
export interface RowGroup {
  /** The internal number of the stream. */
  readonly stream: number;
  readonly count: number;
  /** `count` whole nanoseconds in [0, 2^50) from the start of the window, ascending. */
  readonly offsets: Float64Array;
  /** Distinct tag sets, at least one; some may belong to no row. */
  readonly tagSets: readonly TagSet[];
  /** Per row an index into `tagSets`; undefined means that every row has `tagSets[0]`. */
  readonly tagIndex: Uint32Array | undefined;
  /** Ordered by parameter, each parameter at most once. */
  readonly columns: readonly GroupColumn[];
}

/** A row group in the window from whose start its offsets count. */
export interface PlacedGroup {
  readonly window: number;
  readonly group: RowGroup;
}

export type GroupColumn = GroupNumbers | GroupBytes;

export interface GroupNumbers {
  /** The internal number of the parameter, which has one kind for ever. */
  readonly parameter: number;
  readonly kind: typeof Kind.Numeric;
  /** One double per row; meaningless where the row is not present. */
  readonly values: Float64Array;
  readonly present: Presence;
}

export interface GroupBytes {
  readonly parameter: number;
  readonly kind: Exclude<Kind, typeof Kind.Numeric>;
  /** The values one after another: UTF-8 for strings and events, raw bytes for binaries. */
  readonly bytes: Uint8Array;
  /** Per row the end of its value in `bytes`; it begins at the end of the row before (0 for row 0). */
  readonly ends: Uint32Array;
  readonly present: Presence;
}

/** The rows of a sorted group inside a range of offsets. */
export function rowsInside(group: RowGroup, { first, last }: OffsetRange): RowGroup {
  return sliceRows(group, firstRowFrom(group.offsets, first), firstRowFrom(group.offsets, last + 1));
}

/** Index of the first row whose offset is not below `offset`. */
export function firstRowFrom(offsets: Float64Array, offset: number): number {
  let low = 0;
  let high = offsets.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (offsets[middle]! < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Memory that the values of the rows [from, to) take, in bytes: 8 a row for numbers, strings as they are. */
export function valueBytes(group: RowGroup, from: number, to: number): number {
  let total = 0;
  for (const column of group.columns) {
    total += 'ends' in column ? startOf(column, to) - startOf(column, from) : 8 * (to - from);
  }
  return total;
}

/** Memory that a group takes for a value of each row and column, in bytes, as if all were numbers. */
export function placeBytes({ count, columns }: RowGroup): number {
  return 8 * count * columns.length;
}

/** The parameters of all groups, ascending. */
export function parametersOf(groups: readonly RowGroup[]): number[] {
  const parameters = new Set<number>();
  groups.forEach(({ columns }, i) => {
    if (i > 0 && haveSameParameters(groups[i - 1]!.columns, columns)) return;
    for (const { parameter } of columns) parameters.add(parameter);
  });
  return [...parameters].sort((a, b) => a - b);
}

export function haveSameParameters(a: readonly GroupColumn[], b: readonly GroupColumn[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i]!.parameter !== b[i]!.parameter) return false;
  return true;
}

function startOf(column: GroupBytes, row: number): number {
  return row === 0 ? 0 : column.ends[row - 1]!;
}
