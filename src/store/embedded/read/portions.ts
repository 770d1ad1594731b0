import type { TimeRange } from '../../../domain/timestamp.ts';
import type { AggregatePlan } from '../../../query/plan/plan.ts';
import { hasPatterns } from '../../../query/plan/tag-predicate.ts';
import type { PartialAggregate } from '../../../query/states/partial-aggregate.ts';
import { timeList } from '../rows/time-list.ts';
import type { BoundStreams } from './bind-streams.ts';

/** What streams are aggregated for: plain data. */
export interface StreamsWork {
  readonly plan: AggregatePlan;
  /** Holds all rows of the plan's streams that it wants. */
  readonly extent: TimeRange;
  /** Whether the streams are so many that a part is read in long spans where its row groups are not large. */
  readonly isScan: boolean;
}

/** Some streams of an aggregation, in their order. */
export interface Portion {
  readonly number: number;
  readonly bound: BoundStreams;
}

/** From where other threads take portions of a read. */
export interface PortionSource {
  readonly work: StreamsWork;
  /** The next one; undefined where none is left. */
  take(): Portion | undefined;
  /** Gives back the rows of one. `joined` is called when they are not needed any more. */
  give(number: number, rows: PartialAggregate, joined: () => void): void;
  /** One that was taken will not come: the read fails. */
  fail(error: unknown): void;
}

/**
 * Looks for threads that take portions; some may begin later, or none.
 *
 * @param leftMs how long one thread would work on those that are left
 * @returns ends it: nothing is taken or given any more; undefined where that is too little
 */
export type FindHelp = (source: PortionSource, leftMs: number) => (() => void) | undefined;

/** So many portions at most, each of so many streams at least. */
const mostPortions = 16;
const leastStreams = 32;

/**
 * Cuts streams into portions. How depends on what is asked alone, never on threads: sums of portions are joined in their
 * order, so that an answer is the same bit for bit, however many threads made it. A plan with patterns stays as it is: what
 * these may take is counted for all streams together.
 */
export function portionsOf({ tagFilters }: AggregatePlan, order: Uint32Array): Uint32Array[] {
  const most = Math.min(mostPortions, Math.floor(order.length / leastStreams));
  const count = hasPatterns(tagFilters) ? 1 : Math.max(1, most);
  const end = (portion: number) => Math.floor((portion * order.length) / count);
  return Array.from({ length: count }, (_, i) => order.subarray(end(i), end(i + 1)));
}

/** Whether all rows of a group are of one stream: then it makes no difference in which portion they are. */
export function groupsAreOfOneStream({ groupBy, topic }: AggregatePlan): boolean {
  return groupBy.includes('streamId') && (topic !== undefined || groupBy.includes('topic'));
}

/** Some of the streams, by their places, in that order. */
export function someOf(bound: BoundStreams, places: Uint32Array): BoundStreams {
  const [firsts, lasts] = [timeList(), timeList()];
  places.forEach((place, i) => {
    firsts.set(i, bound.firsts.window(place), bound.firsts.offset(place));
    lasts.set(i, bound.lasts.window(place), bound.lasts.offset(place));
  });
  const named = bound.ids.length > 0 ? Array.from(places) : [];
  return {
    count: places.length,
    streams: Uint32Array.from(places, (place) => bound.streams[place]!),
    ids: named.map((place) => bound.ids[place]!),
    topics: named.map((place) => bound.topics[place]!),
    firsts,
    lasts,
    parameters: bound.parameters,
  };
}
