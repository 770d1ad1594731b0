import { copyRows } from '../rows/gather-rows.ts';
import { mergePieces } from '../rows/merge-pieces.ts';
import type { RowGroup } from '../rows/row-group.ts';
import { rangeInWindow } from '../rows/windows.ts';
import type { IndexedPart } from './indexed-parts.ts';
import type { RowSource } from './overlap-merge.ts';
import type { Walk } from './walk.ts';
import { groupRows, groupsOfParts, type PartGroup } from './walk-parts.ts';

/** Where a walk finds rows in one window. Rows of the head are merged among each other already. */
export type Source = PartGroup | HeadRows | HeadPiece;

/** Rows of the head. Some may have no value. */
export interface HeadRows {
  readonly kind: 'rows';
  readonly rank: number;
  readonly window: number;
  /** Offsets of the first row and the last. */
  readonly first: number;
  readonly last: number;
  readonly rows: RowGroup;
  /** Whether the arrays are views into a slab, which is used again after the read. */
  readonly isView: boolean;
}

/** Rows of the head that take so much memory when they are merged that it has to wait until they are wanted. */
export interface HeadPiece {
  readonly kind: 'piece';
  readonly rank: number;
  readonly window: number;
  readonly first: number;
  readonly last: number;
  readonly merge: () => RowGroup;
}

/** Rows of the head come after those of all parts. */
const headRank = Number.MAX_SAFE_INTEGER;

/** The sources of a walk in one window. `head` is what `headRows` gives for it; `wanted` are numbers of parameters. */
export function sourcesIn(
  walk: Walk,
  window: number,
  parts: readonly IndexedPart[] | undefined,
  head: readonly RowGroup[] | undefined,
  wanted: ReadonlySet<number>,
): Source[] {
  const inside = rangeInWindow(window, walk.from, walk.to);
  if (inside === undefined) return [];
  const sources: Source[] = parts === undefined ? [] : groupsOfParts(walk, parts, window, inside, wanted);
  if (head !== undefined) sources.push(...headSources(window, head));
  return sources;
}

/** What `headRows` gives for a window as sources. */
export function headSources(window: number, groups: readonly RowGroup[]): (HeadRows | HeadPiece)[] {
  const rank = headRank;
  const pieces = mergePieces(groups);
  if (pieces.length === 1) {
    const { first, last, merge } = pieces[0]!;
    const isView = groups.length === 1;
    return [{ kind: 'rows', rank, window, first, last, rows: merge(), isView }];
  }
  return pieces.map(({ first, last, merge }) => ({ kind: 'piece', rank, window, first, last, merge }));
}

/**
 * A source as `mergeSources` takes it, whose rows outlive the read.
 *
 * @param wanted numbers of parameters, ascending
 */
export function rowSource(source: Source, wanted: readonly number[]): RowSource {
  const { rank, first, last } = source;
  return { rank, first, last, load: () => rowsOf(source, wanted) };
}

async function rowsOf(source: Source, wanted: readonly number[]): Promise<RowGroup> {
  if (source.kind === 'group') return groupRows(source, wanted);
  if (source.kind === 'piece') return source.merge();
  const { rows, isView } = source;
  return isView ? copyRows(rows, 0, rows.count) : rows;
}
