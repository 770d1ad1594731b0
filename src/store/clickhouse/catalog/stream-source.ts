import { every, param, type Sql, sql } from '../server/sql.ts';
import { arrivalOf } from './arrivals.ts';
import { isSoftDeleted, isThere } from './visibility.ts';

/** As of when statuses are. */
export interface StatusTimes {
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** An open stream counts as interrupted after this silence. */
  readonly interruptedAfterMs: number;
  /** Whether `arrivals` may tell of some changes when they came; versions say it of the others. */
  readonly arrivalsTold: boolean;
}

/**
 * Streams with the fields that clients see, one row each:
 * topic          folded
 * stream, topic_name, status, stream_name, location  texts
 * born           ns: the version of the first write
 * created_at, last_update  ms
 * metadata       Array(Tuple(String, String)), in the order of the client
 * parents        Array(String)
 * recorded       Nullable(Int64), ms
 * soft_deleted   0 or 1
 * removed_at     ns: what is not newer belongs to an earlier stream of that name
 *
 * @param conditions on `workspace`, `topic` and `stream`: rows of other streams are never put together
 */
export function streamRows(
  workspace: string,
  conditions: readonly Sql[],
  { now, interruptedAfterMs, arrivalsTold }: StatusTimes,
): Sql {
  const property = (field: Sql) => sql`tupleElement(properties, ${field})`;
  // What a removal that overlapped with a write left behind does not count.
  const isOwn = sql`${property(sql`'version'`)} > removed`;
  const closedAt = sql`tupleElement(closed, 'version')`;
  const said = sql`streams FINAL PREWHERE ${every(conditions)} WHERE ${isThere}`;
  // Looked into only where there is something: a join, though with nothing, doubles what a listing takes.
  const source = arrivalsTold
    ? sql`(SELECT * FROM ${said}) AS said
  LEFT JOIN (
    SELECT topic, stream, first_at, last_at, change_at, removal_at FROM arrivals FINAL WHERE ${every(conditions)}
  ) AS told ON told.topic = said.topic AND told.stream = said.stream`
    : said;
  const cameAt = (version: Sql, told: Sql) => (arrivalsTold ? arrivalOf(version, told) : version);
  const writtenAt = cameAt(sql`touched`, sql`last_at`);
  const lastChange = sql`greatest(${closedAt}, changed)`;
  const changedAt = cameAt(lastChange, sql`change_at`);
  const bornAt = sql`if(removed > created, ${cameAt(sql`removed`, sql`removal_at`)}, ${cameAt(sql`created`, sql`first_at`)})`;
  // A write that is far in the future was before the clock was set back.
  const silence = sql`abs(${param(Math.floor(now), 'Int64')} - toInt64(intDiv(${writtenAt}, 1000000)))`;
  return sql`SELECT
  known.topic AS topic, known.stream AS stream, known.born AS born, known.created_at AS created_at,
  known.last_update AS last_update, known.status AS status, known.stream_name AS stream_name,
  known.location AS location, known.metadata AS metadata, known.parents AS parents, known.recorded AS recorded,
  known.soft_deleted AS soft_deleted, known.removed_at AS removed_at,
  if(spelt.spelling = '', toString(known.topic), spelt.spelling) AS topic_name
FROM (
  SELECT
    ${arrivalsTold ? sql`said.topic AS topic, said.stream AS stream` : sql`topic, stream`}, removed AS removed_at,
    greatest(created, removed) AS born,
    toInt64(intDiv(${bornAt}, 1000000)) AS created_at,
    toInt64(intDiv(if(${lastChange} > touched, ${changedAt}, ${writtenAt}), 1000000)) AS last_update,
    ${isSoftDeleted} AS soft_deleted,
    multiIf(
      ${isSoftDeleted}, 'SoftDeleted',
      ${closedAt} > touched, tupleElement(closed, 'end_type'),
      ${silence} > ${param(Math.floor(interruptedAfterMs), 'Int64')}, 'Interrupted',
      'Open') AS status,
    if(${isOwn}, ifNull(${property(sql`'name'`)}, stream), stream) AS stream_name,
    if(${isOwn}, ifNull(${property(sql`'location'`)}, '/'), '/') AS location,
    if(${isOwn}, ${property(sql`'metadata'`)}, []) AS metadata,
    if(${isOwn}, ${property(sql`'parents'`)}, []) AS parents,
    if(${isOwn}, ${property(sql`'time_of_recording'`)}, NULL) AS recorded
  FROM ${source}
) AS known
LEFT JOIN (
  SELECT topic, tupleElement(name, 'name') AS spelling FROM topics FINAL
  WHERE workspace = ${param(workspace, 'String')}
) AS spelt ON spelt.topic = known.topic`;
}
