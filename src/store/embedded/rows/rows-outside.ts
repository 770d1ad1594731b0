import { takeRows } from './gather-rows.ts';
import { firstRowFrom, type RowGroup } from './row-group.ts';
import type { OffsetRange } from './windows.ts';

/** The rows of a sorted group outside of some ranges of offsets, which ascend and are apart. */
export function rowsOutside(group: RowGroup, ranges: readonly OffsetRange[]): RowGroup {
  const { count, offsets } = group;
  const keep = new Uint32Array(count);
  let kept = 0;
  let row = 0;
  for (const { first, last } of [...ranges, { first: Number.POSITIVE_INFINITY, last: 0 }]) {
    const end = firstRowFrom(offsets, first);
    while (row < end) keep[kept++] = row++;
    row = Math.max(row, firstRowFrom(offsets, last + 1));
  }
  return kept === count ? group : takeRows(group, keep.slice(0, kept));
}
