import type { TopicSummary } from '../domain/listing.ts';
import type { Principal } from '../domain/principal.ts';
import {
  type SharedStreams,
  type StreamChoice,
  sharedOf,
  withSharedParents,
} from '../domain/shared-streams.ts';
import type { Stream } from '../domain/stream.ts';
import { topicExpressions } from '../expression/topic-expressions.ts';
import type { Selection } from '../query/plan/plan.ts';
import type { AnswerRequest } from '../store/answers/answer.ts';
import type { Documents, Listings, Reader } from '../store/store.ts';

/** What queries ask of a store. */
export interface Reads {
  readonly catalog: Listings & Pick<Documents, 'documents'>;
  readonly answer: Reader['answer'];
}

/**
 * Returns what a caller reads: the store, or for the token of a share the part of it that is shared. All that is open
 * to shares and reads goes through here. What a filter, a query or a cursor names beside the shared streams is as if it
 * were not there.
 *
 * @param now milliseconds since the Unix epoch
 */
export function readsOf(store: Reads, { share }: Principal, now: () => number): Reads {
  return share === undefined ? store : sharedReads(store, share, now);
}

/**
 * Returns what a caller reads, with the calculated parameters that topics keep. A share has those of its topic that are
 * calculated from nothing but parameters of its streams: others would tell what else there is.
 */
export async function readsWithCalculations(
  store: Reads,
  { share, workspace }: Principal,
  now: () => number,
  signal: AbortSignal,
): Promise<Reads> {
  if (share === undefined) return store;
  const reads = sharedReads(store, share, now);
  const items = store.catalog.documents(workspace, 'calculated', share.topic);
  if (items.length === 0) return reads;
  const written = await reads.catalog.parameters(workspace, { includeTypes: ['Numeric'] }, signal);
  const names = new Set([...written.map(({ id }) => id), ...items.map(({ id }) => id)]);
  const expressions = topicExpressions(items);
  const own = items.filter(({ id }) => expressions.of(id)?.parameters.every((name) => names.has(name)));
  const kept: Documents['documents'] = (_workspace, kind, topic) =>
    kind === 'calculated' && sharedOf(share, { topic }) !== undefined ? own : [];
  return { ...reads, catalog: { ...reads.catalog, documents: kept } };
}

function sharedReads(store: Reads, share: SharedStreams, now: () => number): Reads {
  const { catalog } = store;

  const streams: Listings['streams'] = async (workspace, filter, at, signal) => {
    const own = sharedOf(share, filter);
    if (own === undefined || asksForOthers(share, filter.parentStreamId)) return [];
    const found = await catalog.streams(workspace, { ...withoutTopics(filter), ...own }, at, signal);
    return found.map((stream) => withSharedParents(share, stream));
  };

  return {
    catalog: {
      streams,
      async streamModels(workspace, filter, at, signal) {
        const own = sharedOf(share, filter);
        if (own === undefined || asksForOthers(share, filter.parentStreamId)) return [];
        const found = await catalog.streamModels(workspace, { ...withoutTopics(filter), ...own }, at, signal);
        return found.map(({ stream, depth }) => ({ stream: withSharedParents(share, stream), depth }));
      },
      parameters(workspace, filter, signal) {
        const own = sharedOf(share, filter);
        return own === undefined
          ? []
          : catalog.parameters(workspace, { ...withoutTopics(filter), ...own }, signal);
      },
      events(workspace, filter, signal) {
        const own = sharedOf(share, filter);
        return own === undefined
          ? []
          : catalog.events(workspace, { ...withoutTopics(filter), ...own }, signal);
      },
      writtenEvents(workspace, chosen, signal) {
        const own = sharedOf(share, chosen);
        return own === undefined ? [] : catalog.writtenEvents(workspace, own, signal);
      },
      unknownParameters: (workspace, chosen, keys, signal) =>
        catalog.unknownParameters(workspace, sharedOrNone(share, chosen), keys, signal),
      documents: () => [],
      topics: async (workspace, signal) => summary(share, await streams(workspace, {}, now(), signal)),
    },

    answer: (request, terms) => store.answer(narrowed(share, request), terms),
  };
}

/** A parent that is not shared is none, also where a shared stream has it. */
function asksForOthers(share: SharedStreams, parent: string | undefined): boolean {
  return parent !== undefined && !share.streamIds.has(parent);
}

function withoutTopics<Filter extends StreamChoice>(filter: Filter): Omit<Filter, 'topics'> {
  const { topics: _, ...rest } = filter;
  return rest;
}

/** No stream has an empty id. */
const noStream = [''];

/** The streams that are chosen and shared; without one, a choice of none. */
function sharedOrNone(share: SharedStreams, chosen: StreamChoice): Pick<Selection, 'topic' | 'streamIds'> {
  const { topic, streamIds } = sharedOf(share, chosen) ?? { topic: share.topic, streamIds: noStream };
  return { topic, streamIds };
}

function narrowed(share: SharedStreams, request: AnswerRequest): AnswerRequest {
  const ofShare = <Plan extends StreamChoice>(plan: Plan): Plan => {
    const { topic, streamIds } = sharedOrNone(share, plan);
    return { ...plan, topic, streamIds };
  };
  switch (request.kind) {
    case 'rows': {
      const { plans } = request;
      if (plans.length === 1) return { ...request, plans: [ofShare(plans[0])] };
      return { ...request, plans: [ofShare(plans[0]), ofShare(plans[1])] };
    }
    case 'events':
      return { ...request, plans: request.plans.map(ofShare) };
    case 'tagNames':
    case 'tagValues':
      return { ...request, plans: [ofShare(request.plans[0])] };
  }
}

/** The topic as if it had no other streams. */
function summary({ topic }: SharedStreams, streams: readonly Stream[]): TopicSummary[] {
  if (streams.length === 0) return [];
  let dataStart: bigint | undefined;
  let dataEnd: bigint | undefined;
  let lastUpdate = 0;
  for (const stream of streams) {
    if (stream.dataStart !== undefined && (dataStart === undefined || stream.dataStart < dataStart))
      dataStart = stream.dataStart;
    if (stream.dataEnd !== undefined && (dataEnd === undefined || stream.dataEnd > dataEnd))
      dataEnd = stream.dataEnd;
    if (stream.lastUpdate > lastUpdate) lastUpdate = stream.lastUpdate;
  }
  return [{ name: streams[0]?.topic ?? topic, streams: streams.length, dataStart, dataEnd, lastUpdate }];
}
