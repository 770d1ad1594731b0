import type { Presence } from '../../domain/parameter-data.ts';
import type { TagSet } from '../../domain/tags.ts';

/** When rows are: all that an accumulator may want to know besides values. */
export interface RowTimes {
  /** Nanoseconds; row i is at `base + offsetOf(i)`. */
  readonly base: bigint;
  offsetOf(row: number): number;
}

/**
 * Rows of one stream in order of time, as an aggregator takes them: in memory (`DecodedRows`), or as they are stored
 * (`StoredRows`, stored-rows.ts). Times and tags are made only where they are needed.
 */
export interface RowsToAggregate extends RowTimes {
  readonly count: number;
  /** Offsets of the first and the last row. */
  readonly first: number;
  readonly last: number;
  /** Rows before `from` and after `to` (offsets) are not wanted. */
  readonly from: number;
  readonly to: number;
  /** Rows inside these (offsets, both inclusive) are not wanted either; they ascend and do not touch. */
  readonly hidden: readonly { readonly first: number; readonly last: number }[];
  /** Of a regular clock: row i is at `first + i * step`, exactly. */
  readonly step: number | undefined;
  offsets(): Float64Array;
  tags(): Pick<DecodedRows, 'tagSets' | 'tagIndex'>;
}

/** Rows that are in memory as arrays, all of them wanted; columns are aligned with the plan's parameters. */
export interface DecodedRows {
  readonly count: number;
  /** Nanoseconds; row i is at `base + offsets[i]`. */
  readonly base: bigint;
  /** Ascending whole numbers in [0, 2^52). */
  readonly offsets: Float64Array;
  readonly tagSets: readonly TagSet[];
  /** Per row an index into `tagSets`; undefined means every row has `tagSets[0]`. */
  readonly tagIndex: Uint32Array | undefined;
  readonly columns: readonly (ColumnValues | undefined)[];
}

/** Rows in memory in the form that all rows to aggregate have in common. */
export function rowsToAggregate({ count, base, offsets, tagSets, tagIndex }: DecodedRows): RowsToAggregate {
  const first = offsets[0] ?? 0;
  const last = offsets[count - 1] ?? 0;
  return {
    count,
    base,
    first,
    last,
    from: first,
    to: last,
    hidden: [],
    step: undefined,
    offsetOf: (row) => offsets[row]!,
    offsets: () => offsets,
    tags: () => ({ tagSets, tagIndex }),
  };
}

export type ColumnValues = NumberValues | ByteValues;

export interface NumberValues {
  readonly values: Float64Array;
  readonly present: Presence;
}

export interface ByteValues {
  readonly bytes: Uint8Array;
  /** Per row the end of its value in `bytes`; it begins at the end of the row before. */
  readonly ends: Uint32Array;
  readonly present: Presence;
}

/** Rows of a frame: the unit of which stored columns know minimum, maximum and sum without being decoded. */
export const frameRows = 128;
