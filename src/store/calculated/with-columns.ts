import { type Column, Kind } from '../../domain/parameter-data.ts';
import type { NumberColumn } from '../../expression/column.ts';
import type { Calculated } from '../../query/calculated.ts';
import type { ReadPlan } from '../../query/plan.ts';
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
  const rows = new Uint32Array(block.count);
  let count = 0;
  for (let row = 0; row < block.count; row++) {
    if (union !== undefined && ((union[row >> 3]! >> (row & 7)) & 1) === 0) continue;
    if (isWanted !== undefined && !isWanted(row)) continue;
    rows[count++] = row;
  }
  if (count === 0) return undefined;
  // Often only the first row of a stream has no value.
  const [first, last] = [rows[0]!, rows[count - 1]!];
  return last - first + 1 === count
    ? sliceBlock(made, first, last + 1)
    : pickRows(made, rows.subarray(0, count));
}

/** Rows in which one of the columns, each of which has gaps, has a value. */
function unionOf(columns: readonly Column[], count: number): Uint8Array {
  const union = new Uint8Array((count + 7) >> 3);
  for (const { present } of columns) for (let i = 0; i < union.length; i++) union[i]! |= present![i]!;
  return union;
}
