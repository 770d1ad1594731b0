import type { ResultBlock } from '../../../domain/result.ts';
import type { TimeRange } from '../../../domain/timestamp.ts';
import type { Aggregator } from '../../../query/aggregator.ts';
import { paceQuery } from '../../../query/bounds/pace.ts';
import type { QueryMemory } from '../../../query/bounds/query-memory.ts';
import { sortRows } from '../../../query/groups/paced-sort.ts';
import type { AggregatePlan } from '../../../query/plan/plan.ts';
import type { PartialAggregate } from '../../../query/states/partial-aggregate.ts';
import type { Pace } from '../../../turns/pace.ts';
import { nextTurn } from '../../../turns/rest.ts';
import { calculates } from '../../calculated/with-columns.ts';
import type { OpenSnapshot } from '../snapshot/snapshot.ts';
import { type ByWindow, type IndexedPart, scannedStreams } from '../walk/indexed-parts.ts';
import { type Adding, aggregatorOf, type StreamAdder, streamAdder } from './add-streams.ts';
import { edgesOf } from './aggregate-steps.ts';
import { type BoundStreams, compareBound, picksByName } from './bind-streams.ts';
import type { ScanRange, ScanRead } from './mark-streams.ts';
import { type LeftStreams, scanSmall, scanSummed } from './part-scan.ts';
import {
  type FindHelp,
  groupsAreOfOneStream,
  type PortionSource,
  portionsOf,
  type StreamsWork,
  someOf,
} from './portions.ts';
import type { ReadTerms } from './read-terms.ts';
import { summedGroups } from './summed-groups.ts';
import type { SummedGroups } from './summed-rows.ts';

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
    const read = { bound, order, snapshot, range: scanRange(plan, bound), pace, countRows };
    const summed =
      calculates(plan) && canKeep(plan, bound)
        ? await summedGroups(plan, { ...read, parts: adder.parts }, base)
        : undefined;
    const adding = adder.to(bound, base, summed);
    const { others, inMemory } = await addByParts(plan, read, adder, adding);
    await adding.add(inMemory, 'memory');
    await addInPortions({ work, bound, order: others, adder, base, adding, summed, memory, pace, findHelp });
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
async function addByParts(
  plan: AggregatePlan,
  read: Omit<ScanRead, 'parts'>,
  { indexed, parts }: StreamAdder,
  adding: Adding,
): Promise<LeftStreams> {
  const order = canScanSmall(plan, read.bound, indexed)
    ? (await scanSmall({ ...read, parts: indexed }, adding)).others
    : read.order;
  return canScanSummed(plan, read.bound, adding.aggregator)
    ? scanSummed({ ...read, order, parts }, adding)
    : { others: order, inMemory: noPlaces };
}

/** The number of streams from which on it pays to tell apart those that have only small row groups. */
const manyStreams = 1024;

/** The order in which streams are gone through: by their numbers, as they stand in parts, where it makes no difference. */
function orderOf(plan: AggregatePlan, bound: BoundStreams): (a: number, b: number) => number {
  if (picksByName(plan)) return (a, b) => compareBound(bound, a, b);
  return (a, b) => bound.streams[a]! - bound.streams[b]!;
}

/** Whether streams may be taken out of their order, and nothing but their outermost rows is seldom enough. */
function canScanSmall(plan: AggregatePlan, bound: BoundStreams, parts: ByWindow<IndexedPart>): boolean {
  if (plan.calculated !== undefined) return false;
  return bound.count >= manyStreams && !picksByName(plan) && (parts.size <= 2 || edgesOf(plan) === undefined);
}

/** Whether nothing but sums, counts, least and greatest values of many streams is asked for, as they are stored. */
function canScanSummed(
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

function scanRange({ from, to }: AggregatePlan, { parameters }: BoundStreams): ScanRange {
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

/** An aggregation of streams that are gone through one after the other. */
export interface PortionedRead {
  readonly work: StreamsWork;
  readonly bound: BoundStreams;
  /** The places of the streams in their order. */
  readonly order: Uint32Array;
  readonly adder: StreamAdder;
  /** What all is added to at last, and how. */
  readonly base: Aggregator;
  readonly adding: Adding;
  /** What the plan can be calculated from without looking for rows. */
  readonly summed: SummedGroups | undefined;
  readonly memory: QueryMemory;
  readonly pace: Pace;
  /** Undefined where there are no other threads. */
  readonly findHelp: FindHelp | undefined;
}

/** Portions that wait for those before them take as much as the first one each. */
const mostBytes = 16 << 20;

interface Given {
  readonly rows: PartialAggregate;
  readonly joined: () => void;
}

/** Adds streams portion by portion. Where the first has taken some time, other threads may take some of the others. */
export async function addInPortions(read: PortionedRead): Promise<void> {
  const { work, bound, adder, base, adding, summed, memory, pace, findHelp } = read;
  const portions = portionsOf(work.plan, read.order);
  const isDirect = groupsAreOfOneStream(work.plan);
  const given = new Map<number, Given>();
  let failure: { readonly reason: unknown } | undefined;
  let wake: () => void = () => undefined;
  let next = 1;
  let joined = 1;
  const source: PortionSource = {
    work,
    take() {
      if (next === portions.length) return undefined;
      const number = next++;
      return { number, bound: someOf(bound, portions[number]!) };
    },
    give(number, rows, whenJoined) {
      given.set(number, { rows, joined: whenJoined });
      wake();
    },
    fail(reason) {
      failure ??= { reason };
      wake();
    },
  };

  async function join({ rows, joined: whenJoined }: Given): Promise<void> {
    await base.join(rows, pace);
    given.delete(joined++);
    whenJoined();
  }

  async function addNext(): Promise<void> {
    const number = next++;
    if (isDirect && number === joined) {
      await adding.add(portions[number]!, 'all');
      joined++;
      return;
    }
    const apart = memory.apart();
    given.set(number, await rowsApart(number, apart));
  }

  async function rowsApart(number: number, apart: QueryMemory): Promise<Given> {
    try {
      const aggregator = aggregatorOf(work, apart);
      await adder.to(bound, aggregator, summed).add(portions[number]!, 'all');
      return { rows: aggregator.give(), joined: apart.release };
    } catch (error) {
      apart.release();
      throw error;
    }
  }

  const begin = performance.now();
  await adding.add(portions[0]!, 'all');
  const leftMs = (performance.now() - begin) * (portions.length - 1);
  const endHelp = memory.bytes() <= mostBytes ? findHelp?.(source, leftMs) : undefined;
  try {
    while (joined < portions.length) {
      if (failure !== undefined) throw failure.reason;
      const ready = given.get(joined);
      if (ready !== undefined) await join(ready);
      else if (next < portions.length) await addNext();
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      // Others are given theirs between two turns.
      if (endHelp !== undefined) await nextTurn();
    }
  } finally {
    endHelp?.();
    for (const { joined: done } of given.values()) done();
  }
}
