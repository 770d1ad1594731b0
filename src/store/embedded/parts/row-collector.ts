import { sliceRows } from '../../../domain/slice-rows.ts';
import { mergeOverlapping, mergeRowGroups, rowsInOrder } from '../rows/merge-row-groups.ts';
import {
  haveSameParameters,
  maxGroupBytes,
  maxGroupRows,
  type RowGroup,
  valueBytes,
} from '../rows/row-group.ts';
import type { PartWriter } from './part-writer.ts';

/** Gathers the rows of one family of columns, in order of time, until they fill row groups. */
export interface RowCollector {
  /** Ordered groups of rows that all come after those that were added before, in order of rank. */
  add(groups: readonly RowGroup[]): void;
  /** Writes what is left. */
  end(): void;
  /** Whether ending now leaves no small row group. */
  canEnd(): boolean;
}

/** From one of these sizes on a row group is large: rows, and bytes of its values in memory. */
export const largeRows = maxGroupRows / 2;
export const largeBytes = maxGroupBytes / 2;

export function collectRows(writer: Pick<PartWriter, 'add'>): RowCollector {
  /** Groups that follow one another. */
  let groups: RowGroup[] = [];
  let rows = 0;
  let bytes = 0;
  let parameters = new Set<number>();

  function keep(group: RowGroup): void {
    const last = groups.at(-1);
    if (last === undefined || !haveSameParameters(last.columns, group.columns)) {
      const columns = Math.max(parameters.size, group.columns.length);
      if (8 * (rows + group.count) * columns > maxGroupBytes) end();
      for (const { parameter } of group.columns) parameters.add(parameter);
    }
    groups.push(group);
    rows += group.count;
    bytes += valueBytes(group, 0, group.count);
  }

  function take(): RowGroup {
    const taken = mergeRowGroups(groups);
    groups = [];
    rows = 0;
    bytes = 0;
    parameters = new Set();
    return taken;
  }

  /** Writes the row groups that are full. */
  function writeFull(): void {
    const isFull = bytes >= maxGroupBytes || 8 * rows * parameters.size >= maxGroupBytes;
    if (!isFull && rows < maxGroupRows) return;
    const taken = take();
    const full = isFull ? taken.count : taken.count - (taken.count % maxGroupRows);
    writer.add(sliceRows(taken, 0, full));
    if (full < taken.count) keep(sliceRows(taken, full, taken.count));
  }

  function end(): void {
    if (rows > 0) writer.add(take());
  }

  return {
    add(added) {
      for (const group of rowsInOrder(added) ?? [mergeOverlapping(added)]) {
        keep(group);
        writeFull();
      }
    },
    end,
    canEnd: () => rows === 0 || rows >= largeRows || bytes >= largeBytes,
  };
}
