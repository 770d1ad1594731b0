import { splitIntoClasses } from '../rows/column-families.ts';
import type { RowGroup } from '../rows/row-group.ts';
import { rangeInWindow } from '../rows/windows.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { ByWindow, IndexedPart } from '../walk/indexed-parts.ts';
import { cutOverlap, type HeadRows, headSources, type Source } from '../walk/sources.ts';
import { walkOf } from '../walk/walk.ts';
import { headRows } from '../walk/walk-head.ts';
import type { GroupPiece } from '../walk/walk-parts.ts';
import { type PartRange, rangesOfParts, rowsHidden, splitRange } from '../walk/walk-ranges.ts';

/** Rows of one stream in one window, in one of the forms in which a snapshot has them. */
export type Piece =
  /** Row groups that nothing overlaps and no delete reaches. */
  | PartRange
  | GroupPiece
  /** Rows of the head that nothing overlaps. */
  | HeadRows
  | Overlap;

/** Sources to be merged: they overlap, a delete takes some values of a row and leaves others, or they are too large to merge at once. */
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
    const inside = rangeInWindow(window, walk.from, walk.to);
    if (inside === undefined) continue;
    for (const source of rangesOfParts(walk, parts.get(window) ?? [], window, inside, parameters))
      chains.add(source, source.kind === 'group' ? source.handle.parameters : source.parameters);
    for (const { columns, groups } of apart(head.get(window) ?? [])) {
      for (const source of headSources(window, groups)) chains.add(source, columns);
    }
  }
  return chains.all().map((chain) => {
    const wanted = { parameters: new Set(chain.parameters), withEvents };
    return { parameters: wanted.parameters, pieces: joinOverlapping(chain.sources, wanted) };
  });
}

/** Parameters by number, and whether some may be events. */
type Wanted = Pick<PieceRange, 'parameters' | 'withEvents'>;

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
function joinOverlapping(sources: (Source | PartRange)[], wanted: Wanted): Piece[] {
  const pieces: Piece[] = [];
  if (sources.length > 1) sources.sort((a, b) => a.window - b.window || a.first - b.first);
  for (let i = 0; i < sources.length; ) {
    const { window } = sources[i]!;
    let { last } = sources[i]!;
    let end = i + 1;
    for (; end < sources.length; end++) {
      const next = sources[end]!;
      if (next.window !== window || next.first > last) break;
      last = Math.max(last, next.last);
    }
    const piece = end === i + 1 ? pieceOf(sources[i]!, wanted) : undefined;
    if (piece === undefined) addTogether(pieces, sources.slice(i, end), wanted);
    else pieces.push(piece);
    i = end;
  }
  return pieces;
}

/** Adds pieces of sources of one window that overlap, or of one that has to be merged all the same. */
function addTogether(pieces: Piece[], sources: readonly (Source | PartRange)[], wanted: Wanted): void {
  const apart = sources.filter((source) => source.kind !== 'range');
  if (apart.length === sources.length) {
    const { window } = apart[0]!;
    for (const stretch of cutOverlap(apart)) {
      const alone = stretch.kind === 'alone' ? pieceOf(stretch.group, wanted) : undefined;
      const merged = stretch.kind === 'alone' ? [stretch.group] : stretch.sources;
      pieces.push(alone ?? { kind: 'overlap', window, sources: merged });
    }
  } else {
    const split: (Source | PartRange)[] = [...apart];
    for (const source of sources) if (source.kind === 'range') split.push(...splitRange(source));
    for (const part of joinOverlapping(split, wanted)) pieces.push(part);
  }
}

/** A source that nothing overlaps; undefined where it has to be merged all the same. */
function pieceOf(source: Source | PartRange, wanted: Wanted): Piece | undefined {
  if (source.kind === 'range' || source.kind === 'rows') return source;
  if (source.kind === 'piece') return undefined;
  const hidden = rowsHidden(source, wanted.parameters, wanted.withEvents);
  return hidden && { kind: 'group', group: source, hidden };
}

/** Sources, and the wanted parameters that they alone may have. */
export interface SourceChain {
  readonly parameters: number[];
  readonly sources: (Source | PartRange)[];
}

/** Puts sources into chains: parameters that some source may have together are in one chain, with all their sources. */
export function sourceChains(wanted: ReadonlySet<number>) {
  return wanted.size === 1 ? sourceChain(wanted) : joinedChains(wanted);
}

/** The same of one parameter. */
function sourceChain([parameter]: Iterable<number>) {
  const chain: SourceChain = { parameters: [parameter!], sources: [] };
  return {
    add(source: Source | PartRange, parameters: Iterable<number>): void {
      for (const other of parameters) {
        if (other !== parameter) continue;
        chain.sources.push(source);
        return;
      }
    },
    all: (): SourceChain[] => [chain],
  };
}

function joinedChains(wanted: ReadonlySet<number>) {
  const chains = new Map<number, SourceChain>();
  for (const parameter of wanted) chains.set(parameter, { parameters: [parameter], sources: [] });

  /** Puts two chains together. */
  function join(chain: SourceChain, other: SourceChain): void {
    chain.sources.push(...other.sources);
    for (const parameter of other.parameters) {
      chain.parameters.push(parameter);
      chains.set(parameter, chain);
    }
  }

  return {
    /** @param parameters of which the source may have values */
    add(source: Source | PartRange, parameters: Iterable<number>): void {
      let chain: SourceChain | undefined;
      for (const parameter of parameters) {
        const other = chains.get(parameter);
        if (other === undefined || other === chain) continue;
        if (chain === undefined) chain = other;
        else join(chain, other);
      }
      chain?.sources.push(source);
    },
    all: (): SourceChain[] => [...new Set(chains.values())],
  };
}
