import type { BoundStreams } from '../read/bind-streams.ts';
import { type TimeData, timeList } from '../rows/time-list.ts';

/** The streams of a plan, or the numbers of those of a selection. */
export type BoundPlan = BoundStreams | Uint32Array<ArrayBuffer>;

/** The same as it is sent; ids and topics of many streams go before it. */
export type SentPlan = SentStreams | Uint32Array<ArrayBuffer>;

interface SentStreams {
  readonly count: number;
  readonly streams: Uint32Array<ArrayBuffer>;
  readonly firsts: TimeData;
  readonly lasts: TimeData;
  readonly parameters: readonly (number | undefined)[];
}

/** Ids and topics of some streams of a plan, in the order of their places. */
export interface SentNames {
  /** Of the plan, among those of the request. */
  readonly plan: number;
  /** How many streams of the plan have names, and the place of the first of these. */
  readonly count: number;
  readonly from: number;
  readonly ids: readonly string[];
  /** Each topic that these streams are of, once. */
  readonly topicNames: readonly string[];
  /** By stream, a place in `topicNames`. */
  readonly topics: Uint16Array;
}

/** The most streams whose names go in one message: it takes about a millisecond. */
export const namesOfMessage = 4096;

/**
 * The streams from which on an array is given away as it is; smaller ones are copied without what is not used of
 * them.
 */
const givenFrom = 65_536;

export function countNames(plans: readonly BoundPlan[]): number {
  return plans.reduce((sum, bound) => sum + (bound instanceof Uint32Array ? 0 : bound.ids.length), 0);
}

/** The names of the streams of all plans, some at a time. */
export function* namesOf(plans: readonly BoundPlan[]): Generator<SentNames> {
  for (const [plan, bound] of plans.entries()) {
    if (bound instanceof Uint32Array) continue;
    const { ids, topics } = bound;
    for (let from = 0; from < ids.length; from += namesOfMessage) {
      const to = Math.min(ids.length, from + namesOfMessage);
      yield { plan, count: ids.length, from, ids: ids.slice(from, to), ...numbered(topics, from, to) };
    }
  }
}

function numbered(topics: readonly string[], from: number, to: number) {
  const numbers = new Map<string, number>();
  const ofStreams = new Uint16Array(to - from);
  for (let place = from; place < to; place++) {
    const name = topics[place]!;
    let number = numbers.get(name);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(name, number);
    }
    ofStreams[place - from] = number;
  }
  return { topicNames: [...numbers.keys()], topics: ofStreams };
}

/** All of the plans but the names. Their arrays are used up: they may go with the message. */
export function sentPlans(plans: readonly BoundPlan[]): {
  readonly plans: readonly SentPlan[];
  readonly given: readonly ArrayBuffer[];
} {
  const given: ArrayBuffer[] = [];
  function giving<List extends Uint32Array | Int32Array | Float64Array>(list: List, count: number): List {
    const sent = count < givenFrom ? (list.slice(0, count) as List) : list;
    given.push(sent.buffer as ArrayBuffer);
    return sent;
  }
  const times = ({ windows, offsets }: TimeData, count: number): TimeData => ({
    windows: giving(windows, count),
    offsets: giving(offsets, count),
  });
  const sent = plans.map((bound): SentPlan => {
    if (bound instanceof Uint32Array) return giving(bound, bound.length);
    const { count, streams, firsts, lasts, parameters } = bound;
    return {
      count,
      streams: giving(streams, count),
      firsts: times(firsts.data(), count),
      lasts: times(lasts.data(), count),
      parameters,
    };
  });
  return { plans: sent, given };
}

/** The other end: puts the plans of one read together. */
export interface PlanKeeper {
  add(names: SentNames): void;
  /** What was sent, when all names are there. */
  plans(sent: readonly SentPlan[]): readonly BoundPlan[];
}

export function planKeeper(): PlanKeeper {
  const named = new Map<number, { readonly ids: string[]; readonly topics: string[] }>();
  return {
    add({ plan, count, from, ids, topicNames, topics }) {
      // A million would be copied many times over in arrays that grow.
      const names = named.get(plan) ?? { ids: new Array<string>(count), topics: new Array<string>(count) };
      named.set(plan, names);
      for (let i = 0; i < ids.length; i++) {
        names.ids[from + i] = ids[i]!;
        names.topics[from + i] = topicNames[topics[i]!]!;
      }
    },
    plans: (sent) =>
      sent.map((plan, at) => {
        if (plan instanceof Uint32Array) return plan;
        const { ids, topics } = named.get(at) ?? { ids: [], topics: [] };
        return { ...plan, ids, topics, firsts: timeList(plan.firsts), lasts: timeList(plan.lasts) };
      }),
  };
}
