import type { ResultBlock } from '../../../domain/result.ts';
import type { TimeRange } from '../../../domain/timestamp.ts';
import type { Aggregator } from '../../../query/aggregator.ts';
import { paceQuery } from '../../../query/pace.ts';
import { sortRows } from '../../../query/paced-sort.ts';
import type { AggregatePlan } from '../../../query/plan.ts';
import type { QueryMemory } from '../../../query/query-memory.ts';
import { calculates } from '../../calculated/with-columns.ts';
import { addInPortions } from './add-in-portions.ts';
import { addLoneStreams } from './add-lone-streams.ts';
import { type Adding, aggregatorOf, type StreamAdder, streamAdder } from './add-streams.ts';
import { addSummedStreams, type LeftStreams } from './add-summed-streams.ts';
import { edgesOf } from './aggregate-steps.ts';
import { type BoundStreams, compareBound, picksByName } from './bind-streams.ts';
import type { ByWindow, IndexedPart } from './indexed-parts.ts';
import { keptGroups } from './kept-groups.ts';
import type { LoneRead } from './lone-read.ts';
import type { ReadTerms } from './read-terms.ts';
import type { OpenSnapshot } from './snapshot.ts';
import type { LoneRange } from './walk-lone.ts';

/** Runs an aggregating plan on a snapshot: stream by stream, so that what is in memory is a few blocks and the groups. */
export async function* aggregate(
  plan: AggregatePlan,
  bound: BoundStreams,
  open: OpenSnapshot,
  memory: QueryMemory,
  { signal, maxMs, countRows, findHelp }: ReadTerms,
): AsyncGenerator<ResultBlock> {
  const extent =
    extentOf(plan, bound) ?? (plan.before === undefined ? undefined : { first: plan.from, last: plan.from });
  if (extent === undefined) return;
  const { pace, pause, restart } = paceQuery(signal, maxMs);
  const sorting = sortRows(bound.count, orderOf(plan, bound), pace);
  const order = sorting instanceof Promise ? await sorting : sorting;
  const work = { plan, extent, isScan: bound.count >= scannedStreams };
  const base = aggregatorOf(work, memory);
  const adder = await streamAdder(work, open, pace, countRows);
  try {
    const { snapshot } = open;
    const read = { bound, order, snapshot, range: loneRange(plan, bound), pace, countRows };
    const kept =
      calculates(plan) && canKeep(plan, bound)
        ? await keptGroups(plan, { ...read, parts: adder.parts }, base)
        : undefined;
    const adding = adder.to(bound, base, kept);
    const { others, inMemory } = await addTogether(plan, read, adder, adding);
    await adding.add(inMemory, 'memory');
    await addInPortions({ work, bound, order: others, adder, base, adding, kept, memory, pace, findHelp });
  } finally {
    adder.close();
  }
  for await (const block of base.finish(pace)) {
    pause();
    yield block;
    restart();
  }
}

/** Adds the rows of streams that can be added part by part; gives the others. */
async function addTogether(
  plan: AggregatePlan,
  read: Omit<LoneRead, 'parts'>,
  { indexed, parts }: StreamAdder,
  { aggregator, feed }: Adding,
): Promise<LeftStreams> {
  const order = canAddLone(plan, read.bound, indexed)
    ? await addLoneStreams({ ...read, parts: indexed }, aggregator, feed)
    : read.order;
  return canAddSummed(plan, read.bound, aggregator)
    ? addSummedStreams({ ...read, order, parts }, aggregator)
    : { others: order, inMemory: noPlaces };
}

/** From so many streams on a part is read in long spans where its row groups are not large. */
const scannedStreams = 64;
/** From so many on it pays to tell apart those that have only small row groups. */
const manyStreams = 1024;

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

/** Whether many streams are calculated with, each as a whole, by their numbers. */
function canKeep(plan: AggregatePlan, bound: BoundStreams): boolean {
  return bound.count >= scannedStreams && !picksByName(plan) && edgesOf(plan) === undefined;
}

function loneRange({ from, to }: AggregatePlan, { parameters }: BoundStreams): LoneRange {
  return { from, to, parameters: new Set(parameters.filter((number) => number !== undefined)) };
}
const noPlaces = new Uint32Array(0);

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
