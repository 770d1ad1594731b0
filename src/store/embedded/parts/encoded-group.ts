import type { TagSet } from '../../../domain/tags.ts';
import type { RunSums, Runs } from '../../../query/runs/runs.ts';
import type { FrameStatistics } from '../codecs/frame-statistics.ts';
import type { FrameTable } from '../codecs/frame-table.ts';
import {
  decodeColumn,
  decodeColumnFrames,
  decodeColumnStatistics,
  decodeFrameTable,
  decodeRunSums,
  type TakenFrames,
} from '../codecs/group-columns.ts';
import {
  decodeGroupTags,
  decodeGroupTagsBetween,
  decodeOffsets,
  type GroupLayout,
} from '../codecs/row-group-codec.ts';
import type { ColumnEntry, GroupHandle } from '../codecs/row-group-directory.ts';
import type { StoredBytes } from '../codecs/stored-bytes.ts';
import type { RowTags } from '../codecs/tags-codec.ts';
import { regularStep, TimesForm } from '../codecs/times-codec.ts';
import type { GroupColumn } from '../rows/row-group.ts';

/**
 * A row group whose bytes are in memory, as far as they were asked for; what is wanted of it is decoded at once.
 * Every method throws DamagedError where the bytes are not what was written.
 */
export interface EncodedGroup {
  readonly handle: GroupHandle;
  /** The columns that were asked for, and perhaps others. */
  readonly columns: readonly ColumnEntry[];
  /** Of a regular clock: row i is at the smallest offset and i times this. */
  readonly step: number | undefined;
  /** In an array of their own or at the beginning of `into`; so are the values below. */
  offsets(into?: Float64Array): Float64Array;
  tags(): RowTags;
  /** The distinct tag sets of rows `[first, end)`, at least one. */
  tagsBetween(first: number, end: number): readonly TagSet[];
  values(entry: ColumnEntry, into?: Float64Array): GroupColumn;
  /** A column of numbers that every row has, in the marked frames. */
  frames(entry: ColumnEntry, marks: Uint8Array, into: Float64Array): Float64Array;
  /** Without `withSums` the sums mean nothing. */
  statistics(entry: ColumnEntry, withSums: boolean, into?: FrameStatistics): FrameStatistics | undefined;
  /** Reads the frames of such a column to a table, from the place `at` on; undefined where not all of it is known. */
  readFrames(entry: ColumnEntry, table: FrameTable, at: number): TakenFrames | undefined;
  /** The sums of runs of such a column, to `sums`; false where nothing stored gives them. */
  runSums(entry: ColumnEntry, runs: Runs, sums: RunSums): boolean;
}

/** `blockOf` gives the bytes that hold the blocks of a column. */
export function encodedGroup(
  file: string,
  handle: GroupHandle,
  layout: GroupLayout,
  head: StoredBytes,
  blockOf: (entry: ColumnEntry) => StoredBytes,
): EncodedGroup {
  return new GroupInMemory(file, handle, layout, head, blockOf);
}

/** A class, for a read of many streams makes very many. */
class GroupInMemory implements EncodedGroup {
  readonly handle: GroupHandle;
  readonly step: number | undefined;
  readonly #file: string;
  readonly #layout: GroupLayout;
  readonly #head: StoredBytes;
  readonly #blockOf: (entry: ColumnEntry) => StoredBytes;

  constructor(
    file: string,
    handle: GroupHandle,
    layout: GroupLayout,
    head: StoredBytes,
    blockOf: (entry: ColumnEntry) => StoredBytes,
  ) {
    const { rows, minOffset, maxOffset } = handle;
    this.handle = handle;
    this.step = layout.timesForm === TimesForm.Regular ? regularStep(rows, minOffset, maxOffset) : undefined;
    this.#file = file;
    this.#layout = layout;
    this.#head = head;
    this.#blockOf = blockOf;
  }

  get columns(): readonly ColumnEntry[] {
    return this.#layout.columns;
  }

  offsets(into?: Float64Array): Float64Array {
    return decodeOffsets(this.#file, this.handle, this.#layout, this.#head, into);
  }

  tags(): RowTags {
    return decodeGroupTags(this.#file, this.handle, this.#layout, this.#head);
  }

  tagsBetween(first: number, end: number): readonly TagSet[] {
    return decodeGroupTagsBetween(this.#file, this.handle, this.#layout, this.#head, first, end);
  }

  values(entry: ColumnEntry, into?: Float64Array): GroupColumn {
    return decodeColumn(this.#file, this.handle, entry, this.#blockOf(entry), into);
  }

  frames(entry: ColumnEntry, marks: Uint8Array, into: Float64Array): Float64Array {
    return decodeColumnFrames(this.#file, this.handle, entry, this.#blockOf(entry), marks, into);
  }

  statistics(entry: ColumnEntry, withSums: boolean, into?: FrameStatistics): FrameStatistics | undefined {
    return decodeColumnStatistics(this.#file, this.handle, entry, this.#blockOf(entry), withSums, into);
  }

  readFrames(entry: ColumnEntry, table: FrameTable, at: number): TakenFrames | undefined {
    return decodeFrameTable(this.#file, this.handle, entry, this.#blockOf(entry), table, at);
  }

  runSums(entry: ColumnEntry, runs: Runs, sums: RunSums): boolean {
    return decodeRunSums(this.#file, this.handle, entry, this.#blockOf(entry), runs, sums);
  }
}
