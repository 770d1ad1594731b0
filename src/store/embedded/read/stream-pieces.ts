import { cleanLsnOf } from '../parts/part-record.ts';
import type { Part } from '../parts/part-set.ts';
import { splitIntoClasses } from '../rows/column-families.ts';
import { mergePieces } from '../rows/merge-pieces.ts';
import { firstRowFrom, parametersOf, type RowGroup, sliceRows } from '../rows/row-group.ts';
import { rangeInWindow } from '../rows/windows.ts';
import { tombstonesBetween, type WindowTombstone, windowTombstones } from '../tombstones/tombstone.ts';
import type { RowSource } from './overlap-merge.ts';
import {
  headGroups,
  type OffsetRange,
  type PartGroup,
  readable,
  type Snapshot,
  type StreamRange,
  sourceOfGroup,
  sourcesOfPieces,
} from './snapshot.ts';

/** A row group of a part that nothing overlaps and no tombstone touches; its rows outside of `inside` are not wanted. */
export interface StoredPiece {
  readonly kind: 'stored';
  readonly window: number;
  readonly group: PartGroup;
  readonly inside: OffsetRange;
}

/** Rows of one stream in one window, in one of the forms in which a snapshot has them. */
export type Piece =
  | StoredPiece
  /** Rows of the head that nothing overlaps; the arrays may be views into slabs. Some may have no value. */
  | { readonly kind: 'rows'; readonly window: number; readonly rows: RowGroup }
  /** Sources that overlap, of whose rows a tombstone hides some, or that are too large to be merged at once. */
  | { readonly kind: 'overlap'; readonly window: number; readonly sources: readonly RowSource[] };

/** Makes sure that the indexes of parts are in memory: a promise where they are not. */
export function loadIndexes(
  snapshot: Snapshot,
  parts: ReadonlyMap<number, readonly Part[]>,
): Promise<void> | undefined {
  for (const ofWindow of parts.values()) {
    if (!ofWindow.every(hasIndex)) return loadMissing(snapshot, parts.values());
  }
  return undefined;
}

function hasIndex({ ready }: Part): boolean {
  return ready !== undefined && ready.reader.indexBytes > 0;
}

async function loadMissing(snapshot: Snapshot, parts: Iterable<readonly Part[]>): Promise<void> {
  for (const ofWindow of parts) {
    for (const part of ofWindow) {
      if (hasIndex(part)) continue;
      await readable(part, async () => {
        const { reader } = await snapshot.partSet.open(part);
        await reader.groupsOf(0, 0, 0);
      });
    }
  }
}

/** The parameters and times of a read of many streams. */
export type PieceRange = Omit<StreamRange, 'stream' | 'pace' | 'descending' | 'wanted'>;

/** Pieces in order of time, and the wanted parameters of which they alone have values; rows of one time are in one piece. */
export interface PieceChain {
  readonly parameters: ReadonlySet<number>;
  readonly pieces: readonly Piece[];
}

/**
 * The rows of one stream in pieces; parameters that no row group has together are apart, so that none waits for another.
 * Nothing is read: the indexes of `parts` (by window) have to be in memory. `wanted` are the parameters in ascending order.
 */
export function piecesOf(
  snapshot: Snapshot,
  parts: ReadonlyMap<number, readonly Part[]>,
  stream: number,
  asked: PieceRange,
  wanted: readonly number[],
): PieceChain[] {
  const kept = snapshot.keptFrom(stream);
  const from = kept !== undefined && kept > asked.from ? kept : asked.from;
  const { to } = asked;
  if (from > to) return [];
  const head = headGroups(snapshot, { stream, from, to, parameters: asked.parameters });
  const windows = head.size === 0 ? [...parts.keys()] : [...new Set([...head.keys(), ...parts.keys()])];
  if (windows.length > 1) windows.sort((a, b) => a - b);
  const found: Candidate[] = [];
  for (const window of windows) {
    const inside = rangeInWindow(window, from, to);
    if (inside === undefined) continue;
    found.push(...storedIn(snapshot, parts.get(window) ?? [], stream, inside, asked.parameters));
    const groups = head.get(window);
    if (groups !== undefined) found.push(...headCandidates(groups, window, inside, snapshot.parts.length));
  }
  return chainsOf(found, wanted).map(({ parameters, candidates }) => ({
    parameters: new Set(parameters),
    pieces: joinOverlapping(candidates, parameters, snapshot.parts.length),
  }));
}

/** What may be a piece by itself, with its offsets, both inclusive. */
type Candidate = {
  readonly window: number;
  readonly inside: OffsetRange;
  readonly first: number;
  readonly last: number;
  /** What it may have values of; undefined means all that is wanted. */
  readonly parameters: Iterable<number> | undefined;
} & (
  | { readonly kind: 'group'; readonly group: PartGroup; readonly hidden: readonly WindowTombstone[] }
  | { readonly kind: 'rows'; readonly rows: RowGroup }
  | { readonly kind: 'source'; readonly source: RowSource }
);

function storedIn(
  { tombstones }: Snapshot,
  parts: readonly Part[],
  stream: number,
  inside: OffsetRange,
  wanted: ReadonlySet<number>,
): Candidate[] {
  const candidates: Candidate[] = [];
  for (let rank = 0; rank < parts.length; rank++) {
    const part = parts[rank]!;
    const { reader } = part.ready!;
    const handles = reader.groupsHeld(stream, inside.first, inside.last, wanted)!;
    if (handles.length === 0) continue;
    const hidden = windowTombstones(tombstones, cleanLsnOf(part.record), stream, part.record.window);
    for (const handle of handles) {
      candidates.push({
        kind: 'group',
        window: part.record.window,
        inside,
        parameters: handle.parameters,
        first: Math.max(handle.minOffset, inside.first),
        last: Math.min(handle.maxOffset, inside.last),
        group: { part, rank, reader, handle },
        hidden: tombstonesBetween(hidden, handle.minOffset, handle.maxOffset),
      });
    }
  }
  return candidates;
}

/** Rows of the head; columns that no payload has together are apart. */
function* headCandidates(
  groups: readonly RowGroup[],
  window: number,
  inside: OffsetRange,
  rank: number,
): Generator<Candidate> {
  const classes = splitIntoClasses(groups.map(({ columns }) => columns.map(({ parameter }) => parameter)));
  if (classes.length === 1) {
    yield* mergedCandidates(groups, window, inside, rank);
    return;
  }
  const classOf = new Map(classes.flatMap((parameters, i) => parameters.map((parameter) => [parameter, i])));
  const ofClass: RowGroup[][] = classes.map(() => []);
  for (const group of groups) {
    for (const place of new Set(group.columns.map(({ parameter }) => classOf.get(parameter)!))) {
      const columns = group.columns.filter(({ parameter }) => classOf.get(parameter) === place);
      ofClass[place]!.push({ ...group, columns });
    }
  }
  for (const own of ofClass) yield* mergedCandidates(own, window, inside, rank);
}

/** Rows of the head, merged; where that takes too much memory at once, sources that merge them piece by piece. */
function mergedCandidates(
  groups: readonly RowGroup[],
  window: number,
  inside: OffsetRange,
  rank: number,
): Candidate[] {
  const placed = { window, inside, parameters: parametersOf(groups) };
  const merges = mergePieces(groups);
  if (merges.length === 1) {
    const merged = merges[0]!.merge();
    const from = firstRowFrom(merged.offsets, inside.first);
    const to = firstRowFrom(merged.offsets, inside.last + 1);
    if (from === to) return [];
    const rows = sliceRows(merged, from, to);
    return [{ kind: 'rows', ...placed, first: rows.offsets[0]!, last: rows.offsets[rows.count - 1]!, rows }];
  }
  return sourcesOfPieces(merges, inside, rank).map((source) => {
    const { first, last } = source;
    return { kind: 'source', ...placed, first, last, source };
  });
}

interface CandidateChain {
  /** Ascending. */
  readonly parameters: number[];
  readonly candidates: Candidate[];
}

/** Parameters that some candidate may have together are in one chain, with all candidates that may have them. */
function chainsOf(candidates: Candidate[], wanted: readonly number[]): CandidateChain[] {
  if (wanted.length === 1) return [{ parameters: [...wanted], candidates }];
  const chains = new Map<number, CandidateChain>(
    wanted.map((parameter) => [parameter, { parameters: [parameter], candidates: [] }]),
  );
  for (const candidate of candidates) {
    let chain: CandidateChain | undefined;
    for (const parameter of candidate.parameters ?? wanted) {
      const other = chains.get(parameter);
      if (other === undefined || other === chain) continue;
      if (chain === undefined) {
        chain = other;
        continue;
      }
      chain.candidates.push(...other.candidates);
      for (const moved of other.parameters) {
        chain.parameters.push(moved);
        chains.set(moved, chain);
      }
    }
    chain?.candidates.push(candidate);
  }
  return [...new Set(chains.values())].map(({ parameters, candidates: own }) => ({
    parameters: parameters.sort((a, b) => a - b),
    candidates: own,
  }));
}

/** Makes a piece of each candidate, and one of all that overlap. */
function joinOverlapping(candidates: Candidate[], wanted: readonly number[], headRank: number): Piece[] {
  const pieces: Piece[] = [];
  if (candidates.length > 1) candidates.sort((a, b) => a.window - b.window || a.first - b.first);
  const sourceOf = (candidate: Candidate): RowSource => {
    if (candidate.kind === 'source') return candidate.source;
    if (candidate.kind === 'group')
      return sourceOfGroup(candidate.group, candidate.hidden, candidate.inside, wanted);
    const { first, last, rows } = candidate;
    return { rank: headRank, first, last, load: async () => rows };
  };
  for (let i = 0; i < candidates.length; ) {
    const candidate = candidates[i]!;
    const { window, inside } = candidate;
    let { last } = candidate;
    let end = i + 1;
    for (; end < candidates.length; end++) {
      const next = candidates[end]!;
      if (next.window !== window || next.first > last) break;
      last = Math.max(last, next.last);
    }
    const isAlone = end === i + 1 && candidate.kind !== 'source';
    if (!isAlone || (candidate.kind === 'group' && candidate.hidden.length > 0)) {
      pieces.push({ kind: 'overlap', window, sources: candidates.slice(i, end).map(sourceOf) });
    } else if (candidate.kind === 'group') {
      pieces.push({ kind: 'stored', window, group: candidate.group, inside });
    } else {
      pieces.push({ kind: 'rows', window, rows: candidate.rows });
    }
    i = end;
  }
  return pieces;
}
