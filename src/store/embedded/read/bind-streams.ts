import { compareText } from '../../../domain/tags.ts';
import { minTimestamp } from '../../../domain/timestamp.ts';
import { runsAlongRows } from '../../../query/plan/calculated.ts';
import { type AggregatePlan, isAggregate, type ReadPlan } from '../../../query/plan/plan.ts';
import type { Steps } from '../../../turns/steps.ts';
import type { CatalogState } from '../catalog/catalog-state.ts';
import { streamsOfStep } from '../catalog/one-moment.ts';
import { candidatesToRead, isShown } from '../catalog/select-streams.ts';
import { type TimeList, timeList } from '../rows/time-list.ts';
import { windowOf, windowStart } from '../rows/windows.ts';

/**
 * The streams and parameters of a plan by their numbers, fixed to the moment at which the read began. A few arrays, for
 * there may be a million streams: each has a place in all of them. They stand in no order.
 */
export interface BoundStreams {
  readonly count: number;
  /** There may be more places than streams, here and in the times. */
  readonly streams: Uint32Array<ArrayBuffer>;
  /** Empty, as `topics` is, where the plan does not ask which stream is which. */
  readonly ids: readonly string[];
  /** Names of topics. */
  readonly topics: readonly string[];
  /** Smallest and largest time of each stream. */
  readonly firsts: TimeList;
  readonly lasts: TimeList;
  /** Aligned with `plan.parameters`; undefined where nobody wrote that parameter. */
  readonly parameters: readonly (number | undefined)[];
}

/** The streams of several plans. */
export function* bindEach(
  state: CatalogState,
  plans: readonly (ReadPlan | AggregatePlan)[],
): Steps<BoundStreams[]> {
  const bound: BoundStreams[] = [];
  for (const plan of plans) bound.push(yield* bindStreams(state, plan));
  return bound;
}

/** Looks up which streams may have rows for a plan. */
export function* bindStreams(state: CatalogState, plan: ReadPlan | AggregatePlan): Steps<BoundStreams> {
  const parameters = plan.parameters.map(({ kind, name }) => state.parametersByName[kind].get(name)?.number);
  const wanted = parameters.filter((number) => number !== undefined);
  const [from, to] = [placeOf(plan.from), placeOf(plan.to)];
  const isNamed = asksWhich(plan);
  let count = 0;
  const ids: string[] = [];
  const topics: string[] = [];
  let streams = new Uint32Array(16);
  const [firsts, lasts] = [timeList(), timeList()];
  const { rows, id, topic } = state.streams;
  let looked = 0;
  /** The set of parameters of the stream before: mostly the next one has the same. */
  let lastSet = 0;
  let isWanted = false;
  for (const stream of candidatesToRead(state, plan.workspace, plan.streamIds, plan.topic)) {
    if (++looked % streamsOfStep === 0) {
      yield;
      lastSet = 0;
      isWanted = false;
    }
    if (!isShown(state, stream)) continue;
    const set = rows.parameters[stream]!;
    if (set !== lastSet) {
      lastSet = set;
      isWanted = wanted.some((parameter) => state.sets.has(set, parameter));
    }
    if (!isWanted) continue;
    const place = count;
    firsts.put(place, rows.dataStart, stream);
    lasts.put(place, rows.dataEnd, stream);
    if (firsts.isAfter(place, to.window, to.offset) || lasts.isBefore(place, from.window, from.offset))
      continue;
    if (place === streams.length) {
      const larger = new Uint32Array(2 * place);
      larger.set(streams);
      streams = larger;
    }
    streams[place] = stream;
    count++;
    if (!isNamed) continue;
    ids.push(id(stream));
    topics.push(state.topics[topic(stream)]!.name);
  }
  return { count, streams, ids, topics, firsts, lasts, parameters };
}

/** Whether ids and topics are in the answer, or decide between equal times or what is calculated. */
function asksWhich(plan: ReadPlan | AggregatePlan): boolean {
  if (!isAggregate(plan)) return true;
  const { groupBy } = plan;
  const ofTopics = plan.calculated?.columns.some(({ perTopic }) => perTopic !== undefined) ?? false;
  return ofTopics || groupBy.includes('streamId') || groupBy.includes('topic') || picksByName(plan);
}

/**
 * Whether streams have to be gone through by id, then topic: of equal times the first or last value is that of the first or
 * last stream.
 */
export function picksByName({ columns, groupBy }: AggregatePlan): boolean {
  const picks = columns.some(({ aggregation }) => aggregation === 'First' || aggregation === 'Last');
  return picks && !(groupBy.includes('streamId') && groupBy.includes('topic'));
}

/** The order of places by stream id, then topic. */
export function compareBound({ ids, topics }: BoundStreams, a: number, b: number): number {
  return compareText(ids[a]!, ids[b]!) || compareText(topics[a]!, topics[b]!);
}

function placeOf(time: bigint): { readonly window: number; readonly offset: number } {
  const window = windowOf(time);
  return { window, offset: Number(time - windowStart(window)) };
}

/**
 * Tells of streams, by their places, whether they have rows before the first wanted time that may matter.
 *
 * @param firsts the first time of each
 */
export function looksBefore(plan: AggregatePlan, firsts: TimeList): (place: number) => boolean {
  if (plan.from === minTimestamp || !runsAlongRows(plan)) return () => false;
  const window = windowOf(plan.from);
  const offset = Number(plan.from - windowStart(window));
  return (place) => firsts.isBefore(place, window, offset);
}
