import { type Aggregator, createAggregator } from '../../../query/aggregator.ts';
import type { QueryMemory } from '../../../query/query-memory.ts';
import type { CountRows } from '../../../query/running-queries.ts';
import type { Pace } from '../../../turns/pace.ts';
import { plainPlan } from '../../calculated/calculated-aggregate.ts';
import { calculatingAggregator } from '../../calculated/calculating-aggregator.ts';
import { lentEvaluators } from '../../calculated/lent-evaluators.ts';
import { calculates } from '../../calculated/with-columns.ts';
import type { Part } from '../parts/part-readers.ts';
import { spanBytesOf } from '../parts/span-file.ts';
import { rowsOfStream } from './aggregate-calculated.ts';
import { type GroupStep, readAhead, stepsOf } from './aggregate-steps.ts';
import type { BoundStreams } from './bind-streams.ts';
import { feeder } from './feed-steps.ts';
import { type ByWindow, type IndexedPart, indexWindows, letGoOf, partsByWindow } from './indexed-parts.ts';
import type { KeptGroups } from './kept-groups.ts';
import { leftTotals } from './left-totals.ts';
import { untaggedParts } from './parts-with-tags.ts';
import type { StreamsWork } from './portions.ts';
import type { OpenSnapshot } from './snapshot.ts';

/** Adds the rows of streams to aggregators, each stream as a whole; its parts have their indexes in memory until it is closed. */
export interface StreamAdder {
  readonly indexed: ByWindow<IndexedPart>;
  /** The same, read in spans where the streams are many. */
  readonly parts: ByWindow<IndexedPart>;
  /** @param kept of all streams of the read */
  to(bound: BoundStreams, aggregator: Aggregator, kept?: KeptGroups): Adding;
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
  const parts = isScan ? inSpans(indexed) : indexed;
  let untagged: ReadonlySet<Part> | undefined;

  async function findUntagged({ tagsMatter, totalsNeeded }: Aggregator): Promise<ReadonlySet<Part>> {
    const mayGoByTotals = tagsMatter && totalsNeeded() !== undefined;
    return mayGoByTotals ? untaggedParts(parts, plan, pace) : noParts;
  }

  return {
    indexed,
    parts,
    to(bound, plain, kept) {
      const calculating = calculates(plan) ? calculatingTo(bound, plain) : undefined;
      const aggregator = calculating?.aggregator ?? plain;
      const left = leftTotals(bound.parameters, aggregator);
      const feed = feeder(aggregator, left, bound.parameters, pace, countRows, calculating?.apart);
      return {
        aggregator,
        feed,
        async add(order, rows) {
          untagged ??= await findUntagged(aggregator);
          const isAll = rows === 'all';
          const from = isAll ? parts : noWindows;
          const ofKept = isAll ? kept : undefined;
          let opened = 0;
          for (const step of readAhead(
            stepsOf(plan, bound, order, snapshot, from, aggregator, left, untagged, ofKept),
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
    const lent = lentEvaluators();
    const ofStream = rowsOfStream(plan, bound, open, pace, countRows, lent);
    return {
      aggregator: calculatingAggregator(plan, plain, lent),
      apart: {
        addJoined: (place: number) => ofStream.add(place, plain),
        seeBefore: ofStream.seeBefore,
      },
    };
  }
}

function inSpans(parts: ByWindow<IndexedPart>): ByWindow<IndexedPart> {
  const spanBytes = spanBytesOf(new Set([...parts.values()].flat().map(({ reader }) => reader)).size);
  const readers = new Map<IndexedPart['reader'], IndexedPart['reader']>();
  const spanned = (item: IndexedPart): IndexedPart => {
    const reader = readers.get(item.reader) ?? { ...item.reader, ...item.reader.inSpans(spanBytes) };
    readers.set(item.reader, reader);
    return { ...item, reader };
  };
  return new Map([...parts].map(([window, ofWindow]) => [window, ofWindow.map(spanned)]));
}

const noParts: ReadonlySet<Part> = new Set();
const noWindows: ByWindow<IndexedPart> = new Map();
