import type { StreamDescription } from '../../../domain/definition.ts';
import { Kind } from '../../../domain/parameter-data.ts';
import type { Paging, StreamFilter } from '../../../domain/query.ts';
import type { Status, Stream } from '../../../domain/stream.ts';
import { foldTopic } from '../../../domain/topic.ts';
import type { Steps } from '../../../turns/steps.ts';
import { ascendingNumbers } from './ascending-numbers.ts';
import { type CatalogState, findTopic, type Topic } from './catalog-state.ts';
import { streamsOfStep } from './one-moment.ts';
import { streamOrder } from './ordered-streams.ts';
import { visibleParameters } from './retention.ts';
import { statusOf, toStream } from './stream-fields.ts';
import { predicates } from './stream-predicates.ts';

/**
 * `/streams` on the embedded store: candidates from ids and topics, then one predicate per field of the filter,
 * then order and page. Numbers travel until the end; records are built for the page only.
 *
 * @param now milliseconds since the Unix epoch, for statuses
 * @param interruptedAfterMs how long an open stream may be silent before it counts as interrupted
 */
export function* selectStreams(
  state: CatalogState,
  workspace: string,
  filter: StreamFilter,
  now: number,
  interruptedAfterMs: number,
): Steps<Stream[]> {
  const statusAt = (stream: number) => statusOf(state, stream, now, interruptedAfterMs);
  const order = streamOrder(state, filter.ordering, filter.paging, statusAt);
  yield* eachMatching(state, workspace, hidingDeleted(filter), statusAt, order.add);
  const page = yield* order.page();
  const found: Stream[] = [];
  for (const stream of page) {
    found.push(toStream(state, stream, statusAt(stream)));
    if (found.length % streamsOfStep === 0) yield;
  }
  return found;
}

/** The numbers of all streams that the filter selects, in no order. */
export function* selectedStreams(
  state: CatalogState,
  workspace: string,
  filter: StreamFilter,
  statusAt: (stream: number) => Status,
): Steps<number[]> {
  const selected: number[] = [];
  yield* eachMatching(state, workspace, hidingDeleted(filter), statusAt, (stream) => selected.push(stream));
  return selected;
}

export function pageOf<Items extends { slice(start: number, end: number): Items }>(
  items: Items,
  paging: Paging | undefined,
): Items {
  if (paging === undefined) return items;
  const { index, length } = paging;
  return items.slice(index * length, (index + 1) * length);
}

/**
 * The numbers, ascending, of all streams that a filter selects, its order and page left aside. Soft-deleted streams
 * are among them, unless the filter has an eye to statuses.
 */
export function* streamsToChange(
  state: CatalogState,
  workspace: string,
  filter: StreamFilter,
  now: number,
  interruptedAfterMs: number,
): Steps<Uint32Array> {
  const statusAt = (stream: number) => statusOf(state, stream, now, interruptedAfterMs);
  const found = ascendingNumbers();
  yield* eachMatching(state, workspace, filter, statusAt, found.add);
  return yield* found.all();
}

/** Looks at the candidates in steps, and gives those that match to `take`. */
function* eachMatching(
  state: CatalogState,
  workspace: string,
  filter: StreamFilter,
  statusAt: (stream: number) => Status,
  take: (stream: number) => void,
): Steps<void> {
  const tests = predicates(state, filter, statusAt);
  const { isVisible } = state.streams;
  let looked = 0;
  for (const stream of candidates(state, workspace, filter)) {
    if (++looked % streamsOfStep === 0) yield;
    if (isVisible(stream) && tests.every((test) => test(stream))) take(stream);
  }
}

/** Soft-deleted streams appear only when they are asked for by status. */
function hidingDeleted(filter: StreamFilter): StreamFilter {
  if (filter.includeStatuses !== undefined) return filter;
  return { ...filter, excludeStatuses: [...(filter.excludeStatuses ?? []), 'SoftDeleted'] };
}

/** One visible stream with all that is known of it. */
export function describeStream(
  state: CatalogState,
  stream: number,
  now: number,
  interruptedAfterMs: number,
): StreamDescription {
  const written = state.sets
    .members(visibleParameters(state, stream))
    .map((number) => state.parameters[number])
    .filter((parameter) => parameter !== undefined);
  return {
    stream: toStream(state, stream, statusOf(state, stream, now, interruptedAfterMs)),
    parameters: written.filter(({ kind }) => kind !== Kind.Event).map(({ kind, name }) => ({ kind, name })),
    eventIds: written.filter(({ kind }) => kind === Kind.Event).map(({ name }) => name),
    parameterDefinitions: state.parameterDefinitions.of(stream),
    eventDefinitions: state.eventDefinitions.of(stream),
  };
}

/** Visible streams that a read of rows covers, ascending: by id and topic, soft-deleted ones left out. */
export function* streamsToRead(
  state: CatalogState,
  workspace: string,
  streamIds: readonly string[] | undefined,
  topic: string | undefined,
): Steps<Uint32Array<ArrayBuffer>> {
  const found = ascendingNumbers();
  let looked = 0;
  for (const stream of candidatesToRead(state, workspace, streamIds, topic)) {
    if (++looked % streamsOfStep === 0) yield;
    if (isShown(state, stream)) found.add(stream);
  }
  return yield* found.all();
}

/** Streams by id and topic, hidden ones among them. What is written meanwhile may come or not. */
export function* candidatesToRead(
  state: CatalogState,
  workspace: string,
  streamIds: readonly string[] | undefined,
  topic: string | undefined,
): Generator<number> {
  const ids = streamIds && new Set(streamIds);
  for (const { streams } of topicsToRead(state, workspace, topic)) {
    if (ids === undefined) {
      yield* streams.values();
      continue;
    }
    for (const id of ids) {
      const stream = streams.get(id);
      if (stream !== undefined) yield stream;
    }
  }
}

/** Whether a stream is there and not soft-deleted. */
export function isShown({ streams }: CatalogState, stream: number): boolean {
  return streams.isVisible(stream) && streams.rows.softDeleted[stream] !== true;
}

function topicsToRead(state: CatalogState, workspace: string, name: string | undefined): Iterable<Topic> {
  if (name === undefined) return state.topicsByName.get(workspace)?.values() ?? [];
  const topic = findTopic(state, workspace, name);
  return topic === undefined ? [] : [topic];
}

/** Gives the numbers of streams that are not soft-deleted to `take`, whatever their status, in steps. */
export function* eachShown(
  state: CatalogState,
  workspace: string,
  filter: Pick<StreamFilter, 'streamIds' | 'topic' | 'topics' | 'location'>,
  take: (stream: number) => void,
): Steps<void> {
  const { softDeleted } = state.streams.rows;
  const { streamIds, topic, topics, location } = filter;
  const which = {
    ...(streamIds && { streamIds }),
    ...(topic !== undefined && { topic }),
    ...(topics && { topics }),
    ...(location !== undefined && { location }),
  };
  const noOneAsks = () => 'Open' as const;
  yield* eachMatching(state, workspace, which, noOneAsks, (stream) => {
    if (softDeleted[stream] !== true) take(stream);
  });
}

function* candidates(state: CatalogState, workspace: string, filter: StreamFilter): Generator<number> {
  const topics = selectTopics(state, workspace, filter);
  const ids = filter.streamIds && new Set(filter.streamIds);
  for (const topic of topics) {
    if (ids === undefined) {
      yield* topic.streams.values();
      continue;
    }
    for (const id of ids) {
      const stream = topic.streams.get(id);
      if (stream !== undefined) yield stream;
    }
  }
}

function selectTopics(state: CatalogState, workspace: string, { topic, topics }: StreamFilter): Topic[] {
  const found = [...topicsToRead(state, workspace, topic)];
  const names = topics && new Set(topics.map(foldTopic));
  return names === undefined ? found : found.filter(({ name }) => names.has(foldTopic(name)));
}
