import { type Aggregator, createAggregator } from '../../../query/aggregator.ts';
import type { QueryMemory } from '../../../query/bounds/query-memory.ts';
import type { CountRows } from '../../../query/bounds/running-queries.ts';
import type { DecodedRows } from '../../../query/runs/rows-to-aggregate.ts';
import type { Pace } from '../../../turns/pace.ts';
import { plainPlan } from '../../calculated/calculated-aggregate.ts';
import { CalculatingAggregator } from '../../calculated/calculating-aggregator.ts';
import { evaluatorPool } from '../../calculated/evaluator-pool.ts';
import { calculates } from '../../calculated/with-columns.ts';
import { PresenceForm } from '../codecs/presence-codec.ts';
import type { EncodedGroup } from '../parts/encoded-group.ts';
import type { Part } from '../parts/part-readers.ts';
import { parameterFinder } from '../rows/find-parameter.ts';
import { dropEmptyRows } from '../rows/gather-rows.ts';
import type { RowGroup } from '../rows/row-group.ts';
import { windowStart } from '../rows/windows.ts';
import type { OpenSnapshot } from '../snapshot/snapshot.ts';
import {
  type ByWindow,
  type IndexedPart,
  indexWindows,
  letGoOf,
  partsByWindow,
  windowsInSpans,
} from '../walk/indexed-parts.ts';
import { mergeSources } from '../walk/overlap-merge.ts';
import { untaggedParts } from '../walk/parts-with-tags.ts';
import { loadable, type Source } from '../walk/sources.ts';
import type { GroupPiece } from '../walk/walk-parts.ts';
import type { PartRange } from '../walk/walk-ranges.ts';
import { type RowsApart, rowsOfStream } from './aggregate-calculated.ts';
import {
  type Edges,
  type GroupStep,
  groupStep,
  groupSteps,
  groupsAndOthers,
  outermost,
  readAhead,
  type Step,
  stepsOf,
} from './aggregate-steps.ts';
import type { BoundStreams } from './bind-streams.ts';
import type { StreamsWork } from './portions.ts';
import { addByTotals } from './range-totals.ts';
import { createStoredRows, rowsOfView, type StoredRowsOf } from './stored-group-rows.ts';
import type { Piece, PieceChain } from './stream-pieces.ts';
import type { SummedGroup, SummedGroups } from './summed-rows.ts';
import { type WantedTotals, wantedTotals } from './wanted-totals.ts';

/** Adds the rows of streams to aggregators, each stream as a whole; its parts have their indexes in memory until it is closed. */
export interface StreamAdder {
  readonly indexed: ByWindow<IndexedPart>;
  /** The same, read in spans where the streams are many. */
  readonly parts: ByWindow<IndexedPart>;
  /** @param summed of all streams of the read */
  to(bound: BoundStreams, aggregator: Aggregator, summed?: SummedGroups): Adding;
  close(): void;
}

export interface Adding {
  /** Calculates what the plan calculates. */
  readonly aggregator: Aggregator;
  feed(step: GroupStep): Promise<void> | undefined;
  /** Adds the rows of streams, by their places; with `memory` those that are in no part. */
  add(order: Uint32Array, rows: 'all' | 'memory'): Promise<void>;
}

/** Streams that are opened between two calls of the pace. */
const streamsOfTurn = 32;

/** An aggregator for rows with what is calculated from them. */
export function aggregatorOf({ plan, extent }: StreamsWork, memory: QueryMemory): Aggregator {
  return createAggregator(calculates(plan) ? plainPlan(plan) : plan, extent, memory);
}

export async function streamAdder(
  { plan, isScan }: StreamsWork,
  open: OpenSnapshot,
  pace: Pace,
  countRows: CountRows,
): Promise<StreamAdder> {
  const { snapshot, readers } = open;
  const indexing = indexWindows(readers, partsByWindow(snapshot, plan), pace);
  const indexed = indexing instanceof Promise ? await indexing : indexing;
  const parts = isScan ? windowsInSpans(indexed) : indexed;
  let untagged: ReadonlySet<Part> | undefined;

  async function findUntagged(aggregator: Aggregator): Promise<ReadonlySet<Part>> {
    const mayGoByTotals = aggregator.tagsMatter && aggregator.totalsNeeded() !== undefined;
    return mayGoByTotals ? untaggedParts(parts, plan, pace) : noParts;
  }

  return {
    indexed,
    parts,
    to(bound, plain, summed) {
      const calculating = calculates(plan) ? calculatingTo(bound, plain) : undefined;
      const aggregator = calculating?.aggregator ?? plain;
      const left = wantedTotals(bound.parameters, aggregator);
      const feed = feeder({
        aggregator,
        left,
        parameters: bound.parameters,
        pace,
        countRows,
        apart: calculating?.apart,
      });
      return {
        aggregator,
        feed,
        async add(order, rows) {
          untagged ??= await findUntagged(aggregator);
          const isAll = rows === 'all';
          const from = isAll ? parts : noWindows;
          const ofSummed = isAll ? summed : undefined;
          let opened = 0;
          for (const step of readAhead(
            stepsOf(
              { plan, bound, snapshot, parts: from, aggregator, left, untagged, summed: ofSummed },
              order,
            ),
          )) {
            const fed = feed(step);
            if (fed !== undefined) await fed;
            // To look at the clock takes as long as to open a stream; but many may have nothing there.
            if (step.kind === 'stream' && ++opened % streamsOfTurn !== 0) continue;
            const turn = pace();
            if (turn !== undefined) await turn;
          }
        },
      };
    },
    close() {
      for (const ofWindow of indexed.values()) letGoOf(ofWindow);
    },
  };

  function calculatingTo(bound: BoundStreams, plain: Aggregator) {
    if (!calculates(plan)) throw new Error('the plan calculates nothing');
    const lent = evaluatorPool();
    const ofStream = rowsOfStream(plan, bound, { open, pace, countRows, lent });
    return {
      aggregator: new CalculatingAggregator(plan, plain, lent),
      apart: {
        addJoined: (place: number) => ofStream.add(place, plain),
        seeBefore: ofStream.seeBefore,
      },
    };
  }
}

const noParts: ReadonlySet<Part> = new Set();
const noWindows: ByWindow<IndexedPart> = new Map();

/** What steps are given with. */
interface FeederParts {
  readonly aggregator: Aggregator;
  readonly left: WantedTotals;
  /** Aligned with the plan's. */
  readonly parameters: readonly (number | undefined)[];
  readonly pace: Pace;
  readonly countRows: CountRows;
  readonly apart: RowsApart | undefined;
}

/** Gives what a step has to an aggregator; a promise where it has to be waited for. */
function feeder({ aggregator, left, parameters, pace, countRows, apart }: FeederParts) {
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
      case 'summed':
        addSummed(step);
        return undefined;
      case 'wanted':
        left.add(step);
        return undefined;
      case 'range':
        return addRange(step);
      case 'overlap':
        return merge(step.window, step.sources);
      case 'joined':
        return apart?.addJoined(step.place);
      case 'before':
        return apart?.seeBefore(step.place, step.group);
      default:
        return addEdges(step.chain, step.edges);
    }
  }

  function addSummed({ rows, set, group }: SummedGroup): void {
    rows.open(set, group);
    countRows(rows.count);
    aggregator.addStored(rows);
  }

  function addRows(window: number, group: RowGroup): void {
    countRows(group.count);
    const rows = dropEmptyRows(group);
    if (rows.count > 0) aggregator.add(decodedRows(window, rows, parameters));
  }

  function addEncoded(piece: GroupPiece, encoded: EncodedGroup): void {
    const { window, inside } = piece.group;
    const { hidden } = piece;
    const outcome = storedRows(encoded, window, inside, hidden, (rows) => {
      if (!left.addRows(piece, rows)) aggregator.addStored(rows);
    });
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
    const loaded = sources.map((source) => loadable(source, wanted));
    for await (const group of mergeSources(loaded, false)) {
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
    columns: parameters.map(parameterFinder(columns)),
  };
}
