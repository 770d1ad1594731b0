import { every, type Sql, sql } from '../sql.ts';
import type { KeptTimes } from './registry.ts';
import { keptFromOf } from './visibility.ts';

/**
 * What streams have data of, from the data itself: a projection of `samples` keeps it by parameter, whatever was
 * written, deleted or merged. Rows that are expired and still on disk are left out; where some of a stream's are, its
 * data begin at the oldest time that is kept.
 */

/** `topic`, `stream`, `first`, `last` (ns, Nullable for joins) of the streams with data. */
export function dataExtents(conditions: readonly Sql[], kept: KeptTimes | undefined): Sql {
  const extents = sql`SELECT topic, stream, toNullable(min(timestamp)) AS first, toNullable(max(timestamp)) AS last
FROM samples WHERE ${every(conditions)} GROUP BY topic, stream`;
  if (kept === undefined) return extents;
  const oldest = keptFromOf(sql`topic`, kept);
  return sql`SELECT topic, stream, greatest(first, ${oldest}) AS first, last FROM (${extents}) WHERE last >= ${oldest}`;
}

/** `topic`, `stream`, `parameter`, `kind` of the parameters and events that streams have data of. */
export function writtenParameters(conditions: readonly Sql[], kept: KeptTimes | undefined): Sql {
  const written = sql`SELECT topic, stream, parameter, kind FROM samples WHERE ${every(conditions)}
GROUP BY topic, stream, parameter, kind`;
  if (kept === undefined) return written;
  return sql`${written} HAVING max(timestamp) >= ${keptFromOf(sql`topic`, kept)}`;
}

/** `topic`, `stream` of the streams that have data of parameters or events; which, say the conditions. */
export function streamsWithData(conditions: readonly Sql[], kept: KeptTimes | undefined): Sql {
  const streams = sql`SELECT topic, stream FROM samples WHERE ${every(conditions)} GROUP BY topic, stream`;
  if (kept === undefined) return streams;
  return sql`${streams} HAVING max(timestamp) >= ${keptFromOf(sql`topic`, kept)}`;
}
