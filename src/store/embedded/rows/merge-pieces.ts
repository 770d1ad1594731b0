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
 * @param mostBytes what the places of a piece take at the most, unless those of its sources take more
 */
export function mergePieces(groups: readonly RowGroup[], mostBytes = maxGroupBytes): MergePiece[] {
  const filled = groups.filter(({ count }) => count > 0);
  if (filled.length === 0) return [];
  const fits = (some: readonly RowGroup[]): boolean => {
    const rows = some.reduce((sum, { count }) => sum + count, 0);
    const columns = some.reduce((sum, group) => sum + group.columns.length, 0);
    const held = some.reduce((sum, group) => sum + placeBytes(group), 0);
    const most = Math.max(held, mostBytes);
    if (8 * rows * columns <= most) return true;
    const parameters = parametersOf(some).length;
    return 8 * rows * parameters <= most || 8 * rowIdentities(some).count * parameters <= most;
  };
  if (fits(filled)) return [pieceOf([mergeRowGroups(filled)])];
  return cutInTime(
    filled.map((group) => mergeRowGroups([group])),
    fits,
  ).map(pieceOf);
}

function pieceOf(groups: readonly RowGroup[]): MergePiece {
  return {
    first: groups.reduce((least, { offsets }) => Math.min(least, offsets[0]!), Number.POSITIVE_INFINITY),
    last: groups.reduce((most, { count, offsets }) => Math.max(most, offsets[count - 1]!), 0),
    merge: () => mergeRowGroups(groups),
  };
}
