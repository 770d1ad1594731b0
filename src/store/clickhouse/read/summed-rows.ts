import { every, join, type Sql, sql } from '../server/sql.ts';
import { isUnclean, mayOverlap, reaching, type SeriesRange, series } from '../server/window-sql.ts';
import { type ListNeeds, restLists, windowLists } from './value-lists.ts';

/** A source of rows, with a name that stands after WITH at the head of the statement. */
export interface SummedRows {
  readonly named: Sql;
  readonly rows: Sql;
}

/**
 * Numbers as rows of their sums: the columns of a series, `bucket` (where there are buckets), `first_time`, `counted`,
 * `real_count`, `sums`, `least` and `greatest`. Windows that are clean and lie whole in the range and in a bucket have their
 * sums in the table, so nothing of them is unpacked; of all others the values are read as `valueLists` reads them.
 *
 * One look at the series says whether any has overlaps or is cut. The server knows its answer before it plans the rest, and
 * leaves out what is in vain.
 */
export function summedRows(range: SeriesRange, needs: ListNeeds): SummedRows {
  const { bucketOf } = needs;
  const { bucket, definition } = bucketColumns(bucketOf);
  const isWhole = isWholeIn(range, bucketOf);
  const named = sql`(SELECT (max(overlaps), max(is_cut)) FROM (
  SELECT ${mayOverlap} AS overlaps, max(count > 0 AND NOT ${isWhole}) AS is_cut
  FROM windows WHERE ${every(reaching(range))} GROUP BY ${series} SETTINGS max_rows_to_group_by = 0)) AS look`;
  const isApart = sql`(look.1 AND ${isUnclean(range)})`;
  const whole = sql`SELECT ${join([series, ...definition])},
  toInt64(first) AS first_time, count AS counted, reals AS real_count, sums, toFloat64(windows.least) AS least,
  toFloat64(windows.greatest) AS greatest
FROM windows WHERE ${every([...reaching(range), sql`count > 0`, isWhole, sql`NOT ${isApart}`])}`;
  const lists = [
    ...windowLists(range, needs, sql`(look.2 AND NOT ${isWhole} AND NOT ${isApart})`),
    restLists(range, needs, isApart),
  ];
  const columns = join([series, ...bucket]);
  const ofLists = lists.map(
    (
      list,
    ) => sql`SELECT ${columns}, if(empty(times), 0, arrayMin(times)) AS first_time, length(list) AS counted,
  length(sums) AS real_count, arrayFilter(number -> NOT isNaN(number), list) AS sums, arrayMin(sums) AS least, arrayMax(sums) AS greatest
FROM (${list})`,
  );
  return { named, rows: join([whole, ...ofLists], sql` UNION ALL `) };
}

/**
 * The same rows where nothing has to be told apart: no window overlaps another one, and each lies whole in the range and in a
 * bucket. Then the sums of a bucket say all, and one look at the series is enough. Where any window is otherwise, the
 * statement fails with FUNCTION_THROW_IF_VALUE_IS_NON_ZERO, before it answers anything.
 */
export function cleanSums(range: SeriesRange, bucketOf: ListNeeds['bucketOf']): Sql {
  const { bucket, definition } = bucketColumns(bucketOf);
  // What lies whole in a bucket overlaps nothing of others.
  const isOdd = sql`max(NOT ${isWholeIn(range, bucketOf)}) OR ${mayOverlap}`;
  return sql`SELECT * FROM (
  SELECT ${join([series, ...definition])}, toInt64(min(windows.first)) AS first_time, sum(windows.count) AS counted,
    sum(windows.reals) AS real_count, groupArrayArray(windows.sums) AS sums,
    min(windows.least) AS least, max(windows.greatest) AS greatest, ${isOdd} AS is_odd
  FROM windows WHERE ${every(reaching(range))} GROUP BY ${join([series, ...bucket])} SETTINGS max_rows_to_group_by = 0
) WHERE throwIf(is_odd) = 0 AND counted > 0`;
}

function bucketColumns(bucketOf: ListNeeds['bucketOf']): { bucket: Sql[]; definition: Sql[] } {
  if (bucketOf === undefined) return { bucket: [], definition: [] };
  return { bucket: [sql`bucket`], definition: [sql`${bucketOf(sql`first`)} AS bucket`] };
}

/** Whether a window lies whole in a range and in a bucket, with sums of all its values. */
function isWholeIn({ from, to }: SeriesRange, bucketOf: ListNeeds['bucketOf']): Sql {
  const conditions = [sql`first >= ${from}`, sql`last <= ${to}`, sql`summed = count`];
  if (bucketOf !== undefined) conditions.push(sql`${bucketOf(sql`first`)} = ${bucketOf(sql`last`)}`);
  return sql`(${every(conditions)})`;
}
