import type { Snapshot } from './snapshot.ts';
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

/**
 * The rows of one stream in pieces, in order of time; those of one time are in one piece. Nothing is read: `parts` are
 * those of the range.
 */
export function piecesOf(
  snapshot: Snapshot,
  parts: ByWindow<IndexedPart>,
  stream: number,
  { from, to, parameters, withEvents }: PieceRange,
): Piece[] {
  const pieces: Piece[] = [];
  const walk = walkOf(snapshot, stream, from, to, withEvents);
  if (walk === undefined) return pieces;
  const head = headRows(walk, parameters);
  const windows = head.size === 0 ? [...parts.keys()] : [...new Set([...head.keys(), ...parts.keys()])];
  if (windows.length > 1) windows.sort((a, b) => a - b);
  for (const window of windows)
    joinOverlapping(pieces, window, sourcesIn(walk, window, parts.get(window), head.get(window)));
  return pieces;
}

/** Makes a piece of each source, and one of all that overlap. */
function joinOverlapping(pieces: Piece[], window: number, sources: Source[]): void {
  if (sources.length > 1) sources.sort((a, b) => a.first - b.first);
  for (let i = 0; i < sources.length; ) {
    const source = sources[i]!;
    let { last } = source;
    let end = i + 1;
    for (; end < sources.length && sources[end]!.first <= last; end++) {
      last = Math.max(last, sources[end]!.last);
    }
    pieces.push(
      end === i + 1 && isPiece(source) ? source : { kind: 'overlap', window, sources: sources.slice(i, end) },
    );
    i = end;
  }
}

function isPiece(source: Source): source is PartGroup | HeadRows {
  return source.kind === 'rows' || (source.kind === 'group' && source.hidden.length === 0);
}
