import { noTags, type TagSet } from '../../../domain/tags.ts';
import type { Aggregator } from '../../../query/aggregator.ts';
import type { StoredColumn, StoredRows } from '../../../query/states/stored-rows.ts';
import type { TotalsNeeded, TotalValues } from '../../../query/states/total-rows.ts';
import { type WantedRows, withWantedRows } from '../../../query/states/wanted-rows.ts';
import { type ColumnLeft, type GroupTotals, groupTotalsBytes } from '../parts/group-totals.ts';
import { type OffsetRange, windowStart } from '../rows/windows.ts';
import type { GroupPiece } from '../walk/walk-parts.ts';

/**
 * Totals of row groups that stored totals do not fit: deletes reach them, or their tags matter. They are found when the
 * group is read and kept beside its bytes. What they are depends on what is stored and asked alone, and they are used
 * whether they were kept or not, so the same question has the same answer.
 */
export interface WantedTotals {
  /** What is in the cache of a group, where it is enough. */
  cached(piece: GroupPiece): WantedStep | undefined;
  /** Adds what was kept. */
  add(step: WantedStep): void;
  /** Adds the rows of a group by their totals, and keeps these; false where these are not enough, and nothing was added. */
  addRows(piece: GroupPiece, rows: StoredRows): boolean;
}

/** A row group whose totals are enough. */
export interface WantedStep {
  readonly kind: 'wanted';
  readonly window: number;
  readonly tags: TagSet;
  /** Aligned with the plan's parameters; undefined where the group does not have it. */
  readonly columns: readonly (ColumnLeft | undefined)[];
}

/** @param parameters aligned with the plan's; undefined where nobody wrote it */
export function wantedTotals(
  parameters: readonly (number | undefined)[],
  aggregator: Aggregator,
): WantedTotals {
  const needed = aggregator.totalsNeeded();
  const { tagsMatter } = aggregator;
  let memory: TotalValues[] | undefined;
  let lastWindow = { window: 0, base: windowStart(0) };

  function baseOf(window: number): bigint {
    if (window !== lastWindow.window) lastWindow = { window, base: windowStart(window) };
    return lastWindow.base;
  }

  /** Whether totals may serve: all rows of the group that are left are wanted, and in one bucket. */
  function mayServe({ group: { handle, inside, window }, hidden }: GroupPiece): boolean {
    if (needed === undefined || (hidden.length === 0 && !tagsMatter)) return false;
    const { minOffset, maxOffset } = handle;
    if (minOffset < inside.first || maxOffset > inside.last) return false;
    return aggregator.bucketEnd(baseOf(window), minOffset) > maxOffset;
  }

  function add({ window, tags, columns }: WantedStep): void {
    const room = memory ?? columns.map(oneTotal);
    memory = room;
    let known: ColumnLeft | undefined;
    const values = columns.map((column, i) => {
      if (column === undefined) return undefined;
      known = column;
      return fill(room[i]!, column);
    });
    if (known === undefined) return;
    const { first, last } = known;
    aggregator.addTotals({
      from: 0,
      to: 1,
      base: baseOf(window),
      firstOffset: () => first,
      lastOffset: () => last,
      tags,
      columns: values,
    });
  }

  return {
    add,
    cached(piece) {
      if (!mayServe(piece)) return undefined;
      const { handle, reader, window } = piece.group;
      const totals = reader.groupTotals?.get(handle.position);
      if (totals === undefined || (tagsMatter && totals.tags === undefined)) return undefined;
      const columns: (ColumnLeft | undefined)[] = [];
      for (const [i, number] of parameters.entries()) {
        const column = number === undefined ? undefined : totals.columns.get(number);
        if (column === undefined) {
          if (number !== undefined && !totals.columns.has(number)) return undefined;
        } else if (!areSame(column.hidden, piece.hidden) || !isEnough(column, needed!, i)) return undefined;
        columns.push(column);
      }
      return { kind: 'wanted', window, tags: totals.tags ?? noTags, columns };
    },
    addRows(piece, rows) {
      if (!mayServe(piece) || !rows.columns.every((column) => column?.isDense ?? true)) return false;
      const { handle, reader, window } = piece.group;
      const before = reader.groupTotals?.get(handle.position);
      const tags = tagsMatter ? (before?.tags ?? tagsOfAll(rows)) : noTags;
      if (tags === undefined) return false;
      const columns = withWantedRows(rows, (left) =>
        rows.columns.map((column, i) => {
          const number = parameters[i];
          const known = number === undefined ? undefined : before?.columns.get(number);
          return column && columnLeft(left, column, piece.hidden, known, needed!, i);
        }),
      );
      const all = new Map(before?.columns);
      for (const [i, number] of parameters.entries()) if (number !== undefined) all.set(number, columns[i]);
      const totals: GroupTotals = { tags: tagsMatter ? tags : before?.tags, columns: all };
      reader.groupTotals?.put(handle.position, totals, groupTotalsBytes(totals));
      if (!columns.every((column, i) => column === undefined || isEnough(column, needed!, i))) return false;
      add({ kind: 'wanted', window, tags, columns });
      return true;
    },
  };
}

/** The tags of rows that all have the same. */
function tagsOfAll(rows: StoredRows): TagSet | undefined {
  const { tagSets, tagIndex } = rows.tags();
  return tagIndex === undefined ? tagSets[0] : undefined;
}

/** The totals of a column as far as they are needed, with those that are known already. */
function columnLeft(
  left: WantedRows,
  column: StoredColumn,
  hidden: readonly OffsetRange[],
  known: ColumnLeft | undefined,
  { sums, ends }: TotalsNeeded,
  place: number,
): ColumnLeft {
  const { count, first, last } = left;
  const before = known !== undefined && areSame(known.hidden, hidden) ? known : undefined;
  return {
    hidden,
    count,
    first,
    last,
    sum: before?.sum ?? (sums[place] === true ? left.sumOf(column) : undefined),
    ends: before?.ends ?? (ends[place] === true ? left.endsOf(column) : undefined),
  };
}

function isEnough({ sum, ends: known }: ColumnLeft, { sums, ends }: TotalsNeeded, place: number): boolean {
  // A sum that is too large for a double may come back with others, and its mean may be one.
  if (sums[place] === true && !Number.isFinite(sum)) return false;
  return ends[place] !== true || known !== undefined;
}

function areSame(some: readonly OffsetRange[], others: readonly OffsetRange[]): boolean {
  if (some === others) return true;
  if (some.length !== others.length) return false;
  return some.every(({ first, last }, i) => others[i]!.first === first && others[i]!.last === last);
}

/** Room for the totals of one block. */
function oneTotal(): TotalValues {
  const one = () => new Float64Array(1);
  return { count: one(), first: one(), last: one(), min: one(), max: one(), sum: one(), isExact: undefined };
}

function fill(totals: TotalValues, { count, sum, ends }: ColumnLeft): TotalValues {
  totals.count[0] = count;
  totals.sum[0] = sum ?? 0;
  totals.first[0] = ends?.first ?? 0;
  totals.last[0] = ends?.last ?? 0;
  totals.min[0] = ends?.min ?? Number.NaN;
  totals.max[0] = ends?.max ?? Number.NaN;
  return totals;
}
