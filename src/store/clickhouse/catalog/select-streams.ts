import type { Ordering, Paging, StreamFilter } from '../../../domain/query.ts';
import type { Status, Stream } from '../../../domain/stream.ts';
import { every, join, param, type Sql, sql } from '../server/sql.ts';
import { dataExtents } from './extents.ts';
import type { RetainedTimes } from './registry.ts';
import { hidingDeleted, streamConditions } from './stream-predicates.ts';
import { scopeConditions } from './stream-scope.ts';
import { type StatusTimes, streamRows } from './stream-source.ts';
import { inCodeUnits } from './text-order.ts';

/** What a statement on streams is made for. */
export interface StreamQuestion extends StatusTimes {
  readonly workspace: string;
  readonly kept: RetainedTimes | undefined;
}

/** As `streamColumns` names them. */
export type StreamRow = readonly [
  topic: string,
  streamId: string,
  topicName: string,
  createdAt: string,
  lastUpdate: string,
  status: Status,
  name: string,
  location: string,
  metadata: [string, string][],
  parents: string[],
  recorded: string | null,
  first: string | null,
  last: string | null,
];

const streamColumns = sql`s.topic, s.stream, s.topic_name, s.created_at, s.last_update, s.status, s.stream_name,
  s.location, s.metadata, s.parents, s.recorded, e.first, e.last`;

/** `/streams`: filtered, ordered and paged by ClickHouse. */
export function selectStreams(question: StreamQuestion, filter: StreamFilter): Sql {
  const { workspace, kept } = question;
  const selected = matching(question, hidingDeleted(filter));
  return sql`SELECT ${streamColumns} FROM ${withExtents(selected, scopeConditions(workspace, filter), kept)}
ORDER BY ${orderOf(filter.ordering).by}${pageOf(filter.paging)}`;
}

/** All columns of some streams, in no order. */
export function streamsWhere(question: StreamQuestion, conditions: readonly Sql[]): Sql {
  const { workspace, kept } = question;
  return sql`SELECT ${streamColumns} FROM ${withExtents(streamRows(workspace, conditions, question), conditions, kept)}`;
}

/** Rows of streams as `s`, with the bounds of their data as `e`. */
export function withExtents(streams: Sql, conditions: readonly Sql[], kept: RetainedTimes | undefined): Sql {
  return sql`(${streams}) AS s
LEFT JOIN (${dataExtents(conditions, kept)}) AS e ON e.topic = s.topic AND e.stream = s.stream`;
}

/** `topic` and `stream` of the streams that the filter selects, in its order, of its page. */
export function selectNames(question: StreamQuestion, filter: StreamFilter): Sql {
  return sql`SELECT topic, stream FROM ${inOrder(question, filter)}${pageOf(filter.paging)}`;
}

/** `topic`, `stream` and `parents` of all streams that the filter selects, in its order. */
export function selectFamilies(question: StreamQuestion, filter: StreamFilter): Sql {
  return sql`SELECT topic, stream, parents FROM ${inOrder(question, filter)}`;
}

function inOrder(question: StreamQuestion, filter: StreamFilter): Sql {
  const { workspace, kept } = question;
  const order = orderOf(filter.ordering);
  const selected = matching(question, hidingDeleted(filter));
  if (!order.needsData) return sql`(${selected}) ORDER BY ${order.by}`;
  const joined = withExtents(selected, scopeConditions(workspace, filter), kept);
  return sql`(SELECT s.*, e.first, e.last FROM ${joined}) ORDER BY ${order.by}`;
}

/** Every column of `streamRows` of the streams that the filter selects, its order and page left aside. */
export function matching(question: StreamQuestion, filter: StreamFilter): Sql {
  const { workspace, kept } = question;
  const rows = streamRows(workspace, scopeConditions(workspace, filter), question);
  return sql`SELECT * FROM (${rows}) WHERE ${every(streamConditions(workspace, filter, kept))}`;
}

export function streamOf([
  ,
  streamId,
  topic,
  createdAt,
  lastUpdate,
  status,
  name,
  location,
  metadata,
  parents,
  recorded,
  first,
  last,
]: StreamRow): Stream {
  return {
    streamId,
    name,
    topic,
    createdAt: Number(createdAt),
    lastUpdate: Number(lastUpdate),
    timeOfRecording: recorded === null ? undefined : Number(recorded),
    dataStart: first === null ? undefined : BigInt(first),
    dataEnd: last === null ? undefined : BigInt(last),
    status,
    metadata: Object.fromEntries(metadata),
    parents,
    location,
  };
}

export function pageOf(paging: Paging | undefined): Sql {
  if (paging === undefined) return sql``;
  const { index, length } = paging;
  const offset = BigInt(index) * BigInt(length);
  return sql` LIMIT ${param(length, 'UInt64')} OFFSET ${param(offset < 2n ** 62n ? offset : 2n ** 62n, 'UInt64')}`;
}

/** Keys of an ORDER BY; every order ends with the stream's id and topic, so pages are stable. */
function orderOf(ordering: readonly Ordering[] = [{ by: 'createdAt', direction: 'Asc' }]): {
  readonly by: Sql;
  readonly needsData: boolean;
} {
  const keys = ordering.flatMap(({ by, direction }) => {
    const key = orderKey(by);
    if (key === undefined) return [];
    return [sql`${key} ${direction === 'Desc' ? sql`DESC` : sql`ASC`} NULLS LAST`];
  });
  return {
    by: join([...keys, inCodeUnits(sql`stream`), inCodeUnits(sql`topic_name`)]),
    needsData: ordering.some(({ by }) => by === 'dataStart' || by === 'dataEnd'),
  };
}

const orderKeys: ReadonlyMap<string, Sql> = new Map([
  ['streamId', inCodeUnits(sql`stream`)],
  ['name', inCodeUnits(sql`stream_name`)],
  ['topic', inCodeUnits(sql`topic_name`)],
  ['createdAt', sql`created_at`],
  ['lastUpdate', sql`last_update`],
  ['timeOfRecording', sql`recorded`],
  ['dataStart', sql`first`],
  ['dataEnd', sql`last`],
  ['status', sql`status`],
  ['location', inCodeUnits(sql`location`)],
]);

function orderKey(by: string): Sql | undefined {
  if (!by.startsWith('metadata.')) return orderKeys.get(by);
  const key = param(by.slice('metadata.'.length), 'String');
  const value = sql`tupleElement(arrayFirst(pair -> pair.1 = ${key}, metadata), 2)`;
  return sql`if(arrayExists(pair -> pair.1 = ${key}, metadata), toNullable(${inCodeUnits(value)}), NULL)`;
}
