import type { ResultBlock } from '../../../domain/result.ts';
import type { TimeRange } from '../../../domain/timestamp.ts';
import { type Aggregator, createAggregator } from '../../../query/aggregator.ts';
import { runsAlongRows } from '../../../query/calculated.ts';
import { type Pace, paceQuery } from '../../../query/pace.ts';
import type { AggregatePlan } from '../../../query/plan.ts';
import type { QueryMemory } from '../../../query/query-memory.ts';
import type { DecodedRows } from '../../../query/rows-to-aggregate.ts';
import type { CountRows } from '../../../query/running-queries.ts';
import { plainPlan } from '../../calculated/calculated-aggregate.ts';
import { calculatingAggregator } from '../../calculated/calculating-aggregator.ts';
import { calculates } from '../../calculated/with-columns.ts';
import { PresenceForm } from '../codecs/presence-codec.ts';
import type { EncodedGroup } from '../parts/encoded-group.ts';
import { dropEmptyRows } from '../rows/gather-rows.ts';
import type { RowGroup } from '../rows/row-group.ts';
import { windowStart } from '../rows/windows.ts';
import { addCalculated } from './aggregate-calculated.ts';
import {
  type Edges,
  groupStep,
  groupSteps,
  groupsAndOthers,
  outermost,
  readAhead,
  type Step,
  stepsOf,
} from './aggregate-steps.ts';
import type { BoundStreams } from './execute.ts';
import { mergeSources } from './overlap-merge.ts';
import { addByTotals } from './range-totals.ts';
import type { ReadTerms } from './read-terms.ts';
import type { OpenSnapshot } from './snapshot.ts';
import { rowSource, type Source } from './sources.ts';
import { createStoredRows, rowsOfView, type StoredRowsOf } from './stored-group-rows.ts';
import type { GroupPiece, Piece, PieceChain } from './stream-pieces.ts';
import { indexWindows, letGoOf, partsByWindow } from './walk-parts.ts';
import type { PartRange } from './walk-ranges.ts';

/** Runs an aggregating plan on a snapshot: stream by stream, so that what is in memory is a few blocks and the groups. */
export async function* aggregate(
  plan: AggregatePlan,
  bound: BoundStreams,
  open: OpenSnapshot,
  memory: QueryMemory,
  { signal, maxMs, countRows }: ReadTerms,
): AsyncGenerator<ResultBlock> {
  const extent = extentOf(plan, bound);
  if (extent === undefined) return;
  const { pace, restart } = paceQuery(signal, maxMs);
  const aggregator = createAggregator(calculates(plan) ? plainPlan(plan) : plan, extent, memory);
  if (!calculates(plan)) {
    await addStored(plan, bound, aggregator, open, pace, countRows);
  } else if (runsAlongRows(plan)) {
    for (const place of bound.streams.keys())
      await addCalculated(plan, bound, place, aggregator, open, pace, countRows);
  } else {
    const calculating = calculatingAggregator(plan, aggregator);
    await addStored(plan, bound, calculating, open, pace, countRows, (place) =>
      addCalculated(plan, bound, place, aggregator, open, pace, countRows),
    );
  }
  for await (const block of aggregator.finish(pace)) {
    yield block;
    restart();
  }
}

/**
 * Adds the rows of each stream as they are stored.
 *
 * @param addJoined adds those of one whose expressions name parameters that are stored apart
 */
async function addStored(
  plan: AggregatePlan,
  bound: BoundStreams,
  aggregator: Aggregator,
  { snapshot, readers }: OpenSnapshot,
  pace: Pace,
  countRows: CountRows,
  addJoined?: (place: number) => Promise<void>,
): Promise<void> {
  const indexing = indexWindows(readers, partsByWindow(snapshot, plan), pace);
  const parts = indexing instanceof Promise ? await indexing : indexing;
  try {
    const feed = feeder(aggregator, bound.parameters, pace, countRows, addJoined);
    const steps = readAhead(stepsOf(plan, bound, snapshot, parts, aggregator));
    for (const step of steps) {
      const fed = feed(step);
      if (fed !== undefined) await fed;
      const turn = pace();
      if (turn !== undefined) await turn;
    }
  } finally {
    for (const ofWindow of parts.values()) letGoOf(ofWindow);
  }
}

/** Gives what a step has to an aggregator; a promise where it has to be waited for. */
function feeder(
  aggregator: Aggregator,
  parameters: readonly (number | undefined)[],
  pace: Pace,
  countRows: CountRows,
  addJoined?: (place: number) => Promise<void>,
) {
  const storedRows: StoredRowsOf = createStoredRows(parameters);
  const wanted = parameters.filter((number) => number !== undefined).sort((a, b) => a - b);
  const wantedSet = new Set(wanted);
  return feed;

  function feed(step: Step): Promise<void> | undefined {
    switch (step.kind) {
      case 'stream':
        aggregator.openStream(step.key);
        return undefined;
      case 'rows':
        addRows(step.window, step.rows);
        return undefined;
      case 'group':
        if (step.encoded instanceof Promise) return step.encoded.then((encoded) => addEncoded(step, encoded));
        addEncoded(step, step.encoded);
        return undefined;
      case 'range':
        return addRange(step);
      case 'overlap':
        return merge(step.window, step.sources);
      case 'joined':
        return addJoined?.(step.place);
      default:
        return addEdges(step.chain, step.edges);
    }
  }

  function addRows(window: number, group: RowGroup): void {
    countRows(group.count);
    const rows = dropEmptyRows(group);
    if (rows.count > 0) aggregator.add(decodedRows(window, rows, parameters));
  }

  function addEncoded({ group: { window, inside }, hidden }: GroupPiece, encoded: EncodedGroup): void {
    const outcome = storedRows(encoded, window, inside, hidden, aggregator.addStored);
    if (outcome === 'sparse') addRows(window, rowsOfView(encoded, parameters, inside, hidden));
    else countRows(encoded.handle.rows);
  }

  /** Adds a range by its totals, and the groups of which these are not enough. */
  async function addRange(range: PartRange): Promise<void> {
    const left = await addByTotals(range, parameters, aggregator);
    for (const step of readAhead(groupSteps(left, wantedSet))) {
      const fed = feed(step);
      if (fed !== undefined) await fed;
      const turn = pace();
      if (turn !== undefined) await turn;
    }
  }

  /** Adds pieces from both ends until one has a value of every parameter in its outermost row. */
  async function addEdges({ pieces, parameters: numbers }: PieceChain, edges: Edges): Promise<void> {
    let left = groupsAndOthers(pieces);
    for (const edge of ['first', 'last'] as const) {
      if (!edges[edge]) continue;
      for (const piece of outermost(pieces, edge)) {
        if (left-- === 0) return;
        if (await addEdge(piece, numbers, edge)) break;
      }
    }
  }

  /** Whether the outermost row of the piece has all values. */
  async function addEdge(
    piece: Exclude<Piece, PartRange>,
    numbers: ReadonlySet<number>,
    edge: 'first' | 'last',
  ): Promise<boolean> {
    await pace();
    if (piece.kind === 'overlap') await merge(piece.window, piece.sources);
    if (piece.kind === 'rows') addRows(piece.window, piece.rows);
    if (piece.kind !== 'group') return false;
    const encoded = await groupStep(piece, wantedSet).encoded;
    addEncoded(piece, encoded);
    const { minOffset, maxOffset } = encoded.handle;
    const { inside } = piece.group;
    const outermost = edge === 'first' ? minOffset : maxOffset;
    const isThere =
      outermost >= inside.first &&
      outermost <= inside.last &&
      !piece.hidden.some(({ first, last }) => first <= outermost && last >= outermost);
    const dense = encoded.columns.filter((entry) => entry.presenceForm === PresenceForm.All);
    return isThere && dense.filter(({ parameter }) => numbers.has(parameter)).length === numbers.size;
  }

  async function merge(window: number, sources: readonly Source[]): Promise<void> {
    const loadable = sources.map((source) => rowSource(source, wanted));
    for await (const group of mergeSources(loadable, false)) {
      addRows(window, group);
      await pace();
    }
  }
}

function decodedRows(
  window: number,
  group: RowGroup,
  parameters: readonly (number | undefined)[],
): DecodedRows {
  const { count, offsets, tagSets, tagIndex, columns } = group;
  return {
    count,
    base: windowStart(window),
    offsets,
    tagSets,
    tagIndex,
    columns: parameters.map((number) => columns.find(({ parameter }) => parameter === number)),
  };
}

/** From the first row of the selected streams to the last, as far as the plan wants them. */
function extentOf({ from, to }: AggregatePlan, { extents }: BoundStreams): TimeRange | undefined {
  let first: bigint | undefined;
  let last: bigint | undefined;
  for (const extent of extents) {
    if (first === undefined || extent.first < first) first = extent.first;
    if (last === undefined || extent.last > last) last = extent.last;
  }
  if (first === undefined || last === undefined) return undefined;
  return { first: first < from ? from : first, last: last > to ? to : last };
}
