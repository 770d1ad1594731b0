import { takeRows } from '../rows/gather-rows.ts';
import type { RowGroup } from '../rows/row-group.ts';
import { windowOf, windowSpan, windowStart } from '../rows/windows.ts';
import type { RowsSection } from './rows-section.ts';

/**
 * The rows of a section as groups, window by window, with offsets from the window's start. Rows stand as they
 * came: in any order, identities possibly repeated; the arrays are views into the slab where nothing had to move.
 */
export function* groupsOfView(view: RowsSection): Generator<{ window: number; group: RowGroup }> {
  const first = windowOf(view.base);
  const last = windowOf(view.base + BigInt(view.span));
  for (let window = first; window <= last; window++) {
    // How far the window's start lies behind the base; the rows' offsets are counted from the base.
    const shift = Number(windowStart(window) - view.base);
    const group = { ...rowsOf(view), offsets: view.offsets.map((offset) => offset - shift) };
    if (first === last) {
      yield { window, group };
      return;
    }
    const inside: number[] = [];
    group.offsets.forEach((offset, row) => {
      if (offset >= 0 && offset < windowSpan) inside.push(row);
    });
    if (inside.length > 0) yield { window, group: takeRows(group, Uint32Array.from(inside)) };
  }
}

function rowsOf({ stream, count, offsets, tagSets, tagIndex, columns }: RowsSection): RowGroup {
  const ordered = [...columns].sort((a, b) => a.parameter - b.parameter);
  return { stream, count, offsets, tagSets, tagIndex, columns: ordered };
}
