import { every, param, type Sql, sql } from '../server/sql.ts';
import type { RetainedTimes } from './registry.ts';
import { type StreamScope, scopeConditions } from './stream-scope.ts';

// What reads, listings and deletes leave out: deleted streams, and rows that are expired.

/**
 * `topic` and `stream` of the streams whose rows show nowhere: soft-deleted ones, and those that are being removed for
 * good. Only streams that were ever deleted are looked at closely.
 */
export function hiddenStreams(workspace: string, scope: StreamScope): Sql {
  const inScope = scopeConditions(workspace, scope);
  const everDeleted = sql`tupleElement(hidden, 'hidden') = 1 OR removed > 0`;
  const suspects = sql`SELECT topic, stream FROM streams WHERE ${every([...inScope, everDeleted])}`;
  return sql`SELECT topic, stream FROM streams FINAL
PREWHERE ${every([...inScope, sql`(topic, stream) IN (${suspects})`])}
WHERE ${isSoftDeleted} OR NOT ${isThere}`;
}

/** Of a row of `streams`: a soft delete that no write has taken back. */
export const isSoftDeleted: Sql = sql`(tupleElement(hidden, 'hidden') = 1 AND tupleElement(hidden, 'version') > touched)`;

/** Of a row of `streams`: written to, and not removed for good since. */
export const isThere: Sql = sql`(touched > removed)`;

/** The oldest time that rows of a topic are kept from, as an Int64; `topic` is the folded name. */
export function retainedFromOf(topic: Sql, { topics, others }: RetainedTimes): Sql {
  const otherwise = sql`${param(others, 'Int64')}`;
  if (topics.size === 0) return otherwise;
  const names = param([...topics.keys()], 'Array(String)');
  const times = param([...topics.values()], 'Array(Int64)');
  return sql`transform(toString(${topic}), ${names}, ${times}, ${otherwise})`;
}
