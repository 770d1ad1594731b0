import type { StreamFilter } from '../../../domain/query.ts';
import { every, param, type Sql, sql } from '../server/sql.ts';
import { streamsWithData } from './extents.ts';
import type { RetainedTimes } from './registry.ts';
import { scopeConditions } from './stream-scope.ts';

/** One condition per field of the filter, on the columns of `streamRows`; ids and topics are left to `scopeConditions`. */
export function streamConditions(
  workspace: string,
  filter: StreamFilter,
  kept: RetainedTimes | undefined,
): Sql[] {
  const conditions: Sql[] = [];
  const { location, parameterIds, eventIds, name, parentStreamId, search } = filter;
  if (location !== undefined) conditions.push(locationIs(location));
  const hasData = (isOfKind: Sql, ids: readonly string[]) => {
    const isOf = sql`${isOfKind} AND parameter IN ${param([...new Set(ids)], 'Array(String)')}`;
    const streams = streamsWithData([...scopeConditions(workspace, filter), isOf], kept);
    return sql`(topic, stream) IN (${streams})`;
  };
  if (parameterIds !== undefined) conditions.push(hasData(sql`kind != 'event'`, parameterIds));
  if (eventIds !== undefined) conditions.push(hasData(sql`kind = 'event'`, eventIds));
  for (const { key, value } of filter.metadata ?? []) conditions.push(hasMetadata(key, value));
  if (name !== undefined) conditions.push(contains(sql`stream_name`, name));
  if (parentStreamId !== undefined) conditions.push(sql`has(parents, ${param(parentStreamId, 'String')})`);
  if (search !== undefined) conditions.push(hasWords(search));
  const { includeStatuses, excludeStatuses } = filter;
  if (includeStatuses !== undefined)
    conditions.push(sql`status IN ${param(includeStatuses, 'Array(String)')}`);
  if (excludeStatuses !== undefined)
    conditions.push(sql`status NOT IN ${param(excludeStatuses, 'Array(String)')}`);
  return conditions;
}

/** Prefix of the location with a slash at its end, so that `/one/` finds `/one` and not `/one111`. */
export function locationIs(location: string): Sql {
  const prefix = location.startsWith('/') ? location : `/${location}`;
  return sql`startsWith(if(endsWith(location, '/'), location, concat(location, '/')), ${param(prefix, 'String')})`;
}

/** Contains; case matters only if the wanted text has a capital. `lowerUTF8` maps as JavaScript does (both by ICU). */
export function contains(text: Sql, wanted: string): Sql {
  const hasCapital = wanted !== wanted.toLowerCase();
  return sql`position(${hasCapital ? text : sql`lowerUTF8(${text})`}, ${param(wanted, 'String')}) > 0`;
}

function hasMetadata(key: string | undefined, value: string | undefined): Sql {
  const tests: Sql[] = [];
  if (key !== undefined) tests.push(sql`pair.1 = ${param(key, 'String')}`);
  if (value !== undefined) tests.push(sql`pair.2 = ${param(value, 'String')}`);
  return tests.length === 0 ? sql`true` : sql`arrayExists(pair -> ${every(tests)}, metadata)`;
}

/** Every word stands, in any case, in the id, name, topic, location or metadata. */
function hasWords(search: string): Sql {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const texts = sql`lowerUTF8(arrayStringConcat(arrayConcat(
    [stream, stream_name, topic_name, location],
    arrayFlatten(arrayMap(pair -> [pair.1, pair.2], metadata))), '\\n'))`;
  return every(words.map((word) => sql`position(${texts}, ${param(word, 'String')}) > 0`));
}

/** Returns the filter without soft-deleted streams, unless it asks for them by their status. */
export function hidingDeleted(filter: StreamFilter): StreamFilter {
  if (filter.includeStatuses !== undefined) return filter;
  return { ...filter, excludeStatuses: [...(filter.excludeStatuses ?? []), 'SoftDeleted'] };
}
