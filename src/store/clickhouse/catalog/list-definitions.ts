import { type EventLevel, eventLevels } from '../../../domain/definition.ts';
import {
  type EventFilter,
  type ListedEvent,
  type ListedParameter,
  type ListingFilter,
  type ParameterFilter,
  parameterTypes,
} from '../../../domain/listing.ts';
import { every, join, param, type Sql, sql } from '../server/sql.ts';
import { definitionFields } from './definition-source.ts';
import { writtenParameters } from './extents.ts';
import { pageOf, type StreamQuestion } from './select-streams.ts';
import { contains, locationIs } from './stream-predicates.ts';
import { type StreamScope, scopeConditions } from './stream-scope.ts';
import { streamRows } from './stream-source.ts';
import { inCodeUnits } from './text-order.ts';

/**
 * `/parameters` and `/events`: what streams have data of or definitions for. Entries of streams that agree in all
 * fields are one. Fields travel as JSON, as clients wrote them: `fields` is Array(Tuple(field, value)) by field.
 */
export type EntryRow = readonly [
  id: string,
  type: number,
  name: string | null,
  fields: [field: string, value: string][],
  streamIds: string[],
];

/** @param type an index into `parameterTypes`; Unknown is what was only defined */
export function selectParameters(question: StreamQuestion, filter: ParameterFilter): Sql {
  const { unit, includeTypes } = filter;
  const tests = textTests(filter);
  if (unit !== undefined) tests.push(fieldContains('unit', unit));
  if (includeTypes !== undefined) {
    const types = includeTypes.map((type) => parameterTypes.indexOf(type));
    tests.push(sql`type IN ${param(types, 'Array(UInt8)')}`);
  }
  return selectEntries(question, filter, {
    ids: filter.parameterIds,
    written: sql`kind != 'event'`,
    defined: sql`kind = 'parameter'`,
    writtenType: sql`toUInt8(kind)`,
    definedType: parameterTypes.indexOf('Unknown'),
    tests,
    orderKeys: new Map([
      ['parameterId', inCodeUnits(sql`id`)],
      ['minimumValue', numberOf('minimumValue')],
      ['maximumValue', numberOf('maximumValue')],
      ['type', sql`type`],
      ...textKeys(['description', 'unit', 'format', 'customProperties', 'location']),
    ]),
  });
}

export function selectEvents(question: StreamQuestion, filter: EventFilter): Sql {
  const { includeLevels, excludeLevels } = filter;
  const tests = textTests(filter);
  const level = textOf('level');
  const isAny = (levels: readonly EventLevel[]) =>
    sql`(${isSaid('level')} AND ${level} IN ${param(levels, 'Array(String)')})`;
  if (includeLevels !== undefined) tests.push(isAny(includeLevels));
  if (excludeLevels !== undefined) tests.push(sql`NOT ${isAny(excludeLevels)}`);
  const levels = param(eventLevels, 'Array(String)');
  return selectEntries(question, filter, {
    ids: filter.eventIds,
    written: sql`kind = 'event'`,
    defined: sql`kind = 'event'`,
    writtenType: sql`toUInt8(0)`,
    definedType: 0,
    tests,
    orderKeys: new Map([
      ['id', inCodeUnits(sql`id`)],
      ['level', orNull('level', sql`indexOf(${levels}, ${level})`)],
      ...textKeys(['description', 'customProperties', 'location']),
    ]),
  });
}

/**
 * Names and kinds (as numbers) of the parameters that shown streams have data of, in no order; no more than `most`.
 *
 * @param names only these, where given
 */
export function selectWrittenParameters(
  question: StreamQuestion,
  scope: StreamScope,
  names: readonly string[] | undefined,
  most: number,
): Sql {
  const { workspace, kept } = question;
  const conditions = [...scopeConditions(workspace, scope), sql`kind != 'event'`];
  if (names !== undefined) conditions.push(sql`parameter IN ${param(names, 'Array(String)')}`);
  return sql`SELECT DISTINCT w.parameter, toUInt8(w.kind) FROM (${writtenParameters(conditions, kept)}) AS w
INNER JOIN (${shownStreams(question, scope)}) AS s ON s.topic = w.topic AND s.stream = w.stream
LIMIT ${param(BigInt(most), 'UInt64')}`;
}

/** Those of some ids that streams have definitions of. */
export function selectDefinedParameters(
  { workspace }: StreamQuestion,
  scope: StreamScope,
  ids: readonly string[],
): Sql {
  const conditions = [sql`kind = 'parameter'`, sql`id IN ${param(ids, 'Array(String)')}`];
  return sql`SELECT DISTINCT id FROM (${definitionFields(scopeConditions(workspace, scope), conditions)})`;
}

/** Ids of the events that shown streams have data of, in no order. */
export function selectWrittenEvents(question: StreamQuestion, scope: StreamScope): Sql {
  const { workspace, kept } = question;
  const written = writtenParameters([...scopeConditions(workspace, scope), sql`kind = 'event'`], kept);
  return sql`SELECT DISTINCT w.parameter FROM (${written}) AS w
INNER JOIN (${shownStreams(question, scope)}) AS s ON s.topic = w.topic AND s.stream = w.stream`;
}

export function parameterOf(row: EntryRow): ListedParameter {
  return { ...entryOf(row), type: parameterTypes[row[1]]! } as ListedParameter;
}

export function eventOf(row: EntryRow): ListedEvent {
  return entryOf(row) as ListedEvent;
}

function entryOf([id, , name, fields, streamIds]: EntryRow): object {
  const said = Object.fromEntries(fields.map(([field, value]) => [field, JSON.parse(value)]));
  return { ...said, id, name: name === null ? id : JSON.parse(name), streamIds };
}

/** What `/parameters` and `/events` differ in. */
interface Listing {
  /** Undefined: all. */
  readonly ids: readonly string[] | undefined;
  /** Which rows of `windows` and of `definitions` count, and the type of an entry that they make. */
  readonly written: Sql;
  readonly defined: Sql;
  readonly writtenType: Sql;
  readonly definedType: number;
  /** Conditions on entries: `id`, `type`, `spelt` (the name), `fields`. */
  readonly tests: readonly Sql[];
  readonly orderKeys: ReadonlyMap<string, Sql>;
}

function selectEntries(question: StreamQuestion, filter: ListingFilter, listing: Listing): Sql {
  const { workspace, kept } = question;
  const scope = scopeConditions(workspace, filter);
  const ids = listing.ids && param([...new Set(listing.ids)], 'Array(String)');
  const among = (column: Sql) => (ids === undefined ? [] : [sql`${column} IN ${ids}`]);
  const written = writtenParameters([...scope, listing.written, ...among(sql`parameter`)], kept);
  const defined = definitionFields(scope, [listing.defined, ...among(sql`id`)]);
  // Of each stream what it has data of, once for each type, with its definition; then what was only defined.
  const entries = sql`SELECT topic, stream, id, said,
  arrayJoin(if(empty(types), [toUInt8(${param(listing.definedType, 'UInt8')})], types)) AS type
FROM (
  SELECT topic, stream, id, groupUniqArrayIf(type, field = '') AS types,
    arraySort(groupArrayIf((field, value), field != '')) AS said
  FROM (
    SELECT topic, stream, toString(parameter) AS id, ${listing.writtenType} AS type, '' AS field, '' AS value
    FROM (${written})
    UNION ALL
    SELECT topic, stream, id, toUInt8(0) AS type, toString(field) AS field, value FROM (${defined})
  )
  GROUP BY topic, stream, id
)`;
  return sql`SELECT id, type, name, fields,
  arrayDistinct(arrayMap(one -> one.2, arraySort(groupArray((born, stream))))) AS stream_ids
FROM (
  SELECT s.born AS born, s.stream AS stream, e.id AS id, e.type AS type,
    arrayFilter(one -> one.1 NOT IN ('id', 'name'), e.said) AS fields,
    tupleElement(arrayFirst(one -> one.1 = 'name', e.said), 2) AS called,
    if(called = '', id, JSONExtractString(called)) AS spelt,
    if(spelt = id, NULL, toNullable(called)) AS name
  FROM (${entries}) AS e
  INNER JOIN (${shownStreams(question, filter)}) AS s ON s.topic = e.topic AND s.stream = e.stream
)
WHERE ${every(listing.tests)}
GROUP BY id, type, name, spelt, fields
ORDER BY ${orderOf(filter, listing)}${pageOf(filter.paging)}`;
}

/** `topic`, `stream`, `born` of the streams whose data and definitions count. */
function shownStreams(
  question: StreamQuestion,
  { location, ...scope }: StreamScope & Pick<ListingFilter, 'location'>,
): Sql {
  const { workspace } = question;
  const rows = streamRows(workspace, scopeConditions(workspace, scope), question);
  const conditions = [sql`soft_deleted = 0`];
  if (location !== undefined) conditions.push(locationIs(location));
  return sql`SELECT topic, stream, born FROM (${rows}) WHERE ${every(conditions)}`;
}

function orderOf({ ordering = [] }: ListingFilter, { orderKeys }: Listing): Sql {
  const keys = ordering.flatMap(({ by, direction }) => {
    const key = by === 'name' ? inCodeUnits(sql`spelt`) : orderKeys.get(by);
    return key === undefined ? [] : [sql`${key} ${direction === 'Desc' ? sql`DESC` : sql`ASC`} NULLS LAST`];
  });
  // At last by all that is said, so that pages are stable.
  const called = sql`('name', ifNull(name, toJSONString(spelt)))`;
  const text = sql`arrayMap(one -> concat('["', one.1, '",', one.2, ']'), arraySort(arrayPushBack(fields, ${called})))`;
  return join([
    ...keys,
    inCodeUnits(sql`id`),
    sql`type`,
    inCodeUnits(sql`concat('[', arrayStringConcat(${text}, ','), ']')`),
  ]);
}

function textTests({ name, description, customProperties }: ListingFilter): Sql[] {
  const tests: Sql[] = [];
  if (name !== undefined) tests.push(contains(sql`spelt`, name));
  if (description !== undefined) tests.push(fieldContains('description', description));
  if (customProperties !== undefined) tests.push(fieldContains('customProperties', customProperties));
  return tests;
}

function textKeys(fields: readonly string[]): [string, Sql][] {
  return fields.map((field) => [field, orNull(field, inCodeUnits(textOf(field)))]);
}

function fieldContains(field: string, wanted: string): Sql {
  return sql`${isSaid(field)} AND ${contains(textOf(field), wanted)}`;
}

function isSaid(field: string): Sql {
  return sql`arrayExists(one -> one.1 = ${param(field, 'String')}, fields)`;
}

function jsonOf(field: string): Sql {
  return sql`tupleElement(arrayFirst(one -> one.1 = ${param(field, 'String')}, fields), 2)`;
}

function textOf(field: string): Sql {
  return sql`JSONExtractString(${jsonOf(field)})`;
}

function numberOf(field: string): Sql {
  return sql`toFloat64OrNull(${jsonOf(field)})`;
}

function orNull(field: string, value: Sql): Sql {
  return sql`if(${isSaid(field)}, toNullable(${value}), NULL)`;
}
