import { every, join, name, type Sql, some, sql } from '../server/sql.ts';
import {
  isUnclean,
  listsByBucket,
  listsByTags,
  reaching,
  type SeriesRange,
  series,
  windowNumbers,
  windowValues,
} from '../server/window-sql.ts';

/** What is asked of lists besides their values. */
export interface ListNeeds {
  readonly hasTexts: boolean;
  /** Whether each list has one tag set. */
  readonly needsTags: boolean;
  /** On `tags`, which are needed then. */
  readonly tagConditions: readonly Sql[];
  /** The number of the bucket of a time; where it is given, each list is of one bucket. */
  readonly bucketOf: ((time: Sql) => Sql) | undefined;
  /** Where nothing but these values of each series counts; without buckets and conditions. */
  readonly edges: readonly ('first' | 'last')[] | undefined;
}

/**
 * Values as lists: the columns of a series, `tags` (where they are needed), `bucket` (where there are buckets), `times` and `list`
 * (arrays). Each value that counts is in one list; no list is empty. Where neither tags nor buckets are asked for, `times`
 * may be left empty. All parts of the statement have to see the same data (`enable_shared_storage_snapshot_in_query`).
 */
export function valueLists(range: SeriesRange, needs: ListNeeds): Sql {
  const isApart = isUnclean(range);
  const lists = [...windowLists(range, needs, sql`NOT ${isApart}`), restLists(range, needs, isApart)];
  return join(lists, sql` UNION ALL `);
}

/** Lists of the values that are told apart. */
export function restLists(range: SeriesRange, needs: ListNeeds, isApart: Sql): Sql {
  const values = windowValues(range, valuesOf(needs), [isApart]);
  const newest = sql`SELECT ${series}, tags, time, argMax(value, version) AS value FROM (${values}) GROUP BY ${series}, tags, time`;
  return gathered(needs, sql`${newest} SETTINGS max_rows_to_group_by = 0`);
}

/** Lists of the windows that are clean: of those inside of the range, and of those that its borders cut. */
export function windowLists(range: SeriesRange, needs: ListNeeds, isClean: Sql): Sql[] {
  const { needsTags, bucketOf, edges } = needs;
  const rows = [...reaching(range), sql`count > 0`, isClean];
  const isInside = sql`(first >= ${range.from} AND last <= ${range.to})`;
  const inside = [...rows, isInside];
  const chosen = edges === undefined ? inside : [...inside, hasEdge(edges, inside)];
  // Most windows need no times, where nothing is asked that depends on them.
  const whole =
    needsTags || bucketOf !== undefined
      ? listsOf(needs, chosen, undefined)
      : sql`SELECT ${series}, CAST([], 'Array(Int64)') AS times, ${valuesOf(needs)} AS list FROM windows WHERE ${every(chosen)}`;
  return [whole, listsOf(needs, [...rows, sql`NOT ${isInside}`], range)];
}

/** @param cut the range that values are to be of, where windows have others */
function listsOf(needs: ListNeeds, windows: readonly Sql[], cut: SeriesRange | undefined): Sql {
  const { needsTags, tagConditions, bucketOf } = needs;
  const columns = [series];
  let lists = sql`SELECT ${series}, pieces, times, ${valuesOf(needs)} AS list FROM windows WHERE ${every(windows)}`;
  if (needsTags) {
    lists = sql`SELECT * FROM (${listsByTags(lists)}) WHERE ${every(tagConditions)}`;
    columns.push(sql`tags`);
  }
  if (cut !== undefined) {
    const inside = (values: Sql) =>
      sql`arrayFilter((each, time) -> time BETWEEN ${cut.from} AND ${cut.to}, ${values}, times)`;
    // ClickHouse may look for empty ones before it leaves other kinds out, of which times and values are not as many.
    lists = sql`SELECT ${join(columns)}, inside_times AS times, inside_list AS list FROM (
  SELECT ${join(columns)}, ${inside(sql`times`)} AS inside_times, ${inside(sql`list`)} AS inside_list FROM (${lists}))
WHERE notEmpty(inside_times)`;
  } else {
    lists = sql`SELECT ${join(columns)}, times, list FROM (${lists})`;
  }
  return bucketOf === undefined ? lists : listsByBucket(lists, columns, bucketOf);
}

/** Whether a window has the first or the last value of its series in some windows. */
function hasEdge(edges: readonly ('first' | 'last')[], windows: readonly Sql[]): Sql {
  const outermost = { first: sql`min(first)`, last: sql`max(last)` };
  const hasIt = edges.map(
    (edge) => sql`(${series}, ${name(edge)}) IN (
  SELECT ${series}, ${outermost[edge]} FROM windows WHERE ${every(windows)} GROUP BY ${series} SETTINGS max_rows_to_group_by = 0)`,
  );
  return sql`(${some(hasIt)})`;
}

/** Lists of values that come one by one, in order of time: sums lose less where it goes with the values. */
function gathered({ needsTags, tagConditions, bucketOf }: ListNeeds, values: Sql): Sql {
  const keys = [
    series,
    ...(needsTags ? [sql`toLowCardinality(tags) AS tags`] : []),
    ...(bucketOf === undefined ? [] : [sql`${bucketOf(sql`time`)} AS bucket`]),
  ];
  const names = [series, ...(needsTags ? [sql`tags`] : []), ...(bucketOf === undefined ? [] : [sql`bucket`])];
  return sql`SELECT ${join(names)}, sorted.1 AS times, sorted.2 AS list FROM (
  SELECT ${join(keys)}, arraySort(pair -> pair.1, groupArray((time, value))) AS sorted
  FROM (${values}) WHERE ${every(tagConditions)} GROUP BY ${join(names)} SETTINGS max_rows_to_group_by = 0)`;
}

function valuesOf({ hasTexts }: ListNeeds): Sql {
  return hasTexts ? sql`texts` : windowNumbers;
}
