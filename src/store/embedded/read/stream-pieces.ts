import { splitIntoClasses } from '../rows/column-families.ts';
import type { RowGroup } from '../rows/row-group.ts';
import type { Snapshot } from './snapshot.ts';
import { sourceChains } from './source-chains.ts';
import { type HeadRows, type Source, sourcesIn } from './sources.ts';
import { walkOf } from './walk.ts';
import { headRows } from './walk-head.ts';
import type { ByWindow, IndexedPart, PartGroup } from './walk-parts.ts';

/** Rows of one stream in one window, in one of the forms in which a snapshot has them. */
export type Piece =
  /** A row group that nothing overlaps and no delete reaches. */
  | PartGroup
  /** Rows of the head that nothing overlaps. */
  | HeadRows
  | Overlap;

/** Sources that overlap, that deletes reach, or that are too large to be merged at once. */
export interface Overlap {
  readonly kind: 'overlap';
  readonly window: number;
  readonly sources: readonly Source[];
}

/** The parameters (by number) and times (ns, both inclusive) of a read of many streams. */
export interface PieceRange {
  readonly from: bigint;
  readonly to: bigint;
  readonly parameters: ReadonlySet<number>;
  /** Whether some of these are events. */
  readonly withEvents: boolean;
}

/** Pieces in order of time, and the wanted parameters that they alone have; rows of one time are in one piece. */
export interface PieceChain {
  readonly parameters: ReadonlySet<number>;
  readonly pieces: readonly Piece[];
}

/**
 * The rows of one stream in pieces; parameters that no source has together are apart, so that none waits for another.
 * Nothing is read: `parts` are those of the range.
 */
export function piecesOf(
  snapshot: Snapshot,
  parts: ByWindow<IndexedPart>,
  stream: number,
  { from, to, parameters, withEvents }: PieceRange,
): PieceChain[] {
  const walk = walkOf(snapshot, stream, from, to, withEvents);
  if (walk === undefined) return [];
  const head = headRows(walk, parameters);
  const windows = head.size === 0 ? [...parts.keys()] : [...new Set([...head.keys(), ...parts.keys()])];
  if (windows.length > 1) windows.sort((a, b) => a - b);
  const chains = sourceChains(parameters);
  for (const window of windows) {
    for (const source of sourcesIn(walk, window, parts.get(window), undefined, parameters))
      chains.add(source, source.kind === 'group' ? source.handle.parameters : undefined);
    for (const { columns, groups } of apart(head.get(window) ?? [])) {
      for (const source of sourcesIn(walk, window, undefined, groups, parameters))
        chains.add(source, columns);
    }
  }
  return chains.all().map((chain) => ({
    parameters: new Set(chain.parameters),
    pieces: joinOverlapping(chain.sources),
  }));
}

/** Rows of the head by columns that some of them have together. */
function apart(
  groups: readonly RowGroup[],
): { readonly columns: readonly number[]; readonly groups: readonly RowGroup[] }[] {
  if (groups.length === 0) return [];
  const classes = splitIntoClasses(groups.map(({ columns }) => columns.map(({ parameter }) => parameter)));
  if (classes.length === 1) return [{ columns: classes[0]!, groups }];
  const classOf = new Map(classes.flatMap((columns, i) => columns.map((parameter) => [parameter, i])));
  const ofClass: RowGroup[][] = classes.map(() => []);
  for (const group of groups) {
    for (const place of new Set(group.columns.map(({ parameter }) => classOf.get(parameter)!))) {
      const columns = group.columns.filter(({ parameter }) => classOf.get(parameter) === place);
      ofClass[place]!.push({ ...group, columns });
    }
  }
  return classes.map((columns, i) => ({ columns, groups: ofClass[i]! }));
}

/** Makes a piece of each source, and one of all that overlap. */
function joinOverlapping(sources: Source[]): Piece[] {
  const pieces: Piece[] = [];
  if (sources.length > 1) sources.sort((a, b) => a.window - b.window || a.first - b.first);
  for (let i = 0; i < sources.length; ) {
    const source = sources[i]!;
    const { window } = source;
    let { last } = source;
    let end = i + 1;
    for (; end < sources.length; end++) {
      const next = sources[end]!;
      if (next.window !== window || next.first > last) break;
      last = Math.max(last, next.last);
    }
    pieces.push(
      end === i + 1 && isPiece(source) ? source : { kind: 'overlap', window, sources: sources.slice(i, end) },
    );
    i = end;
  }
  return pieces;
}

function isPiece(source: Source): source is PartGroup | HeadRows {
  return source.kind === 'rows' || (source.kind === 'group' && source.hidden.length === 0);
}
