import { cutInTime } from './cut-in-time.ts';
import { mergeRowGroups } from './merge-row-groups.ts';
import { maxGroupBytes, parametersOf, placeBytes, type RowGroup } from './row-group.ts';
import { rowIdentities } from './row-identities.ts';

/** Rows of one stream and window, at least one, that are merged when they are asked for. */
export interface MergePiece {
  /** Offsets of the first and the last row. */
  readonly first: number;
  readonly last: number;
  merge(): RowGroup;
}

/**
 * What `mergeRowGroups` gives, in pieces that follow one another in time. A merged group has a place for each row and
 * each parameter: where parameters have times of their own, that is many times what the rows hold. So the rows are
 * cut before they are merged; those of one time are never in two pieces.
 *
 * @param maxBytes what the places of a piece take at the most, unless those of its sources take more
 */
export function mergePieces(groups: readonly RowGroup[], maxBytes = maxGroupBytes): MergePiece[] {
  return [...cutPieces(groups, maxBytes, false)].map((piece) => ({
    first: piece.reduce((least, { offsets }) => Math.min(least, offsets[0]!), Number.POSITIVE_INFINITY),
    last: piece.reduce((most, { count, offsets }) => Math.max(most, offsets[count - 1]!), 0),
    merge: () => mergeRowGroups(piece),
  }));
}

/** The same, merged one after another; descending, the last one comes first. */
export function* mergeInPieces(groups: readonly RowGroup[], descending: boolean): Generator<RowGroup> {
  for (const piece of cutPieces(groups, maxGroupBytes, descending)) yield mergeRowGroups(piece);
}

function cutPieces(
  groups: readonly RowGroup[],
  maxBytes: number,
  descending: boolean,
): Iterable<readonly RowGroup[]> {
  const filled = groups.filter(({ count }) => count > 0);
  if (filled.length === 0) return [];
  const parameters = parametersOf(filled).length;
  const held = filled.reduce((sum, group) => sum + placeBytes(group), 0);
  const fits = (rows: number) => 8 * rows * parameters <= Math.max(held, maxBytes);
  if (fits(rowsIn(filled)) || fits(rowIdentities(filled).count)) return [[mergeRowGroups(filled)]];
  return cutInTime(
    filled.map((group) => mergeRowGroups([group])),
    (some) => 8 * rowsIn(some) * parametersOf(some).length <= maxBytes,
    descending,
  );
}

function rowsIn(groups: readonly RowGroup[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0);
}
