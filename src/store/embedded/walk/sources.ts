import { copyRows } from '../rows/gather-rows.ts';
import { mergePieces } from '../rows/merge-pieces.ts';
import type { RowGroup } from '../rows/row-group.ts';
import { type OffsetRange, rangeInWindow } from '../rows/windows.ts';
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
export function loadable(source: Source, wanted: readonly number[]): RowSource {
  const { rank, first, last } = source;
  return { rank, first, last, load: () => rowsOf(source, wanted) };
}

async function rowsOf(source: Source, wanted: readonly number[]): Promise<RowGroup> {
  if (source.kind === 'group') return groupRows(source, wanted);
  if (source.kind === 'piece') return source.merge();
  const { rows, isView } = source;
  return isView ? copyRows(rows, 0, rows.count) : rows;
}

/** So many rows of a group, about, or this share of them, are worth a piece of their own: the group is opened once for each. */
const fewRows = 512;
const smallShare = 1 / 8;

/** Sources in a range of offsets: a row group alone, or some that have to be merged there. */
export type Stretch =
  | { readonly kind: 'alone'; readonly group: PartGroup }
  | { readonly kind: 'together'; readonly sources: readonly Source[] };

/**
 * Cuts row groups where other sources overlap them for a part of their time only: late rows fall into an hour of a
 * group, and the rest of it is as good as untouched. Stretches come in order of time, none has a time of another.
 *
 * @param sources of one window, each overlapping another directly or by way of others, ordered by their first offsets
 */
export function cutOverlap(sources: readonly Source[]): Stretch[] {
  const alone = stretchesAlone(sources);
  if (alone.length === 0) return [{ kind: 'together', sources }];
  const stretches: Stretch[] = [];
  let from = sources[0]!.first;
  const mergeUpTo = (last: number): void => {
    if (from > last) return;
    const range = { first: from, last };
    stretches.push({ kind: 'together', sources: sources.flatMap((source) => cut(source, range) ?? []) });
  };
  for (const group of alone) {
    mergeUpTo(group.first - 1);
    stretches.push({ kind: 'alone', group });
    from = group.last + 1;
  }
  mergeUpTo(sources.reduce((most, { last }) => Math.max(most, last), 0));
  return stretches;
}

/** What of groups no other source reaches into, where that is much; in order of time. */
function stretchesAlone(sources: readonly Source[]): PartGroup[] {
  const borders = [
    ...sources.map(({ first }, place) => ({ offset: first, place, opens: true })),
    ...sources.map(({ last }, place) => ({ offset: last + 1, place, opens: false })),
  ].sort((a, b) => a.offset - b.offset);
  const found: PartGroup[] = [];
  const open = new Set<number>();
  let from = 0;
  for (const { offset, place, opens } of borders) {
    const [only] = open;
    const source = open.size === 1 ? sources[only!] : undefined;
    if (source?.kind === 'group') {
      const group = cut(source, { first: from, last: offset - 1 });
      if (group?.kind === 'group' && isMuch(group, source)) found.push(group);
    }
    if (opens) open.add(place);
    else open.delete(place);
    from = offset;
  }
  return found;
}

function isMuch({ first, last }: PartGroup, { handle }: PartGroup): boolean {
  const share = (last - first + 1) / (handle.maxOffset - handle.minOffset + 1);
  return share >= smallShare && share * handle.rows >= fewRows;
}

/** A source inside a range; undefined where it has nothing there. Only groups are cut: all else lies in one range. */
function cut(source: Source, range: OffsetRange): Source | undefined {
  const first = Math.max(source.first, range.first);
  const last = Math.min(source.last, range.last);
  if (first > last) return undefined;
  return source.kind === 'group' ? { ...source, inside: { first, last }, first, last } : source;
}
