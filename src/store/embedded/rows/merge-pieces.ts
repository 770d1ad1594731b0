import { mergeIdentities, mergeRowGroups } from './merge-row-groups.ts';
import { cutPieces } from './piece-cuts.ts';
import { mergeCut } from './piece-merge.ts';
import { bytesOfPlaces, maxGroupBytes, maxGroupRows, type RowGroup } from './row-group.ts';
import { rowIdentities } from './row-identities.ts';
import { parametersOf, rowTable } from './row-table.ts';

/** Rows of one stream and window, at least one, that are merged when they are asked for. */
export interface MergePiece {
  /** Offsets of the first and the last row. */
  readonly first: number;
  readonly last: number;
  merge(): RowGroup;
}

export interface MergeLimits {
  /** Bytes that the values of one merged group take at the most, unless those of its sources take more. */
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

/** Where a merged group has more than so many places for each of its sources', cutting the rows is quicker. */
const sparseFactor = 4;

/** The most that the places of a merged group may take if those of its sources take `held` bytes. */
export function mostMerged(held: number, { mergedBytes, pieceBytes } = usualLimits): number {
  return Math.max(held, pieceBytes, Math.min(mergedBytes, sparseFactor * held));
}

/** Whether a merged group may have more places than that, as far as the sources tell without looking at rows. */
export function isSparse(groups: readonly RowGroup[], limits = usualLimits): boolean {
  if (groups.length === 1) return false;
  const rows = groups.reduce((sum, { count }) => sum + count, 0);
  const columns = groups.reduce((sum, group) => sum + group.columns.length, 0);
  if (8 * rows * columns <= limits.pieceBytes) return false;
  return 8 * rows * parametersOf(groups).length > mostMerged(bytesOfPlaces(groups), limits);
}

/**
 * What `mergeRowGroups` gives, in pieces that follow one another in time. A merged group has a place for each row and
 * each parameter: where parameters have times of their own, that is many times what the rows hold. So the rows are
 * cut before they are merged; those of one identity are never in two pieces. Rows without a value may be left out.
 */
export function mergePieces(groups: readonly RowGroup[], limits = usualLimits): MergePiece[] {
  if (!isSparse(groups, limits)) return onePiece(mergeRowGroups(groups));
  const parameters = parametersOf(groups);
  const identities = rowIdentities(groups);
  if (8 * identities.count * parameters.length <= mostMerged(bytesOfPlaces(groups), limits)) {
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
