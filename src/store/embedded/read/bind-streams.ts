import type { ParameterKey } from '../../../domain/parameter-data.ts';
import { compareText } from '../../../domain/tags.ts';
import type { Selection } from '../../../query/plan.ts';
import type { CatalogState } from '../catalog/catalog-state.ts';
import { candidatesToRead, isShown } from '../catalog/select-streams.ts';
import { type Steps, streamsOfStep } from '../catalog/steps.ts';
import { type TimeList, timeList } from '../rows/time-list.ts';
import { windowOf, windowStart } from '../rows/windows.ts';

/**
 * The streams and parameters of a plan by their numbers, fixed to the moment at which the read began. A few arrays, for
 * there may be a million streams: each has a place in all of them. They stand in no order.
 */
export interface BoundStreams {
  readonly count: number;
  readonly streams: Uint32Array;
  readonly ids: readonly string[];
  /** Names of topics. */
  readonly topics: readonly string[];
  /** Smallest and largest time of each stream. */
  readonly firsts: TimeList;
  readonly lasts: TimeList;
  /** Aligned with `plan.parameters`; undefined where nobody wrote that parameter. */
  readonly parameters: readonly (number | undefined)[];
}

/** Looks up which streams may have rows for a plan. */
export function* bindStreams(
  state: CatalogState,
  plan: Selection & { readonly parameters: readonly ParameterKey[] },
): Steps<BoundStreams> {
  const parameters = plan.parameters.map(({ kind, name }) => state.parametersByName[kind].get(name)?.number);
  const wanted = parameters.filter((number) => number !== undefined);
  const [from, to] = [placeOf(plan.from), placeOf(plan.to)];
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
    const place = ids.length;
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
    ids.push(id(stream));
    topics.push(state.topics[topic(stream)]!.name);
  }
  return { count: ids.length, streams, ids, topics, firsts, lasts, parameters };
}

/** The order of places by stream id, then topic. */
export function compareBound({ ids, topics }: BoundStreams, a: number, b: number): number {
  return compareText(ids[a]!, ids[b]!) || compareText(topics[a]!, topics[b]!);
}

function placeOf(time: bigint): { readonly window: number; readonly offset: number } {
  const window = windowOf(time);
  return { window, offset: Number(time - windowStart(window)) };
}
