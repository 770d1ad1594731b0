import { every, join, name, type Sql, sql } from '../server/sql.ts';
import { reaching, type SeriesRange, series } from '../server/window-sql.ts';

/** `throwIf` of what cannot be answered without values. */
const mark = {
  first: {
    time: sql`toInt64(min(first))`,
    value: sql`argMin(oldest.number, first)`,
    isOdd: sql`argMin(oldest.time != first OR countEqual(pieces.first, first) != 1, first)`,
    shared: sql`countEqual(groupArray(first), min(first)) != 1`,
  },
  last: {
    time: sql`toInt64(max(last))`,
    value: sql`argMax(newest.number, last)`,
    isOdd: sql`argMax(newest.time != last OR countEqual(pieces.last, last) != 1, last)`,
    shared: sql`countEqual(groupArray(last), max(last)) != 1`,
  },
} as const;

/**
 * The first and the last numbers of series and their times, from what windows tell of them: the columns of a series, and
 * `first_time`, `first_value`, `last_time`, `last_value` as far as they are asked for.
 *
 * The edge of a series is one number where a single piece ends there: what replaces or deletes it would end there, too.
 * Where any series is otherwise, or has its edge outside of the range, the statement fails with FUNCTION_THROW_IF_VALUE_IS_NON_ZERO,
 * before it answers anything.
 */
export function windowEdges(range: SeriesRange, edges: readonly ('first' | 'last')[]): Sql {
  const columns = edges.flatMap((edge) => [
    sql`${mark[edge].time} AS ${name(`${edge}_time`)}`,
    sql`${mark[edge].value} AS ${name(`${edge}_value`)}`,
  ]);
  const odd = edges.flatMap((edge) => [mark[edge].isOdd, mark[edge].shared]);
  const outside = edges.map((edge) =>
    edge === 'first' ? sql`first_time < ${range.from}` : sql`last_time > ${range.to}`,
  );
  const isOdd = join([...odd, ...outside], sql` OR `);
  return sql`SELECT * FROM (
  SELECT ${join([series, ...columns])}, ${isOdd} AS is_odd
  FROM windows WHERE ${every(reaching(range))} GROUP BY ${series} SETTINGS max_rows_to_group_by = 0
) WHERE throwIf(is_odd) = 0`;
}
