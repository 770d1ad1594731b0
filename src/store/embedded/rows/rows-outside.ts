import { countPresent } from '../../../domain/presence.ts';
import { gatherColumn, pickTags } from './gather-rows.ts';
import { firstRowFrom, type RowGroup } from './row-group.ts';
import type { OffsetRange } from './windows.ts';

/** The rows of a sorted group outside of some ranges of offsets, which ascend and are apart; columns without a value go. */
export function rowsOutside(group: RowGroup, ranges: readonly OffsetRange[]): RowGroup {
  const { count, offsets } = group;
  /** Where the rows that stay begin and end, by turns. */
  const borders: number[] = [];
  let row = 0;
  let kept = 0;
  for (const { first, last } of ranges) {
    const end = firstRowFrom(offsets, first);
    if (end > row) borders.push(row, end);
    kept += Math.max(0, end - row);
    row = Math.max(row, firstRowFrom(offsets, last + 1));
  }
  if (row < count) borders.push(row, count);
  kept += count - row;
  if (kept === count) return group;
  let rows: Uint32Array | undefined;
  const picked = () => {
    rows ??= rowsBetween(borders, kept);
    return rows;
  };
  const tags = group.tagIndex === undefined ? group : pickTags(group, picked());
  const columns = group.columns.flatMap((column) => {
    const left =
      'values' in column && column.present === undefined
        ? { ...column, values: numbersBetween(column.values, borders, kept) }
        : gatherColumn([column], new Uint32Array(kept), picked())!;
    return countPresent(left.present, kept) === 0 ? [] : [left];
  });
  return { ...group, ...tags, count: kept, offsets: numbersBetween(offsets, borders, kept), columns };
}

function numbersBetween(values: Float64Array, borders: readonly number[], count: number): Float64Array {
  const found = new Float64Array(count);
  for (let i = 0, at = 0; i < borders.length; i += 2) {
    const end = borders[i + 1]!;
    for (let row = borders[i]!; row < end; row++) found[at++] = values[row]!;
  }
  return found;
}

function rowsBetween(borders: readonly number[], count: number): Uint32Array {
  const rows = new Uint32Array(count);
  for (let i = 0, at = 0; i < borders.length; i += 2)
    for (let row = borders[i]!; row < borders[i + 1]!; row++) rows[at++] = row;
  return rows;
}
