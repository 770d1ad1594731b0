import { mergeIdentities, mergeRowGroups } from './merge-row-groups.ts';
import { maxGroupBytes, maxGroupRows } from './part-format.ts';
import { cutPieces } from './piece-cuts.ts';
import { mergeCut } from './piece-merge.ts';
import { rowIdentities } from './row-identities.ts';
import { parametersOf, rowTable } from './row-table.ts';
import type { RowGroup } from './sorted-rows.ts';

/** Rows of one stream and window, at least one, that are merged when they are asked for. */
export interface MergePiece {
  /** Offsets of the first and the last row. */
  readonly first: number;
  readonly last: number;
  merge(): RowGroup;
}

export interface MergeLimits {
  /** Bytes that the values of one merged group may take; never less than what those of its sources take. */
  readonly mergedBytes: number;
  /** What pieces hold where that is too little. */
  readonly pieceBytes: number;
  readonly pieceRows: number;
  /** Whether rows of one time, with several tag sets, stay in one piece whatever it takes. */
  readonly wholeMoments: boolean;
}

/** A piece becomes one row group of a part. */
export const usualLimits: MergeLimits = {
  mergedBytes: 64 * 1024 * 1024,
  pieceBytes: maxGroupBytes,
  pieceRows: maxGroupRows,
  wholeMoments: false,
};

/**
 * What `mergeRowGroups` gives, in pieces that follow one another in time. A merged group has a place for each row and
 * each parameter: where parameters have times of their own, that is many times what the rows hold. So the rows are
 * cut before they are merged; those of one identity are never in two pieces. Rows without a value may be left out.
 */
export function mergePieces(groups: readonly RowGroup[], limits = usualLimits): MergePiece[] {
  if (groups.length === 1) return onePiece(mergeRowGroups(groups));
  const parameters = parametersOf(groups);
  const bytesOf = (rows: number, columns: number) => 8 * rows * columns;
  const held = groups.reduce((sum, { count, columns }) => sum + bytesOf(count, columns.length), 0);
  const most = Math.max(limits.mergedBytes, held);
  const rows = groups.reduce((sum, { count }) => sum + count, 0);
  if (bytesOf(rows, parameters.length) <= most) return onePiece(mergeRowGroups(groups));
  const identities = rowIdentities(groups);
  if (bytesOf(identities.count, parameters.length) <= most) {
    return onePiece(mergeIdentities(groups, identities));
  }
  const table = rowTable(groups, identities, parameters);
  const { pieceBytes: bytes, pieceRows, wholeMoments } = limits;
  return cutPieces(table, { rows: pieceRows, bytes, wholeMoments }).map((cut) => ({
    first: cut.first,
    last: cut.last,
    merge: () => mergeCut(table, cut),
  }));
}

function onePiece(merged: RowGroup): MergePiece[] {
  const { count, offsets } = merged;
  if (count === 0) return [];
  return [{ first: offsets[0]!, last: offsets[count - 1]!, merge: () => merged }];
}
