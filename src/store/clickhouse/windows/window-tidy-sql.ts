import { maxTimestamp, minTimestamp } from '../../../domain/timestamp.ts';
import { literal, param, type Sql, sql } from '../server/sql.ts';
import { windowKey, windowNumbers } from '../server/window-sql.ts';
import { setSums } from './window-sums-sql.ts';

// Windows that are written again without what is replaced and deleted, each row by itself.

/** What a window has, as SQL. */
interface Held {
  readonly pieces: Sql;
  /** How many sums it has, and of how many values. */
  readonly sums: Sql;
  readonly count: Sql;
  readonly deleted: Sql;
}

/**
 * Whether something may be replaced or deleted, or small requests brought a sum for each eighth value or more often, which
 * take a third of the values' room and more; and nothing was deleted since a version: until then older values may still come, which deletes are for.
 * Pieces of one tag set that share times stand beside each other in their order.
 */
function isUntidy({ pieces, sums, count, deleted }: Held, settled: bigint): Sql {
  return sql`${deleted} < ${param(settled, 'UInt64')} AND (${deleted} > 0 OR (${sums} > 8 AND 8 * ${sums} > ${count}) OR arrayExists(
  (piece, next) -> next.tags = piece.tags AND next.first <= piece.last,
  arrayPopBack(arraySort(${pieces})), arrayPopFront(arraySort(${pieces}))))`;
}

const joined = {
  pieces: sql`joined`,
  sums: sql`sums_held`,
  count: sql`written`,
  deleted: sql`newest_delete`,
};
const ofRow = { pieces: sql`pieces`, sums: sql`length(sums)`, count: sql`count`, deleted: sql`deleted` };

/** By partition its id, the values of all windows, those of untidy ones, and the most pieces of one of these. */
export function untidyPartitions(settled: bigint): Sql {
  return sql`SELECT partition, sum(written), sumIf(written, untidy), maxIf(length(joined), untidy)
FROM (
  SELECT _partition_id AS partition, sum(count) AS written, groupArrayArray(pieces) AS joined,
    sum(length(sums)) AS sums_held, max(deleted) AS newest_delete, ${isUntidy(joined, settled)} AS untidy
  FROM windows GROUP BY partition, workspace, topic, stream, parameter, kind, level, window
)
GROUP BY partition HAVING countIf(untidy) > 0 ORDER BY partition`;
}

/** A row where a window of the partition has other rows beside a settled one: a delete in that may be for what they hold. */
export function windowsApart(partition: string, settled: bigint): Sql {
  return sql`SELECT 1 FROM windows
WHERE _partition_id = ${literal(partition)}
GROUP BY ${windowKey} HAVING count() > 1 AND min(version) <= ${param(settled, 'UInt64')} LIMIT 1`;
}

/** Tags, time, version, number, text and scaled number of each value, in the order of tags, time and version. */
const sorted = sql`arraySort(value -> (value.1, value.2, value.3), arrayZip(
  arrayFlatten(arrayMap(piece -> arrayWithConstant(piece.count, piece.tags), pieces)),
  times,
  arrayFlatten(arrayMap(piece -> arrayWithConstant(piece.count, piece.version), pieces)),
  arrayResize(${windowNumbers}, length(times)),
  arrayResize(texts, length(times)),
  arrayResize(scaled, length(times))))`;

/** Those that nothing newer replaces. No tag set is empty text, so the last one has no equal. */
const newest = sql`arrayFilter((value, next) -> (value.1, value.2) != (next.1, next.2), ${sorted}, arrayShiftLeft(${sorted}, 1))`;

/** Those that no piece without values takes away. Of these there are few, and of all pieces there may be thousands. */
const left = sql`arrayFilter(value -> NOT arrayExists(
  taken -> taken.tags = value.1 AND value.2 BETWEEN taken.first AND taken.last AND value.3 <= taken.version,
  arrayFilter(piece -> piece.count = 0, pieces)), ${newest})`;

const timesLeft = sql`arrayMap(value -> value.2, ${left})`;
const numbersLeft = sql`arrayMap(value -> value.4, ${left})`;

/** The same in runs of one tag set and version; the first has none of them before it, so no comparison cuts it off. */
const runs = sql`arraySplit((value, before) -> (value.1, value.3) != (before.1, before.3), ${left}, arrayShiftRight(${left}, 1))`;

/** Follows `ALTER TABLE …`. Bounds and sums are then those of what is left; of nothing they add nothing to rows that come later. */
export function tidied(partition: string, settled: bigint): Sql {
  return sql`UPDATE
  pieces = arrayMap(run -> (run[1].1, run[1].2, run[-1].2, run[1].3, toUInt32(length(run))), ${runs}),
  times = ${timesLeft},
  numbers = if(kind = 'numeric' AND level < 32, ${numbersLeft}, []),
  scaled = if(level < 32, [], arrayMap(value -> value.6, ${left})),
  texts = if(kind = 'numeric', [], arrayMap(value -> value.5, ${left})),
  count = length(${left}),
  bytes = 8 * length(${left}) + arraySum(value -> length(value.5), ${left}),
  first = if(empty(${left}), ${param(maxTimestamp, 'Int64')}, arrayMin(value -> value.2, ${left})),
  last = if(empty(${left}), ${param(minTimestamp, 'Int64')}, arrayMax(value -> value.2, ${left})),
  deleted = 0,
  ${setSums(timesLeft, numbersLeft)}
IN PARTITION ID ${literal(partition)} WHERE ${isUntidy(ofRow, settled)}`;
}

/** Rows of which nothing is left. */
export const isEmptied = sql`count = 0 AND deleted = 0`;
