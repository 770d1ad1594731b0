import { every, join, type Sql, sql } from './sql.ts';

/**
 * The table `windows` as SQL (migrations/007-windows.ts). A window is *clean* where none of its pieces overlaps another
 * one of its series and tag set: then each of its values counts. Values of the others have to be told apart: of one time
 * and tag set the newest counts, and none that is deleted.
 */

/** What makes a series within a workspace. */
export const series = sql`topic, stream, parameter, kind`;
/** What makes a window within a workspace. */
export const windowKey = sql`${series}, level, window`;

/** What a statement reads of series. */
export interface SeriesRange {
  /** Conditions on `workspace` and on the columns of a series. */
  readonly where: readonly Sql[];
  /** The first and the last time (ns); they may depend on `topic`. */
  readonly from: Sql;
  readonly to: Sql;
}

/** The numbers of a row of `windows`, whichever form its level says (`window-lengths.ts`). */
export const windowNumbers = sql`if(level < 32, numbers, arrayMap(whole -> whole / intExp10(intDiv(level, 32) - 1), scaled))`;

/** Conditions on rows of `windows` that may have something in a range. */
export function reaching({ where, from, to }: SeriesRange): Sql[] {
  return [...where, sql`first <= ${to}`, sql`last >= ${from}`];
}

/** Of rows of one series, whether any pieces overlap in time, of whichever tag sets. */
export const mayOverlap = sql`arrayExists((end, next) -> next <= end,
    arrayPopBack(arraySort((end, begin) -> begin, groupArrayArray(pieces.last), groupArrayArray(pieces.first) AS begins)),
    arrayPopFront(arraySort(begins)))`;

/** Whether a row of `windows` that reaches into a range is of a window that is not clean. */
export function isUnclean(range: SeriesRange): Sql {
  const conditions = reaching(range);
  // Two columns say of most series that nothing of them overlaps: then that is all.
  const suspects = sql`SELECT ${series} FROM windows WHERE ${every(conditions)} GROUP BY ${series}
  HAVING ${mayOverlap}
  SETTINGS max_rows_to_group_by = 0`;
  const pieces = sql`SELECT ${windowKey}, piece.1 AS tags, piece.2 AS begin, piece.3 AS end
  FROM windows ARRAY JOIN arrayZip(pieces.tags, pieces.first, pieces.last) AS piece
  WHERE ${every([...conditions, sql`(${series}) IN (${suspects})`])}`;
  const others = sql`PARTITION BY ${series}, tags ORDER BY begin, end`;
  return sql`(${windowKey}) IN (SELECT ${windowKey} FROM (
  SELECT ${windowKey},
    begin <= max(toNullable(end)) OVER (${others} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before,
    end >= min(toNullable(begin)) OVER (${others} ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS after
  FROM (${pieces}))
WHERE before OR after)`;
}

/**
 * Values one by one without deleted ones, but with older ones of the same time and tags: the columns of a series, `tags`,
 * `time`, `value`, `version`.
 *
 * @param rows conditions on rows of `windows`
 */
export function windowValues(range: SeriesRange, values: Sql, rows: readonly Sql[]): Sql {
  const ofEach = (field: Sql) =>
    sql`arrayFlatten(arrayMap(piece -> arrayWithConstant(piece.count, piece.${field}), all_pieces))`;
  // What several inserts wrote to a window comes together, so that deletes stand beside the values.
  const windows = sql`SELECT ${series}, groupArrayArray(times) AS all_times, groupArrayArray(${values}) AS all_values,
    groupArrayArray(pieces) AS all_pieces, ${ofEach(sql`tags`)} AS all_tags, ${ofEach(sql`version`)} AS all_versions,
    arrayFilter(piece -> piece.count = 0, all_pieces) AS deletes
  FROM windows WHERE ${every([...reaching(range), ...rows])} GROUP BY ${windowKey} SETTINGS max_rows_to_group_by = 0`;
  const isDeleted = sql`arrayExists(
    gone -> gone.tags = tags AND time BETWEEN gone.first AND gone.last AND version <= gone.version, deletes)`;
  return sql`SELECT ${series}, tags, time, value, version FROM (${windows})
ARRAY JOIN all_times AS time, all_values AS value, all_tags AS tags, all_versions AS version
WHERE time BETWEEN ${range.from} AND ${range.to} AND NOT ${isDeleted}`;
}

/**
 * Windows taken apart to lists of one tag set each. Pieces of one set that stand side by side are one list. Arrays are split
 * without a copy of their values.
 *
 * @param windows rows with the columns of a series, `pieces`, `times`, `list`
 * @returns rows with the columns of a series, `tags`, `times`, `list`
 */
export function listsByTags(windows: Sql): Sql {
  return sql`SELECT ${series}, toLowCardinality(list_tags) AS tags, list_times AS times, list_values AS list FROM (
  SELECT ${series},
    arrayFilter(piece -> piece.count > 0, pieces) AS written,
    arrayMap((set, before) -> set != before, written.tags, arrayPushFront(arrayPopBack(written.tags), '')) AS changes,
    arrayFlatten(arrayMap((change, count) -> arrayPushFront(arrayWithConstant(count - 1, false), change), changes, written.count)) AS starts,
    arrayFilter((set, change) -> change, written.tags, changes) AS tag_lists,
    arraySplit((time, start) -> start, times, starts) AS time_lists,
    arraySplit((value, start) -> start, list, starts) AS value_lists
  FROM (${windows})
) ARRAY JOIN tag_lists AS list_tags, time_lists AS list_times, value_lists AS list_values`;
}

/**
 * Lists taken apart at the borders of buckets.
 *
 * @param lists rows with `columns`, `times`, `list`
 * @param bucketOf the number of the bucket of a time
 * @returns rows with `columns`, `bucket` (its number), `times`, `list`
 */
export function listsByBucket(lists: Sql, columns: readonly Sql[], bucketOf: (time: Sql) => Sql): Sql {
  return sql`SELECT ${join(columns)}, list_bucket AS bucket, list_times AS times, list_values AS list FROM (
  SELECT ${join(columns)}, arrayMap(time -> ${bucketOf(sql`time`)}, times) AS buckets, arrayDifference(buckets) AS steps,
    arraySplit((time, step) -> step != 0, times, steps) AS time_lists,
    arraySplit((value, step) -> step != 0, list, steps) AS value_lists
  FROM (${lists})
) ARRAY JOIN arrayCompact(buckets) AS list_bucket, time_lists AS list_times, value_lists AS list_values`;
}

/** Whether a row of `windows` is of one that has deletes, of those that some conditions choose. */
export function hasDeletes(conditions: readonly Sql[]): Sql {
  return sql`(${windowKey}) IN (SELECT ${windowKey} FROM windows WHERE ${every([...conditions, sql`deleted > 0`])})`;
}

/**
 * What windows are made of: a row for each piece that has values in a range, and for each delete that reaches into it. The columns of a series,
 * `level`, `tags`, `version`, `first`, `last`, and the arrays `times`, `numbers` and, where `hasTexts`, `texts`, of equal lengths;
 * those of deletes are empty.
 */
export function windowPieces(range: SeriesRange, hasTexts: boolean): Sql {
  const split = (values: Sql) =>
    sql`arrayConcat(arraySplit((each, start) -> start, ${values}, starts), arrayResize([], length(deletes)))`;
  const padded = (values: Sql) => (hasTexts ? sql`arrayResize(${values}, length(times))` : values);
  // Numbers have no texts, and texts no numbers.
  const columns = [
    sql`${split(sql`times`)} AS time_lists`,
    sql`${split(padded(windowNumbers))} AS number_lists`,
    ...(hasTexts ? [sql`${split(padded(sql`texts`))} AS text_lists`] : []),
  ];
  const isInside = sql`piece.first >= ${range.from} AND piece.last <= ${range.to}`;
  const inside = (values: Sql) => sql`if(${isInside}, ${values},
    arrayFilter((each, time) -> time BETWEEN ${range.from} AND ${range.to}, ${values}, piece_times))`;
  return sql`SELECT ${series}, level, piece.tags AS tags, piece.version AS version, piece.first AS first, piece.last AS last,
  ${inside(sql`piece_times`)} AS times, ${inside(sql`piece_numbers`)} AS numbers${hasTexts ? sql`, ${inside(sql`piece_texts`)} AS texts` : sql``}
FROM (
  SELECT ${series}, level, arrayFilter(piece -> piece.count > 0, pieces) AS written, arrayFilter(piece -> piece.count = 0, pieces) AS deletes,
    arrayFlatten(arrayMap(count -> arrayPushFront(arrayWithConstant(count - 1, false), true), written.count)) AS starts,
    ${join(columns)}
  FROM windows WHERE ${every(reaching(range))}
) ARRAY JOIN arrayConcat(written, deletes) AS piece, time_lists AS piece_times, number_lists AS piece_numbers${hasTexts ? sql`, text_lists AS piece_texts` : sql``}
WHERE notEmpty(times) OR (piece.count = 0 AND piece.first <= ${range.to} AND piece.last >= ${range.from})`;
}
