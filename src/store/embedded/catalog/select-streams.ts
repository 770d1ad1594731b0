import type { StreamDescription } from '../../../domain/definition.ts';
import { Kind } from '../../../domain/parameter-data.ts';
import type { Paging, StreamFilter } from '../../../domain/query.ts';
import type { Status, Stream } from '../../../domain/stream.ts';
import { compareText } from '../../../domain/tags.ts';
import { foldTopic } from '../../../domain/topic.ts';
import { type CatalogState, findTopic, type Topic } from './catalog-state.ts';
import { visibleExtent, visibleParameters } from './retention.ts';
import { locationOf, nameOf, statusOf, topicOf, toStream } from './stream-fields.ts';
import { predicates } from './stream-predicates.ts';

/**
 * `/streams` on the embedded store: candidates from ids and topics, then one predicate per field of the filter,
 * then order and page. Numbers travel until the end; records are built for the page only.
 *
 * @param now milliseconds since the Unix epoch, for statuses
 * @param interruptedAfterMs how long an open stream may be silent before it counts as interrupted
 */
export function selectStreams(
  state: CatalogState,
  workspace: string,
  filter: StreamFilter,
  now: number,
  interruptedAfterMs: number,
): Stream[] {
  const statusAt = (stream: number) => statusOf(state, stream, now, interruptedAfterMs);
  const selected = orderedStreams(state, workspace, filter, statusAt);
  return pageOf(selected, filter.paging).map((stream) => toStream(state, stream, statusAt(stream)));
}

/** The numbers of all streams that the filter selects, in its order. */
export function orderedStreams(
  state: CatalogState,
  workspace: string,
  filter: StreamFilter,
  statusAt: (stream: number) => Status,
): number[] {
  const selected = matching(state, workspace, hidingDeleted(filter), statusAt);
  orderStreams(state, selected, filter, statusAt);
  return selected;
}

export function pageOf<Item>(items: readonly Item[], paging: Paging | undefined): readonly Item[] {
  if (paging === undefined) return items;
  const { index, length } = paging;
  return items.slice(index * length, (index + 1) * length);
}

/**
 * The numbers, ascending, of all streams that a filter selects, its order and page left aside. Soft-deleted streams
 * are among them, unless the filter has an eye to statuses.
 */
export function streamsToChange(
  state: CatalogState,
  workspace: string,
  filter: StreamFilter,
  now: number,
  interruptedAfterMs: number,
): Uint32Array {
  const statusAt = (stream: number) => statusOf(state, stream, now, interruptedAfterMs);
  return Uint32Array.from(matching(state, workspace, filter, statusAt)).sort();
}

function matching(
  state: CatalogState,
  workspace: string,
  filter: StreamFilter,
  statusAt: (stream: number) => Status,
): number[] {
  const tests = predicates(state, filter, statusAt);
  const selected: number[] = [];
  for (const stream of candidates(state, workspace, filter)) {
    if (state.streams.isVisible(stream) && tests.every((test) => test(stream))) selected.push(stream);
  }
  return selected;
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

/** Visible streams that a read of rows covers: by id and topic, soft-deleted ones left out. */
export function streamsToRead(
  state: CatalogState,
  workspace: string,
  streamIds: readonly string[] | undefined,
  topic: string | undefined,
): number[] {
  const found: number[] = [];
  for (const stream of candidatesToRead(state, workspace, streamIds, topic))
    if (isShown(state, stream)) found.push(stream);
  return found;
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

/** Numbers of streams that are not soft-deleted, whatever their status. */
export function shownStreams(
  state: CatalogState,
  workspace: string,
  filter: Pick<StreamFilter, 'streamIds' | 'topic' | 'topics' | 'location'>,
): number[] {
  const { softDeleted } = state.streams.rows;
  const { streamIds, topic, topics, location } = filter;
  const which = {
    ...(streamIds && { streamIds }),
    ...(topic !== undefined && { topic }),
    ...(topics && { topics }),
    ...(location !== undefined && { location }),
  };
  const noOneAsks = () => 'Open' as const;
  return matching(state, workspace, which, noOneAsks).filter((stream) => softDeleted[stream] !== true);
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

type Scalar = string | number | bigint | undefined;

function orderStreams(
  state: CatalogState,
  selected: number[],
  filter: StreamFilter,
  statusAt: (stream: number) => Status,
): void {
  const ordering = filter.ordering ?? [{ by: 'createdAt', direction: 'Asc' as const }];
  const keys = ordering.map(({ by, direction }) => ({
    read: scalarOf(state, by, statusAt),
    sign: direction === 'Desc' ? -1 : 1,
  }));
  selected.sort((a, b) => {
    for (const { read, sign } of keys) {
      const left = read(a);
      const right = read(b);
      if (left === right) continue;
      if (left === undefined) return 1;
      if (right === undefined) return -1;
      return left < right ? -sign : sign;
    }
    return (
      compareText(state.streams.id(a), state.streams.id(b)) ||
      compareText(topicOf(state, a), topicOf(state, b))
    );
  });
}

function scalarOf(
  state: CatalogState,
  by: string,
  statusAt: (stream: number) => Status,
): (stream: number) => Scalar {
  const { streams } = state;
  const { rows } = streams;
  if (by.startsWith('metadata.')) {
    const key = by.slice('metadata.'.length);
    return (stream) => {
      const metadata = rows.properties[stream]?.metadata;
      return metadata !== undefined && Object.hasOwn(metadata, key) ? metadata[key] : undefined;
    };
  }
  const fields: Record<string, (stream: number) => Scalar> = {
    streamId: streams.id,
    name: (stream) => nameOf(state, stream),
    topic: (stream) => topicOf(state, stream),
    createdAt: (stream) => rows.createdAt[stream],
    lastUpdate: (stream) => rows.lastUpdate[stream],
    timeOfRecording: (stream) => rows.properties[stream]?.timeOfRecording,
    dataStart: (stream) => visibleExtent(state, stream)?.first,
    dataEnd: (stream) => visibleExtent(state, stream)?.last,
    status: statusAt,
    location: (stream) => locationOf(state, stream),
  };
  return (Object.hasOwn(fields, by) ? fields[by] : undefined) ?? (() => undefined);
}
