import { type Column, Kind } from '../../domain/parameter-data.ts';
import { countPresent } from '../../domain/presence.ts';
import type { NumberColumn } from '../../expression/column.ts';
import type { Calculated } from '../../query/plan/calculated.ts';
import type { ReadPlan } from '../../query/plan/plan.ts';
import type { RowBlock } from '../row-block.ts';
import { sliceBlock } from '../slice-block.ts';
import { pickRows } from './pick-rows.ts';

/** A plan that calculates. */
export type CalculatingPlan = ReadPlan & { readonly calculated: Calculated };

export function calculates<Plan extends { readonly calculated?: Calculated }>(
  plan: Plan,
): plan is Plan & { readonly calculated: Calculated } {
  return plan.calculated !== undefined;
}

/**
 * The rows that have a value of a column that is asked for; undefined where there are none.
 *
 * @param isWanted whether a row is; by default all are
 */
export function withColumns(
  block: RowBlock,
  { requested, columns: shape }: Calculated,
  calculated: readonly (NumberColumn | undefined)[],
  isWanted?: (row: number) => boolean,
): RowBlock | undefined {
  const columns: (Column | undefined)[] = block.columns.slice(0, requested);
  for (const [i, column] of calculated.entries())
    columns.push(column && { kind: Kind.Numeric, name: shape[i]!.name, ...column });
  const made = { ...block, columns };
  const there = columns.filter((column) => column !== undefined);
  if (there.length === 0) return undefined;
  const union = there.some(({ present }) => present === undefined) ? undefined : unionOf(there, block.count);
  if (union === undefined && isWanted === undefined) return made;
  const range = union !== undefined && isWanted === undefined ? unbroken(union, block.count) : undefined;
  if (range !== undefined)
    return range.end === range.begin ? undefined : withoutFullBits(sliceBlock(made, range.begin, range.end));
  const rows = new Uint32Array(block.count);
  let count = 0;
  for (let row = 0; row < block.count; row++) {
    if (union !== undefined && ((union[row >> 3]! >> (row & 7)) & 1) === 0) continue;
    if (isWanted !== undefined && !isWanted(row)) continue;
    rows[count++] = row;
  }
  if (count === 0) return undefined;
  const [first, last] = [rows[0]!, rows[count - 1]!];
  return last - first + 1 === count
    ? sliceBlock(made, first, last + 1)
    : pickRows(made, rows.subarray(0, count));
}

/** The rows [begin, end) that have a bit, where they follow one another: often only the first row of a stream has none. */
function unbroken(bits: Uint8Array, count: number): { begin: number; end: number } | undefined {
  const has = (row: number): boolean => ((bits[row >> 3]! >> (row & 7)) & 1) === 1;
  let begin = 0;
  let end = count;
  while (begin < end && !has(begin)) begin++;
  while (end > begin && !has(end - 1)) end--;
  let row = begin;
  while (row < end && (row & 7) !== 0 && has(row)) row++;
  if ((row & 7) === 0) while (row + 8 <= end && bits[row >> 3] === 0xff) row += 8;
  while (row < end && has(row)) row++;
  return row === end ? { begin, end } : undefined;
}

/** Often the row that is left out is the only one without a value: sums of the others are faster without bits. */
function withoutFullBits(block: RowBlock): RowBlock {
  const { count, columns } = block;
  const isFull = (column: Column) =>
    column.present !== undefined && countPresent(column.present, count) === count;
  return {
    ...block,
    columns: columns.map((column) => (column && isFull(column) ? { ...column, present: undefined } : column)),
  };
}

/** Rows in which one of the columns, each of which has gaps, has a value. */
function unionOf(columns: readonly Column[], count: number): Uint8Array {
  const [only, another] = columns;
  if (only !== undefined && another === undefined) return only.present!;
  const union = new Uint8Array((count + 7) >> 3);
  for (const { present } of columns) for (let i = 0; i < union.length; i++) union[i]! |= present![i]!;
  return union;
}
