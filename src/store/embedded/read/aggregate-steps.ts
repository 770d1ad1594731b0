import { Kind } from '../../../domain/parameter-data.ts';
import type { StreamKey } from '../../../domain/stream.ts';
import type { Aggregator } from '../../../query/aggregator.ts';
import { type Calculated, expressionsOf, plansAhead, runsAlongRows } from '../../../query/plan/calculated.ts';
import type { AggregatePlan } from '../../../query/plan/plan.ts';
import type { EncodedGroup } from '../parts/encoded-group.ts';
import type { Part } from '../parts/part-readers.ts';
import { type OffsetRange, windowStart } from '../rows/windows.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { type ByWindow, type IndexedPart, partsByWindow } from '../walk/indexed-parts.ts';
import type { HeadRows } from '../walk/sources.ts';
import { type GroupPiece, type PartGroup, readEncoded } from '../walk/walk-parts.ts';
import { groupOfRange, type PartRange } from '../walk/walk-ranges.ts';
import { type BoundStreams, looksBefore } from './bind-streams.ts';
import { type Overlap, type Piece, type PieceChain, type PieceRange, piecesOf } from './stream-pieces.ts';
import type { SummedGroup, SummedGroups } from './summed-rows.ts';
import type { WantedStep, WantedTotals } from './wanted-totals.ts';

/** Something to be done in order; a row group may still be on its way from the disk. */
export type Step =
  | { readonly kind: 'stream'; readonly key: StreamKey }
  | HeadRows
  | Overlap
  | GroupStep
  | WantedStep
  /** Row groups of which some may be added by their totals. */
  | PartRange
  | SummedGroup
  /** A stream, by its place, whose rows have to be put together before anything is calculated from them. */
  | { readonly kind: 'joined'; readonly place: number }
  /** A stream, by its place, whose rows before the first wanted one matter for what looks back; the group that begins with them, if one does. */
  | { readonly kind: 'before'; readonly place: number; readonly group: PartGroup | undefined }
  /** Pieces of which only the outermost that have all values matter. */
  | { readonly kind: 'edges'; readonly chain: PieceChain; readonly edges: Edges };

export interface GroupStep {
  readonly kind: 'group';
  readonly group: PartGroup;
  /** Rows there are not wanted. */
  readonly hidden: readonly OffsetRange[];
  readonly encoded: EncodedGroup | Promise<EncodedGroup>;
}

/** Where steps come from. */
export interface StepSource {
  readonly plan: AggregatePlan;
  readonly bound: BoundStreams;
  readonly snapshot: Snapshot;
  readonly parts: ByWindow<IndexedPart>;
  readonly aggregator: Pick<Aggregator, 'totalsNeeded' | 'tagsMatter'>;
  readonly left: Pick<WantedTotals, 'cached'>;
  /** Parts whose rows count as rows without tags. */
  readonly untagged: ReadonlySet<Part>;
  /** What can be calculated without looking for rows. */
  readonly summed: SummedGroups | undefined;
}

/**
 * Ranges come as they are where totals may be enough, and group by group otherwise.
 *
 * @param order the places of the streams, by id, then topic
 */
export function* stepsOf(
  { plan, bound, snapshot, parts, aggregator, left, untagged, summed }: StepSource,
  order: Uint32Array,
): Generator<Step> {
  const { streams, ids, topics, firsts, parameters } = bound;
  const numbers = parameters.filter((number) => number !== undefined);
  const withEvents = plan.parameters.some(({ kind }) => kind === Kind.Event);
  const range = { from: plan.from, to: plan.to, parameters: new Set(numbers), withEvents };
  const edges = edgesOf(plan);
  const seesBefore = looksBefore(plan, firsts);
  const isAhead = plansAhead(plan);
  const goesByTotals = ({ part }: PartRange) =>
    aggregator.totalsNeeded() !== undefined && (!aggregator.tagsMatter || untagged.has(part));
  for (const place of order) {
    yield { kind: 'stream', key: { streamId: ids[place] ?? '', topic: topics[place] ?? '' } };
    const ofSummed = summed?.of(place);
    if (ofSummed !== undefined) {
      yield* ofSummed;
      continue;
    }
    if (isAhead) {
      yield { kind: 'joined', place };
      continue;
    }
    const chains = piecesOf(snapshot, parts, streams[place]!, range);
    if (plan.calculated !== undefined && joinsChains(plan.calculated, parameters, chains)) {
      yield { kind: 'joined', place };
      continue;
    }
    if (seesBefore(place) && chains.some(({ pieces }) => pieces.length > 0)) {
      const group = groupBefore(snapshot, parts, streams[place]!, range, chains);
      yield { kind: 'before', place, group };
    }
    for (const chain of chains) {
      if (edges !== undefined && groupsAndOthers(chain.pieces) > 2) {
        yield { kind: 'edges', chain, edges };
        continue;
      }
      for (const piece of chain.pieces) {
        if (piece.kind === 'group') yield left.cached(piece) ?? groupStep(piece, range.parameters);
        else if (piece.kind !== 'range' || goesByTotals(piece)) yield piece;
        else
          for (const group of groupsOfRange(piece)) {
            const ofRange: GroupPiece = { kind: 'group', group, hidden: [] };
            yield left.cached(ofRange) ?? groupStep(ofRange, range.parameters);
          }
      }
    }
  }
}

/** Whether an expression names parameters of several chains. */
function joinsChains(
  { columns }: Calculated,
  numbers: readonly (number | undefined)[],
  chains: readonly PieceChain[],
): boolean {
  const filled = chains.filter(({ pieces }) => pieces.length > 0);
  if (filled.length < 2) return false;
  return columns.flatMap(expressionsOf).some(({ operands }) => {
    const named = operands.map((place) => numbers[place]);
    return filled.filter(({ parameters }) => named.some((number) => parameters.has(number!))).length > 1;
  });
}

/** Which ends of a stream matter where nothing else does. */
export interface Edges {
  readonly first: boolean;
  readonly last: boolean;
}

/**
 * Without buckets, the first and last values of a stream are found at its ends, and so is the time of its first row.
 * Undefined where more is asked, where tags decide which rows matter, or where something looks along rows.
 */
export function edgesOf(plan: AggregatePlan): Edges | undefined {
  const { buckets, columns, groupBy, tagFilters, hasFrom } = plan;
  const takesEdges = columns.every(({ aggregation }) => aggregation === 'First' || aggregation === 'Last');
  const byTags = groupBy.some((tag) => tag !== 'streamId' && tag !== 'topic');
  if (buckets !== undefined || !takesEdges || byTags || tagFilters.length > 0 || runsAlongRows(plan))
    return undefined;
  return {
    first: !hasFrom || columns.some(({ aggregation }) => aggregation === 'First'),
    last: columns.some(({ aggregation }) => aggregation === 'Last'),
  };
}

/** How many pieces there are, each group of a range for itself. */
export function groupsAndOthers(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + (piece.kind === 'range' ? piece.end - piece.start : 1), 0);
}

/** Pieces from the first to the last, or the other way, with the groups of a range one by one. */
export function* outermost(
  pieces: readonly Piece[],
  edge: 'first' | 'last',
): Generator<Exclude<Piece, PartRange>> {
  for (const piece of edge === 'first' ? pieces : pieces.toReversed()) {
    if (piece.kind === 'range')
      for (const group of groupsOfRange(piece, edge)) yield { kind: 'group', group, hidden: [] };
    else yield piece;
  }
}

/** The groups of a range, from its first or from its last. */
export function* groupsOfRange(range: PartRange, edge: 'first' | 'last' = 'first'): Generator<PartGroup> {
  const { start, end } = range;
  for (let i = start; i < end; i++) yield groupOfRange(range, edge === 'first' ? i : start + end - 1 - i);
}

/** Steps of groups that nothing touches. */
export function* groupSteps(
  groups: Iterable<PartGroup>,
  parameters: ReadonlySet<number>,
): Generator<GroupStep> {
  for (const group of groups) yield groupStep({ kind: 'group', group, hidden: [] }, parameters);
}

/** Begins to read a group. */
export function groupStep(piece: GroupPiece, parameters: ReadonlySet<number>): GroupStep {
  const encoded = readEncoded(piece.group, parameters);
  // A failure belongs to whoever waits for it; nobody may, when a read ends early.
  if (encoded instanceof Promise) encoded.catch(() => undefined);
  return { encoded, ...piece };
}

/** Groups that are read while others are worked on. */
const stepsAhead = 16;

/** Gives the same steps, whose reads begin before their turn comes. */
export function* readAhead<One>(steps: Iterator<One>): Generator<One> {
  const begun: One[] = [];
  let at = 0;
  for (;;) {
    while (begun.length - at < stepsAhead) {
      const next = steps.next();
      if (next.done === true) break;
      begun.push(next.value);
    }
    if (at === begun.length) return;
    yield begun[at++]!;
    if (at === stepsAhead) {
      begun.splice(0, at);
      at = 0;
    }
  }
}

/**
 * The row group in which a read begins, where its rows before that are all that the stream has between its first row and
 * there; undefined where it begins elsewhere, or where something overlaps, hides or expires those rows.
 *
 * @param parts of the range
 * @param chains the pieces of the stream in the range
 */
export function groupBefore(
  snapshot: Snapshot,
  parts: ByWindow<IndexedPart>,
  stream: number,
  range: PieceRange,
  chains: readonly PieceChain[],
): PartGroup | undefined {
  const group = onlyGroup(chains, false);
  if (group === undefined) return undefined;
  const from = windowStart(group.window) + BigInt(group.handle.minOffset);
  const before = { from, to: range.from - 1n };
  if (from > before.to) return undefined;
  const known = parts.get(group.window)?.map(({ part }) => part) ?? [];
  const there = partsByWindow(snapshot, before).get(group.window) ?? [];
  if (there.some((part) => !known.includes(part))) return undefined;
  const alone = onlyGroup(piecesOf(snapshot, parts, stream, { ...range, ...before }), true);
  const isSame = alone?.part === group.part && alone.handle.position === group.handle.position;
  return isSame && alone.inside.first <= group.handle.minOffset ? group : undefined;
}

/** The first group of the only chain that has pieces, with nothing hidden. */
function onlyGroup(chains: readonly PieceChain[], isAlone: boolean): PartGroup | undefined {
  const filled = chains.filter(({ pieces }) => pieces.length > 0);
  const piece = filled.length === 1 ? filled[0]!.pieces[0]! : undefined;
  if (piece === undefined || (isAlone && filled[0]!.pieces.length > 1)) return undefined;
  if (piece.kind === 'range') return isAlone ? undefined : groupOfRange(piece, piece.start);
  return piece.kind === 'group' && piece.group.hidden.length === 0 ? piece.group : undefined;
}
