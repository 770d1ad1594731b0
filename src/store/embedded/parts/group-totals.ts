import type { TagSet } from '../../../domain/tags.ts';
import type { ColumnEnds } from '../../../query/states/wanted-rows.ts';
import type { OffsetRange } from '../rows/windows.ts';

/** Totals of a row group that reads found, and that later ones need not find again. */
export interface GroupTotals {
  /** The tags of all rows; undefined where nobody asked yet. Of rows with different tags no totals are kept for their tags. */
  readonly tags: TagSet | undefined;
  /** By number of parameter; undefined where the group does not have it. */
  readonly columns: ReadonlyMap<number, ColumnLeft | undefined>;
}

/** Totals of a column, which has a value in every row, over the rows that deletes leave. */
export interface ColumnLeft {
  /** What deletes took of it. Once there are other ones, the totals mean nothing. */
  readonly hidden: readonly OffsetRange[];
  /** How many rows are left, and the offsets of the first and the last. */
  readonly count: number;
  readonly first: number;
  readonly last: number;
  /** NaN where a value is not a number; undefined where nobody asked yet. */
  readonly sum: number | undefined;
  readonly ends: ColumnEnds | undefined;
}

/** What an entry of a group or a column, or a hidden range, takes as an object. */
const entryBytes = 240;
const rangeBytes = 60;

/** Roughly what totals take in memory. */
export function groupTotalsBytes({ columns }: GroupTotals): number {
  let bytes = entryBytes;
  const counted = new Set<readonly OffsetRange[]>();
  for (const column of columns.values()) {
    bytes += entryBytes;
    if (column === undefined || counted.has(column.hidden)) continue;
    counted.add(column.hidden);
    bytes += rangeBytes * column.hidden.length;
  }
  return bytes;
}
