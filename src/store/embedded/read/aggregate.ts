import { Kind } from '../../../domain/parameter-data.ts';
import type { ResultBlock } from '../../../domain/result.ts';
import type { StreamKey } from '../../../domain/stream.ts';
import type { TimeRange } from '../../../domain/timestamp.ts';
import { type Aggregator, createAggregator } from '../../../query/aggregator.ts';
import { type Pace, paceQuery } from '../../../query/pace.ts';
import type { AggregatePlan } from '../../../query/plan.ts';
import type { QueryMemory } from '../../../query/query-memory.ts';
import type { DecodedRows } from '../../../query/rows-to-aggregate.ts';
import type { CountRows } from '../../../query/running-queries.ts';
import { PresenceForm } from '../codecs/presence-codec.ts';
import type { EncodedGroup } from '../parts/encoded-group.ts';
import { dropEmptyRows } from '../rows/gather-rows.ts';
import type { RowGroup } from '../rows/row-group.ts';
import { windowStart } from '../rows/windows.ts';
import type { BoundStreams } from './execute.ts';
import { mergeSources } from './overlap-merge.ts';
import type { ReadTerms } from './read-terms.ts';
import type { OpenSnapshot, Snapshot } from './snapshot.ts';
import { rowSource, type Source } from './sources.ts';
import { createStoredRows, rowsOfView, type StoredRowsOf } from './stored-group-rows.ts';
import { type Piece, type PieceChain, piecesOf } from './stream-pieces.ts';
import {
  type ByWindow,
  type IndexedPart,
  indexWindows,
  letGoOf,
  type PartGroup,
  partsByWindow,
  readEncoded,
} from './walk-parts.ts';

/** Runs an aggregating plan on a snapshot: stream by stream, so that what is in memory is a few blocks and the groups. */
export async function* aggregate(
  plan: AggregatePlan,
  bound: BoundStreams,
  { snapshot, readers }: OpenSnapshot,
  memory: QueryMemory,
  { signal, maxMs, countRows }: ReadTerms,
): AsyncGenerator<ResultBlock> {
  const extent = extentOf(plan, bound);
  if (extent === undefined) return;
  const { pace, restart } = paceQuery(signal, maxMs);
  const aggregator = createAggregator(plan, extent, memory);
  const indexing = indexWindows(readers, partsByWindow(snapshot, plan));
  const parts = indexing instanceof Promise ? await indexing : indexing;
  try {
    const feed = feeder(aggregator, bound.parameters, pace, countRows);
    const steps = readAhead(stepsOf(plan, bound, snapshot, parts));
    for (const step of steps) {
      const fed = feed(step);
      if (fed !== undefined) await fed;
      const turn = pace();
      if (turn !== undefined) await turn;
    }
  } finally {
    for (const ofWindow of parts.values()) letGoOf(ofWindow);
  }
  for await (const block of aggregator.finish(pace)) {
    yield block;
    restart();
  }
}

/** Something to be done in order; a row group may still be on its way from the disk. */
type Step =
  | { readonly kind: 'stream'; readonly key: StreamKey }
  | Exclude<Piece, { kind: 'group' }>
  | {
      readonly kind: 'group';
      readonly group: PartGroup;
      readonly encoded: EncodedGroup | Promise<EncodedGroup>;
    }
  /** Pieces of which only the outermost that have all values matter. */
  | { readonly kind: 'edges'; readonly chain: PieceChain; readonly edges: Edges };

function* stepsOf(
  plan: AggregatePlan,
  { streams, keys, parameters }: BoundStreams,
  snapshot: Snapshot,
  parts: ByWindow<IndexedPart>,
): Generator<Step> {
  const numbers = parameters.filter((number) => number !== undefined);
  const withEvents = plan.parameters.some(({ kind }) => kind === Kind.Event);
  const range = { from: plan.from, to: plan.to, parameters: new Set(numbers), withEvents };
  const edges = edgesOf(plan);
  for (let i = 0; i < streams.length; i++) {
    yield { kind: 'stream', key: keys[i]! };
    for (const chain of piecesOf(snapshot, parts, streams[i]!, range)) {
      if (edges !== undefined && chain.pieces.length > 2) {
        yield { kind: 'edges', chain, edges };
        continue;
      }
      for (const piece of chain.pieces) {
        yield piece.kind === 'group'
          ? { kind: 'group', group: piece, encoded: startReading(piece, range.parameters) }
          : piece;
      }
    }
  }
}

/** Which ends of a stream matter where nothing else does. */
interface Edges {
  readonly first: boolean;
  readonly last: boolean;
}

/**
 * Without buckets, the first and last values of a stream are found at its ends, and so is the time of its first row.
 * Undefined where more is asked, or where tags decide which rows matter.
 */
function edgesOf({ buckets, columns, groupBy, tagFilters, hasFrom }: AggregatePlan): Edges | undefined {
  const takesEdges = columns.every(({ aggregation }) => aggregation === 'First' || aggregation === 'Last');
  const byTags = groupBy.some((tag) => tag !== 'streamId' && tag !== 'topic');
  if (buckets !== undefined || !takesEdges || byTags || tagFilters.length > 0) return undefined;
  return {
    first: !hasFrom || columns.some(({ aggregation }) => aggregation === 'First'),
    last: columns.some(({ aggregation }) => aggregation === 'Last'),
  };
}

function startReading(group: PartGroup, numbers: ReadonlySet<number>) {
  const encoded = readEncoded(group, numbers);
  // A failure belongs to whoever waits for it; nobody may, when a read ends early.
  if (encoded instanceof Promise) encoded.catch(() => undefined);
  return encoded;
}

/** Groups that are read while others are worked on. */
const stepsAhead = 16;

/** The same steps, begun before their turn comes. */
function* readAhead(steps: Iterator<Step>): Generator<Step> {
  const begun: Step[] = [];
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

/** Gives what a step has to an aggregator; a promise where it has to be waited for. */
function feeder(
  aggregator: Aggregator,
  parameters: readonly (number | undefined)[],
  pace: Pace,
  countRows: CountRows,
) {
  const storedRows: StoredRowsOf = createStoredRows(parameters);
  const wanted = parameters.filter((number) => number !== undefined).sort((a, b) => a - b);

  function addRows(window: number, group: RowGroup): void {
    countRows(group.count);
    const rows = dropEmptyRows(group);
    if (rows.count > 0) aggregator.add(decodedRows(window, rows, parameters));
  }

  function addEncoded({ window, inside }: PartGroup, encoded: EncodedGroup): void {
    const outcome = storedRows(encoded, window, inside, aggregator.addStored);
    if (outcome === 'sparse') addRows(window, rowsOfView(encoded, parameters, inside));
    else countRows(encoded.handle.rows);
  }

  return (step: Step): Promise<void> | undefined => {
    switch (step.kind) {
      case 'stream':
        aggregator.openStream(step.key);
        return undefined;
      case 'rows':
        addRows(step.window, step.rows);
        return undefined;
      case 'group':
        if (step.encoded instanceof Promise)
          return step.encoded.then((encoded) => addEncoded(step.group, encoded));
        addEncoded(step.group, step.encoded);
        return undefined;
      case 'overlap':
        return merge(step.window, step.sources);
      default:
        return addEdges(step.chain, step.edges);
    }
  };

  /** Adds pieces from both ends until one has a value of every parameter in its outermost row. */
  async function addEdges(chain: PieceChain, { first, last }: Edges): Promise<void> {
    const { pieces, parameters: numbers } = chain;
    let front = 0;
    let back = pieces.length - 1;
    for (let isDone = !first; !isDone && front <= back; front++)
      isDone = await addEdge(pieces[front]!, numbers, 'first');
    for (let isDone = !last; !isDone && front <= back; back--)
      isDone = await addEdge(pieces[back]!, numbers, 'last');
  }

  /** Whether the outermost row of the piece has all values. */
  async function addEdge(
    piece: Piece,
    numbers: ReadonlySet<number>,
    edge: 'first' | 'last',
  ): Promise<boolean> {
    await pace();
    if (piece.kind === 'overlap') await merge(piece.window, piece.sources);
    if (piece.kind === 'rows') addRows(piece.window, piece.rows);
    if (piece.kind !== 'group') return false;
    const encoded = await startReading(piece, numbers);
    addEncoded(piece, encoded);
    const { minOffset, maxOffset } = encoded.handle;
    const { inside } = piece;
    const isInside = edge === 'first' ? minOffset >= inside.first : maxOffset <= inside.last;
    const dense = encoded.columns.filter((entry) => entry.presenceForm === PresenceForm.All);
    return isInside && dense.filter(({ parameter }) => numbers.has(parameter)).length === numbers.size;
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
