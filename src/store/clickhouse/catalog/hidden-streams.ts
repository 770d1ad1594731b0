import { every, type Sql, sql } from '../sql.ts';
import { type StreamScope, scopeConditions } from './stream-scope.ts';

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
