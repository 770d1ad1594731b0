import { sliceRows } from '../../../domain/slice-rows.ts';
import { isSparse, type MergePiece, mergePieces, mostMerged } from '../rows/merge-pieces.ts';
import { mergeRowGroups } from '../rows/merge-row-groups.ts';
import { bytesOfPlaces, maxGroupBytes, maxGroupRows, type RowGroup, valueBytes } from '../rows/row-group.ts';
import { haveSameParameters } from '../rows/row-table.ts';
import type { PartWriter } from './part-writer.ts';

/** Gathers the rows of one stream, in order of time, until they fill row groups. */
export interface RowCollector {
  /** Groups of rows that all come after those that were added before, in order of rank. */
  add(groups: readonly RowGroup[]): void;
  /** Writes what is left. */
  end(): void;
  /** Whether ending now leaves no small row group. */
  canEnd(): boolean;
}

/** From one of these sizes on a row group is large: rows, and bytes of its values in memory. */
export const largeRows = maxGroupRows / 2;
export const largeBytes = maxGroupBytes / 2;

export function collectRows(writer: PartWriter): RowCollector {
  /** Merged groups; the groups of the sources where these have too little in common to be merged alone. */
  let groups: RowGroup[] = [];
  let rows = 0;
  let bytes = 0;
  let placeBytes = 0;
  let parameters = new Set<number>();

  function keep(group: RowGroup): void {
    const last = groups.at(-1);
    if (last === undefined || !haveSameParameters(last.columns, group.columns)) {
      for (const { parameter } of group.columns) parameters.add(parameter);
    }
    groups.push(group);
    rows += group.count;
    bytes += valueBytes(group, 0, group.count);
    placeBytes += bytesOfPlaces([group]);
  }

  function take(): MergePiece[] {
    const taken = groups;
    groups = [];
    rows = 0;
    bytes = 0;
    placeBytes = 0;
    parameters = new Set();
    return mergePieces(taken);
  }

  /** Writes the row groups that are full. */
  function writeFull(): void {
    const hasBytes = bytes >= maxGroupBytes;
    const hasGaps = 8 * rows * parameters.size > mostMerged(placeBytes);
    if (!hasBytes && !hasGaps && rows < maxGroupRows) return;
    const pieces = take();
    const last = pieces.pop()?.merge();
    for (const piece of pieces) writer.add(piece.merge());
    if (last === undefined) return;
    const isFull = pieces.length === 0 && hasBytes;
    const full = isFull ? last.count : last.count - (last.count % maxGroupRows);
    if (full > 0) writer.add(sliceRows(last, 0, full));
    if (full < last.count) keep(sliceRows(last, full, last.count));
  }

  return {
    add(added) {
      if (isSparse(added)) for (const group of added) keep(group);
      else keep(mergeRowGroups(added));
      writeFull();
    },
    end() {
      if (rows > 0) for (const piece of take()) writer.add(piece.merge());
    },
    canEnd: () => rows === 0 || rows >= largeRows || bytes >= largeBytes,
  };
}
