import { every, join, type Sql, sql } from '../server/sql.ts';
import { isUnclean, mayOverlap, reaching, type SeriesRange, series } from '../server/window-sql.ts';
import { isSampledApart, type ListNeeds, restLists, windowLists } from './value-lists.ts';

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
export function summedRows(range: SeriesRange, needs: ListNeeds, inSamples: boolean): SummedRows {
  const { bucketOf } = needs;
  const conditions = [
    sql`first >= ${range.from}`,
    sql`last <= ${range.to}`,
    sql`summed = count`,
    ...(bucketOf === undefined ? [] : [sql`${bucketOf(sql`first`)} = ${bucketOf(sql`last`)}`]),
  ];
  const isWhole = sql`(${every(conditions)})`;
  const named = sql`(SELECT (max(overlaps), max(is_cut)) FROM (
  SELECT ${mayOverlap} AS overlaps, max(count > 0 AND NOT ${isWhole}) AS is_cut
  FROM windows WHERE ${every(reaching(range))} GROUP BY ${series} SETTINGS max_rows_to_group_by = 0)) AS look`;
  const isApart = isSampledApart(range, sql`(look.1 AND ${isUnclean(range)})`, inSamples);
  const bucket = bucketOf === undefined ? [] : [sql`bucket`];
  const whole = sql`SELECT ${join([series, ...(bucketOf === undefined ? [] : [sql`${bucketOf(sql`first`)} AS bucket`])])},
  toInt64(first) AS first_time, count AS counted, reals AS real_count, sums, toFloat64(windows.least) AS least,
  toFloat64(windows.greatest) AS greatest
FROM windows WHERE ${every([...reaching(range), sql`count > 0`, isWhole, sql`NOT ${isApart}`])}`;
  const lists = [
    ...windowLists(range, needs, sql`(look.2 AND NOT ${isWhole} AND NOT ${isApart})`),
    ...restLists(range, needs, isApart, inSamples),
  ];
  const ofLists = lists.map(
    (
      list,
    ) => sql`SELECT ${join([series, ...bucket])}, if(empty(times), 0, arrayMin(times)) AS first_time, length(list) AS counted,
  length(sums) AS real_count, arrayFilter(number -> NOT isNaN(number), list) AS sums, arrayMin(sums) AS least, arrayMax(sums) AS greatest
FROM (${list})`,
  );
  return { named, rows: join([whole, ...ofLists], sql` UNION ALL `) };
}
