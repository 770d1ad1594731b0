import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BoundStreams } from '../../../../src/store/embedded/read/bind-streams.ts';
import { timeList } from '../../../../src/store/embedded/rows/time-list.ts';
import {
  type BoundPlan,
  countNames,
  namesOf,
  namesOfMessage,
  planKeeper,
  sentPlans,
} from '../../../../src/store/embedded/threads/sent-streams.ts';

/** Streams of a few topics, in arrays with room for some more. */
function boundOf(count: number, isNamed: boolean): BoundStreams {
  const places = Array.from({ length: count }, (_, place) => place);
  const [firsts, lasts] = [timeList(), timeList()];
  for (const place of places) {
    firsts.set(place, place % 7, place);
    lasts.set(place, 7 + (place % 7), 2 * place);
  }
  const streams = new Uint32Array(count + 5);
  streams.set(places.map((place) => 3 * place));
  return {
    count,
    streams,
    ids: isNamed ? places.map((place) => `stream ${place}`) : [],
    topics: isNamed ? places.map((place) => `topic ${place % 5}`) : [],
    firsts,
    lasts,
    parameters: [4, undefined],
  };
}

/** All that a read sees of the streams. */
function seen(plan: BoundPlan) {
  if (plan instanceof Uint32Array) return [...plan];
  const { count, streams, ids, topics, firsts, lasts, parameters } = plan;
  const places = Array.from({ length: count }, (_, place) => place);
  return {
    streams: [...streams.subarray(0, count)],
    names: [ids, topics],
    times: places.map((place) => [firsts.time(place), lasts.time(place)]),
    parameters,
  };
}

/** What the other end has of plans. */
function received(plans: readonly BoundPlan[]): readonly BoundPlan[] {
  const keeper = planKeeper();
  for (const names of namesOf(plans)) keeper.add(structuredClone(names));
  const sent = sentPlans(plans);
  return keeper.plans(structuredClone(sent.plans, { transfer: [...sent.given] }));
}

describe('streams that are sent to a thread', () => {
  it('come as they were, few and very many, with their names and without', () => {
    const counts = [0, 1, namesOfMessage, namesOfMessage + 1, 70_000];
    for (const isNamed of [true, false]) {
      const plans = () => counts.map((count) => boundOf(count, isNamed));
      assert.deepEqual(received(plans()).map(seen), plans().map(seen));
    }
    const selected = () => [Uint32Array.of(3, 1, 2)];
    assert.deepEqual(received(selected()).map(seen), selected().map(seen));
  });

  it('have names in messages of a bounded size, with each topic once', () => {
    const plans = [boundOf(3, true), boundOf(2 * namesOfMessage + 1, true), boundOf(9, false)];
    const names = [...namesOf(plans)];
    assert.deepEqual(
      names.map(({ plan, ids, topics, topicNames }) => [plan, ids.length, topics.length, topicNames.length]),
      [
        [0, 3, 3, 3],
        [1, namesOfMessage, namesOfMessage, 5],
        [1, namesOfMessage, namesOfMessage, 5],
        [1, 1, 1, 1],
      ],
    );
    assert.equal(countNames(plans), 2 * namesOfMessage + 4);
  });
});
