import { type Column, isPresent, Kind } from '../../domain/parameter-data.ts';
import type { NumberColumn } from '../../expression/column.ts';
import type { Calculated } from '../../query/calculated.ts';
import type { ReadPlan } from '../../query/plan.ts';
import type { RowBlock } from '../row-block.ts';
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
  const hasGaps = there.every(({ present }) => present !== undefined);
  if (!hasGaps && isWanted === undefined) return made;
  const rows = new Uint32Array(block.count);
  let count = 0;
  for (let row = 0; row < block.count; row++) {
    if (hasGaps && !there.some(({ present }) => isPresent(present, row))) continue;
    if (isWanted?.(row) === false) continue;
    rows[count++] = row;
  }
  if (count === 0) return undefined;
  return count === block.count ? made : pickRows(made, rows.subarray(0, count));
}
