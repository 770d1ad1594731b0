import { maxTimestamp, minTimestamp } from '../../../domain/timestamp.ts';
import { every, param, type Sql, sql } from '../server/sql.ts';
import { hasDeletes, series, windowValues } from '../server/window-sql.ts';
import type { RetainedTimes } from './registry.ts';
import { retainedFromOf } from './visibility.ts';

/**
 * What streams have data of, from the data itself: a projection of `windows` keeps it by parameter, whatever was
 * written, deleted or merged. Rows that are expired and still on disk are left out; where some of a stream's are, its
 * data begin at the oldest time that is kept.
 */

/** `topic`, `stream`, `first`, `last` (ns, Nullable for joins) of the streams with data. */
export function dataExtents(conditions: readonly Sql[], kept: RetainedTimes | undefined): Sql {
  const extents = sql`SELECT topic, stream, toNullable(min(first)) AS first, toNullable(max(last)) AS last
FROM (${extentsBy(sql`topic, stream`, conditions)}) GROUP BY topic, stream`;
  if (kept === undefined) return extents;
  const oldest = retainedFromOf(sql`topic`, kept);
  return sql`SELECT topic, stream, greatest(first, ${oldest}) AS first, last FROM (${extents}) WHERE last >= ${oldest}`;
}

/** `topic`, `stream`, `parameter`, `kind` of the parameters and events that streams have data of. */
export function writtenParameters(conditions: readonly Sql[], kept: RetainedTimes | undefined): Sql {
  return thoseWithData(series, conditions, kept);
}

/** `topic`, `stream` of the streams that have data of parameters or events; which, say the conditions. */
export function streamsWithData(conditions: readonly Sql[], kept: RetainedTimes | undefined): Sql {
  return thoseWithData(sql`topic, stream`, conditions, kept);
}

function thoseWithData(columns: Sql, conditions: readonly Sql[], kept: RetainedTimes | undefined): Sql {
  const found = sql`SELECT ${columns} FROM (${extentsBy(columns, conditions)}) GROUP BY ${columns}`;
  if (kept === undefined) return found;
  return sql`${found} HAVING max(last) >= ${retainedFromOf(sql`topic`, kept)}`;
}

/**
 * `columns`, `first`, `last` (ns) of values that are there; the same may come several times.
 *
 * @param columns some of those of a series
 * @param conditions on `workspace` and the columns of a series
 */
export function extentsBy(columns: Sql, conditions: readonly Sql[]): Sql {
  const windows = (more: readonly Sql[]) => sql`SELECT ${columns}, min(first) AS first, max(last) AS last
FROM windows WHERE ${every([...conditions, ...more])} GROUP BY ${columns} HAVING sum(count) > 0`;
  // Bounds of windows tell of deleted values, too: where there are any, the values have to be looked at.
  const isDeletedFrom = sql`(${series}) IN (
  SELECT ${series} FROM windows WHERE ${every(conditions)} GROUP BY ${series} HAVING max(deleted) > 0)`;
  const touched = hasDeletes([...conditions, isDeletedFrom]);
  const range = {
    where: [...conditions, isDeletedFrom],
    from: sql`${param(minTimestamp, 'Int64')}`,
    to: sql`${param(maxTimestamp, 'Int64')}`,
  };
  return sql`${windows([sql`NOT ${isDeletedFrom}`])}
UNION ALL ${windows([isDeletedFrom, sql`NOT ${touched}`])}
UNION ALL SELECT ${columns}, min(time) AS first, max(time) AS last
FROM (${windowValues(range, sql`times`, [touched])}) GROUP BY ${columns}`;
}
