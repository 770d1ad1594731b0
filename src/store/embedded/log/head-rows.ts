import { takeRows } from '../rows/gather-rows.ts';
import type { PlacedGroup, RowGroup } from '../rows/row-group.ts';
import { windowOf, windowSpan, windowStart } from '../rows/windows.ts';
import type { RowsView } from './rows-section.ts';

/**
 * The rows of a section as groups, window by window. Rows stand as they came: in any order, identities possibly
 * repeated; the arrays are views into the slab where nothing had to move.
 */
export function groupsOfView(view: RowsView): PlacedGroup[] {
  const first = windowOf(view.base);
  const last = windowOf(view.base + BigInt(view.span));
  if (first === last) return [{ window: first, group: shifted(view, first) }];
  const groups: PlacedGroup[] = [];
  for (let window = first; window <= last; window++) {
    const group = shifted(view, window);
    const inside: number[] = [];
    group.offsets.forEach((offset, row) => {
      if (offset >= 0 && offset < windowSpan) inside.push(row);
    });
    if (inside.length > 0) groups.push({ window, group: takeRows(group, Uint32Array.from(inside)) });
  }
  return groups;
}

/** The rows with offsets from a window's start; in the section they count from its base. */
function shifted(view: RowsView, window: number): RowGroup {
  const { stream, count, tagSets, tagIndex, columns } = view;
  const shift = Number(windowStart(window) - view.base);
  const offsets = view.offsets.map((offset) => offset - shift);
  const ordered = [...columns].sort((a, b) => a.parameter - b.parameter);
  return { stream, count, offsets, tagSets, tagIndex, columns: ordered };
}
