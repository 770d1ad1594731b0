import { every, join, type Sql, sql } from '../server/sql.ts';
import { mayOverlap, reaching, type SeriesRange, series } from '../server/window-sql.ts';

/**
 * The rows of `summedRows` where nothing has to be told apart: no window overlaps another one, and each lies whole in the range
 * and in a bucket. Then the sums of a bucket say all, and one look at the series is enough. Where any window is otherwise, the
 * statement fails with FUNCTION_THROW_IF_VALUE_IS_NON_ZERO, before it answers anything.
 */
export function cleanSums(range: SeriesRange, bucketOf: ((time: Sql) => Sql) | undefined): Sql {
  const bucket = bucketOf === undefined ? [] : [sql`bucket`];
  const definition = bucketOf === undefined ? [] : [sql`${bucketOf(sql`first`)} AS bucket`];
  // What lies whole in a bucket overlaps nothing of others.
  const whole = every([
    sql`first >= ${range.from}`,
    sql`last <= ${range.to}`,
    sql`summed = count`,
    ...(bucketOf === undefined ? [] : [sql`${bucketOf(sql`first`)} = ${bucketOf(sql`last`)}`]),
  ]);
  return sql`SELECT * FROM (
  SELECT ${join([series, ...definition])}, toInt64(min(windows.first)) AS first_time, sum(windows.count) AS counted,
    sum(windows.reals) AS real_count, groupArrayArray(windows.sums) AS sums,
    min(windows.least) AS least, max(windows.greatest) AS greatest, max(NOT (${whole})) OR ${mayOverlap} AS is_odd
  FROM windows WHERE ${every(reaching(range))} GROUP BY ${join([series, ...bucket])} SETTINGS max_rows_to_group_by = 0
) WHERE throwIf(is_odd) = 0 AND counted > 0`;
}
