import type { ResultBlock } from '../../../domain/result.ts';
import type { TimeRange } from '../../../domain/timestamp.ts';
import { type Aggregator, createAggregator } from '../../../query/aggregator.ts';
import { type Pace, paceQuery } from '../../../query/pace.ts';
import { sortRows } from '../../../query/paced-sort.ts';
import type { AggregatePlan } from '../../../query/plan.ts';
import type { QueryMemory } from '../../../query/query-memory.ts';
import type { CountRows } from '../../../query/running-queries.ts';
import { plainPlan } from '../../calculated/calculated-aggregate.ts';
import { calculatingAggregator } from '../../calculated/calculating-aggregator.ts';
import { lentEvaluators } from '../../calculated/lent-evaluators.ts';
import { calculates } from '../../calculated/with-columns.ts';
import type { Part } from '../parts/part-readers.ts';
import { spanBytesOf } from '../parts/span-file.ts';
import { addLoneStreams } from './add-lone-streams.ts';
import { addSummedStreams } from './add-summed-streams.ts';
import { rowsOfStream } from './aggregate-calculated.ts';
import { edgesOf, readAhead, type Step, stepsOf } from './aggregate-steps.ts';
import { type BoundStreams, compareBound, picksByName } from './bind-streams.ts';
import { feeder, type RowsApart } from './feed-steps.ts';
import { type ByWindow, type IndexedPart, indexWindows, letGoOf, partsByWindow } from './indexed-parts.ts';
import { leftTotals } from './left-totals.ts';
import { untaggedParts } from './parts-with-tags.ts';
import type { ReadTerms } from './read-terms.ts';
import type { OpenSnapshot } from './snapshot.ts';
import type { LoneRange } from './walk-lone.ts';

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
  const { pace, pause, restart } = paceQuery(signal, maxMs);
  const sorting = sortRows(bound.count, orderOf(plan, bound), pace);
  const order = sorting instanceof Promise ? await sorting : sorting;
  const aggregator = createAggregator(calculates(plan) ? plainPlan(plan) : plan, extent, memory);
  if (!calculates(plan)) {
    await addStored(plan, bound, order, aggregator, open, pace, countRows);
  } else {
    const lent = lentEvaluators();
    const calculating = calculatingAggregator(plan, aggregator, lent);
    const ofStream = rowsOfStream(plan, bound, open, pace, countRows, lent);
    await addStored(plan, bound, order, calculating, open, pace, countRows, {
      addJoined: (place) => ofStream.add(place, aggregator),
      seeBefore: (place, group) => ofStream.seeBefore(place, group),
    });
  }
  for await (const block of aggregator.finish(pace)) {
    pause();
    yield block;
    restart();
  }
}

/** Adds the rows of each stream as they are stored. */
async function addStored(
  plan: AggregatePlan,
  bound: BoundStreams,
  order: Uint32Array,
  aggregator: Aggregator,
  { snapshot, readers }: OpenSnapshot,
  pace: Pace,
  countRows: CountRows,
  apart?: RowsApart,
): Promise<void> {
  const indexing = indexWindows(readers, partsByWindow(snapshot, plan), pace);
  const indexed = indexing instanceof Promise ? await indexing : indexing;
  const parts = bound.count < scannedStreams ? indexed : inSpans(indexed);
  try {
    const left = leftTotals(bound.parameters, aggregator);
    const feed = feeder(aggregator, left, bound.parameters, pace, countRows, apart);
    const read = { bound, order, snapshot, parts, range: loneRange(plan, bound), pace, countRows };
    const afterLone = canAddLone(plan, bound, indexed)
      ? await addLoneStreams({ ...read, parts: indexed }, aggregator, feed)
      : order;
    const { others, inMemory } = canAddSummed(plan, bound, aggregator)
      ? await addSummedStreams({ ...read, order: afterLone }, aggregator)
      : { others: afterLone, inMemory: noPlaces };
    const mayGoByTotals = aggregator.tagsMatter && aggregator.totalsNeeded() !== undefined;
    const untagged = mayGoByTotals ? await untaggedParts(parts, plan, pace) : noParts;
    await feedAll(stepsOf(plan, bound, inMemory, snapshot, noWindows, aggregator, left, untagged));
    await feedAll(stepsOf(plan, bound, others, snapshot, parts, aggregator, left, untagged));

    async function feedAll(steps: Iterator<Step>): Promise<void> {
      for (const step of readAhead(steps)) {
        const fed = feed(step);
        if (fed !== undefined) await fed;
        const turn = pace();
        if (turn !== undefined) await turn;
      }
    }
  } finally {
    for (const ofWindow of indexed.values()) letGoOf(ofWindow);
  }
}

/** From so many streams on a part is read in long spans where its row groups are not large. */
const scannedStreams = 64;
/** From so many on it pays to tell apart those that have only small row groups. */
const manyStreams = 1024;

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

/** The order in which streams are gone through: by their numbers, as they stand in parts, where it makes no difference. */
function orderOf(plan: AggregatePlan, bound: BoundStreams): (a: number, b: number) => number {
  if (picksByName(plan)) return (a, b) => compareBound(bound, a, b);
  return (a, b) => bound.streams[a]! - bound.streams[b]!;
}

/** Whether streams may be taken out of their order, and nothing but their outermost rows is seldom enough. */
function canAddLone(plan: AggregatePlan, bound: BoundStreams, parts: ByWindow<IndexedPart>): boolean {
  if (plan.calculated !== undefined) return false;
  return bound.count >= manyStreams && !picksByName(plan) && (parts.size <= 2 || edgesOf(plan) === undefined);
}

/** Whether nothing but sums, counts, least and greatest values of many streams is asked for, as they are stored. */
function canAddSummed(
  plan: AggregatePlan,
  bound: BoundStreams,
  aggregator: Pick<Aggregator, 'totalsNeeded' | 'tagsMatter'>,
): boolean {
  if (plan.calculated !== undefined || bound.count < scannedStreams || picksByName(plan)) return false;
  if (aggregator.tagsMatter) return false;
  const needed = aggregator.totalsNeeded();
  return needed !== undefined && !(needed.allValues && needed.ends.includes(true));
}

function loneRange({ from, to }: AggregatePlan, { parameters }: BoundStreams): LoneRange {
  return { from, to, parameters: new Set(parameters.filter((number) => number !== undefined)) };
}
const noParts: ReadonlySet<Part> = new Set();
const noPlaces = new Uint32Array(0);
const noWindows: ByWindow<IndexedPart> = new Map();

/** From the first row of the selected streams to the last, as far as the plan wants them. */
function extentOf(
  { from, to }: AggregatePlan,
  { count, firsts, lasts }: BoundStreams,
): TimeRange | undefined {
  if (count === 0) return undefined;
  let [first, last] = [0, 0];
  for (let place = 1; place < count; place++) {
    if (firsts.isBefore(place, firsts.window(first), firsts.offset(first))) first = place;
    if (lasts.isAfter(place, lasts.window(last), lasts.offset(last))) last = place;
  }
  const [begin, end] = [firsts.time(first), lasts.time(last)];
  return { first: begin < from ? from : begin, last: end > to ? to : end };
}
