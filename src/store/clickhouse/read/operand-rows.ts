import type { ParameterKey } from '../../../domain/parameter-data.ts';
import { join, name, param, type Sql, sql } from '../server/sql.ts';
import { hasColumn, operandColumn } from './expression-sql.ts';

/** How the operands of an expression come together in the rows of `samples`. */
export interface Meeting {
  /** Whether they have the same times, tag set by tag set, wherever they are; the statement fails where that is not so. */
  readonly isAligned: boolean;
  /** Rows are put together by pieces of time of this width (ns), so that no list is too long. */
  readonly width: bigint;
}

/**
 * A row for each time and tag set of a stream at which an operand has a value: `topic`, `stream`, `timestamp`, `tags`,
 * `operand_0`, `operand_1` and so on. Where operands are aligned these are the rows with all of them; otherwise `has_0` and
 * so on say which a row has.
 *
 * Values are gathered as lists, which are put beside each other: a group for each row takes several times as long
 * (docs/decisions/010-reads-on-clickhouse.md). Lists come in any order, as the threads of a read give them.
 *
 * @param where conditions on `samples`
 * @param needsAll whether a row is of no use where an operand is missing
 */
export function operandRows(
  where: Sql,
  operands: readonly ParameterKey[],
  meeting: Meeting,
  needsAll: boolean,
): Sql {
  const lists = sortedLists(where, operands, meeting);
  return meeting.isAligned ? alignedRows(lists, operands, needsAll) : unitedRows(lists, operands);
}

/** Without those of which an operand is nowhere; where they would be of use, they are not aligned. */
function alignedRows(lists: Sql, operands: readonly ParameterKey[], needsAll: boolean): Sql {
  const [first, ...others] = operands.map((_, i) => column('times', i));
  const isSomewhere = join(
    operands.map((_, i) => sql`notEmpty(${column('times', i)})`),
    sql` AND `,
  );
  const differ = join(
    others.map((times) => sql`${first!} != ${times}`),
    sql` OR `,
  );
  const isApart = needsAll ? sql`${isSomewhere} AND (${differ})` : differ;
  return sql`SELECT topic, stream, tags, timestamp, ${join(operands.map((_, i) => operandColumn(i)))} FROM (
  SELECT * FROM (${lists}) WHERE throwIf(${isApart}) = 0 AND ${isSomewhere})
ARRAY JOIN ${first!} AS timestamp, ${join(operands.map((_, i) => sql`${column('numbers', i)} AS ${operandColumn(i)}`))}`;
}

function unitedRows(lists: Sql, operands: readonly ParameterKey[]): Sql {
  const of = (make: (place: number) => Sql) => join(operands.map((_, i) => make(i)));
  const times = of((i) => column('times', i));
  const united = sql`SELECT *, arrayCompact(arraySort(arrayConcat(${times}))) AS times
FROM (${lists})`;
  // Times that an operand has stand twice in these: what differs from both beside it is missing.
  const both = sql`SELECT *, ${of((i) => sql`arraySort(arrayConcat(times, ${column('times', i)})) AS ${column('both', i)}`)}
FROM (${united})`;
  const missing = (i: number): Sql => {
    const steps = sql`arrayPushFront(arrayPopFront(arrayDifference(${column('both', i)})), 1)`;
    return sql`arrayFilter((time, step, next) -> step != 0 AND next != 0,
    ${column('both', i)}, ${steps}, arrayPushBack(arrayPopFront(${steps}), 1)) AS ${column('missing', i)}`;
  };
  const gaps = sql`SELECT *, ${of(missing)} FROM (${both})`;
  const filled = (values: Sql, i: number) =>
    sql`arraySort((value, time) -> time, arrayResize(${values}, length(times)),
    arrayConcat(${column('times', i)}, ${column('missing', i)}))`;
  const ones = (i: number) => sql`arrayWithConstant(length(${column('times', i)}), toUInt8(1))`;
  const columns = sql`SELECT topic, stream, tags, times,
  ${of((i) => sql`${filled(column('numbers', i), i)} AS ${column('filled', i)}, ${filled(ones(i), i)} AS ${column('held', i)}`)}
FROM (${gaps})`;
  return sql`SELECT topic, stream, tags, timestamp, ${of((i) => sql`${operandColumn(i)}, ${hasColumn(i)}`)} FROM (${columns})
ARRAY JOIN times AS timestamp, ${of(
    (i) => sql`${column('filled', i)} AS ${operandColumn(i)}, ${column('held', i)} AS ${hasColumn(i)}`,
  )}`;
}

/** The times and numbers of each operand, in order of time, by stream, tag set and piece of time. */
function sortedLists(where: Sql, operands: readonly ParameterKey[], { width }: Meeting): Sql {
  const gathered = operands.map((operand, i) => {
    const isOf = sql`parameter = ${param(operand.name, 'String')}`;
    return sql`groupArrayIf(timestamp, ${isOf}) AS ${column('raw_times', i)}, groupArrayIf(number, ${isOf}) AS ${column('raw_numbers', i)}`;
  });
  const sorted = operands.map(
    (_, i) => sql`arraySort(${column('raw_times', i)}) AS ${column('times', i)},
  arraySort((value, time) -> time, ${column('raw_numbers', i)}, ${column('raw_times', i)}) AS ${column('numbers', i)}`,
  );
  return sql`SELECT topic, stream, tags, ${join(sorted)} FROM (
  SELECT topic, stream, tags, intDiv(timestamp, ${param(width, 'Int64')}) AS piece, ${join(gathered)}
  FROM samples FINAL WHERE ${where} GROUP BY topic, stream, tags, piece SETTINGS max_rows_to_group_by = 0)`;
}

function column(kind: string, place: number): Sql {
  return name(`${kind}_${place}`);
}
