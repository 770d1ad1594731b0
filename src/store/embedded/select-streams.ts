import type { StreamDescription } from '../../domain/definition.ts';
import { Kind } from '../../domain/parameter-data.ts';
import type { StreamFilter } from '../../domain/query.ts';
import type { Status, Stream } from '../../domain/stream.ts';
import { compareText } from '../../domain/tags.ts';
import { type CatalogState, findTopic, type Topic } from './catalog-state.ts';

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
  const selected = matching(state, workspace, hidingDeleted(filter), statusAt);
  orderStreams(state, selected, filter, statusAt);
  const { index, length } = filter.paging ?? { index: 0, length: selected.length };
  return selected
    .slice(index * length, (index + 1) * length)
    .map((stream) => toStream(state, stream, statusAt(stream)));
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
    .members(state.streams.rows.parameters[stream]!)
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
  const filter = { ...(streamIds && { streamIds }), ...(topic !== undefined && { topic }) };
  const { isVisible, rows } = state.streams;
  return [...candidates(state, workspace, filter)].filter(
    (stream) => isVisible(stream) && rows.softDeleted[stream] !== true,
  );
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

function selectTopics(state: CatalogState, workspace: string, filter: StreamFilter): Topic[] {
  let topics = [...(state.topicsByName.get(workspace)?.values() ?? [])];
  if (filter.topic !== undefined) {
    const topic = findTopic(state, workspace, filter.topic);
    topics = topic === undefined ? [] : [topic];
  }
  const names = filter.topics && new Set(filter.topics.map((name) => name.toLowerCase()));
  return names === undefined ? topics : topics.filter((topic) => names.has(topic.name.toLowerCase()));
}

const parameterKinds = [Kind.Numeric, Kind.String, Kind.Binary];

type Predicate = (stream: number) => boolean;

function predicates(
  state: CatalogState,
  filter: StreamFilter,
  statusAt: (stream: number) => Status,
): Predicate[] {
  const { streams } = state;
  const tests: Predicate[] = [];
  if (filter.location !== undefined) tests.push(locationTest(state, filter.location));
  if (filter.parameterIds !== undefined) tests.push(dataTest(state, filter.parameterIds, parameterKinds));
  if (filter.eventIds !== undefined) tests.push(dataTest(state, filter.eventIds, [Kind.Event]));
  for (const { key, value } of filter.metadata ?? []) tests.push(metadataTest(state, key, value));
  if (filter.name !== undefined) {
    const matches = containsTest(filter.name);
    tests.push((stream) => matches(nameOf(state, stream)));
  }
  if (filter.parentStreamId !== undefined) {
    const parent = filter.parentStreamId;
    tests.push((stream) => streams.rows.properties[stream]?.parents?.includes(parent) === true);
  }
  if (filter.search !== undefined) tests.push(searchTest(state, filter.search));
  const included = filter.includeStatuses;
  const excluded = filter.excludeStatuses;
  if (included !== undefined) tests.push((stream) => included.includes(statusAt(stream)));
  if (excluded !== undefined) tests.push((stream) => !excluded.includes(statusAt(stream)));
  return tests;
}

/** Prefix of the location with a slash at its end, so that `/one/` finds `/one` and not `/one111`. */
function locationTest(state: CatalogState, location: string): Predicate {
  const prefix = location.startsWith('/') ? location : `/${location}`;
  return (stream) => {
    const place = locationOf(state, stream);
    return (place.endsWith('/') ? place : `${place}/`).startsWith(prefix);
  };
}

/** Has data of any of these names, in any of these kinds. */
function dataTest(state: CatalogState, names: readonly string[], kinds: readonly Kind[]): Predicate {
  const numbers = names.flatMap((name) =>
    kinds.map((kind) => state.parametersByName[kind].get(name)?.number ?? 0),
  );
  const known = numbers.filter((number) => number > 0);
  const { rows } = state.streams;
  return (stream) => known.some((number) => state.sets.has(rows.parameters[stream]!, number));
}

function metadataTest(state: CatalogState, key: string | undefined, value: string | undefined): Predicate {
  return (stream) => {
    const metadata = state.streams.rows.properties[stream]?.metadata ?? {};
    if (key !== undefined)
      return Object.hasOwn(metadata, key) && (value === undefined || metadata[key] === value);
    return value === undefined || Object.values(metadata).includes(value);
  };
}

/** Contains; case matters only if the wanted text has a capital. */
function containsTest(wanted: string): (text: string) => boolean {
  if (wanted !== wanted.toLowerCase()) return (text) => text.includes(wanted);
  return (text) => text.toLowerCase().includes(wanted);
}

/** Every word stands, in any case, in the id, name, topic, location or metadata. */
function searchTest(state: CatalogState, search: string): Predicate {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return (stream) => {
    const properties = state.streams.rows.properties[stream];
    const text = [
      state.streams.id(stream),
      nameOf(state, stream),
      topicOf(state, stream),
      locationOf(state, stream),
      ...Object.entries(properties?.metadata ?? {}).flat(),
    ]
      .join('\n')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  };
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
    dataStart: (stream) => (rows.hasData[stream] === true ? rows.dataStart[stream] : undefined),
    dataEnd: (stream) => (rows.hasData[stream] === true ? rows.dataEnd[stream] : undefined),
    status: statusAt,
    location: (stream) => locationOf(state, stream),
  };
  return (Object.hasOwn(fields, by) ? fields[by] : undefined) ?? (() => undefined);
}

function statusOf(state: CatalogState, stream: number, now: number, interruptedAfterMs: number): Status {
  const { rows } = state.streams;
  if (rows.softDeleted[stream] === true) return 'SoftDeleted';
  const ended = rows.ended[stream];
  if (ended !== undefined) return ended;
  return now - rows.lastWrite[stream]! > interruptedAfterMs ? 'Interrupted' : 'Open';
}

function nameOf(state: CatalogState, stream: number): string {
  return state.streams.rows.properties[stream]?.name ?? state.streams.id(stream);
}

function topicOf(state: CatalogState, stream: number): string {
  return state.topics[state.streams.topic(stream)]!.name;
}

function locationOf(state: CatalogState, stream: number): string {
  return state.streams.rows.properties[stream]?.location ?? '/';
}

function toStream(state: CatalogState, stream: number, status: Status): Stream {
  const { streams } = state;
  const { rows } = streams;
  const properties = rows.properties[stream];
  const hasData = rows.hasData[stream] === true;
  return {
    streamId: streams.id(stream),
    name: nameOf(state, stream),
    topic: topicOf(state, stream),
    createdAt: rows.createdAt[stream]!,
    lastUpdate: rows.lastUpdate[stream]!,
    timeOfRecording: properties?.timeOfRecording,
    dataStart: hasData ? rows.dataStart[stream] : undefined,
    dataEnd: hasData ? rows.dataEnd[stream] : undefined,
    status,
    metadata: properties?.metadata ?? {},
    parents: properties?.parents ?? [],
    location: locationOf(state, stream),
  };
}
