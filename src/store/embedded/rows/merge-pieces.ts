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
  const held = filled.reduce((sum, group) => sum + placeBytes(group), 0);
  const places = bytesOfRow(filled) * rowsIn(filled);
  if (places <= Math.max(held, maxBytes)) return [[mergeRowGroups(filled)]];
  return cutInTime(
    filled.map((group) => mergeRowGroups([group])),
    fitsAsMerged(maxBytes),
    descending,
  );
}

/** The most rows of which it is found out how many are of one identity, before that is known of any. */
const firstLook = 65_536;

/**
 * Tells whether groups have at most so many bytes of places when they are merged. Groups may have times in common, so
 * that they have fewer rows then: how many was true of the groups before, which is what these are tried by.
 */
function fitsAsMerged(maxBytes: number): (groups: readonly RowGroup[]) => boolean {
  /** Rows to an identity. */
  let sharing: number | undefined;
  return (groups) => {
    const rows = rowsIn(groups);
    const ofRow = bytesOfRow(groups);
    if (ofRow * rows <= maxBytes) return true;
    const mayFit = sharing === undefined ? rows <= firstLook : ofRow * rows <= maxBytes * sharing;
    if (!mayFit) return false;
    const { count } = rowIdentities(groups);
    sharing = rows / count;
    return ofRow * count <= maxBytes;
  };
}

/** Places of a merged row; of rows without columns, those of their times. */
function bytesOfRow(groups: readonly RowGroup[]): number {
  return 8 * Math.max(1, parametersOf(groups).length);
}

function rowsIn(groups: readonly RowGroup[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0);
}
