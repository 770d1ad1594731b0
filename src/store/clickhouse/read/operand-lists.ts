import type { ParameterKey } from '../../../domain/parameter-data.ts';
import { every, join, name, param, type Sql, sql } from '../server/sql.ts';
import { hasColumn, operandColumn, type RowSql } from './expression-sql.ts';

/**
 * What an expression of several operands is at each time and tag set of a stream: `topic`, `stream`, `tags`, and the arrays
 * `times` and `list`. No list is empty.
 *
 * Lists of operands are put beside each other: a group for each row takes several times as long
 * (docs/decisions/009-clickhouse-store.md). Where operands are aligned these have the same times, or one of them is
 * nowhere; the statement fails where that is not so (FUNCTION_THROW_IF_VALUE_IS_NON_ZERO).
 *
 * @param lists of all operands: the columns of a series, `tags`, `bucket` (the piece of time that they are put together in),
 * `times` and `list`
 */
export function operandLists(
  lists: Sql,
  operands: readonly ParameterKey[],
  expression: RowSql,
  isAligned: boolean,
): Sql {
  const sorted = sortedLists(lists, operands);
  return isAligned ? alignedLists(sorted, operands, expression) : unitedLists(sorted, operands, expression);
}

/** Without those of which an operand is nowhere; where they would be of use, they are not aligned. */
function alignedLists(lists: Sql, operands: readonly ParameterKey[], { value, isThere }: RowSql): Sql {
  const [first, ...others] = operands.map((_, i) => column('times', i));
  const isSomewhere = every(operands.map((_, i) => sql`notEmpty(${column('times', i)})`));
  const differ = join(
    others.map((times) => sql`${first!} != ${times}`),
    sql` OR `,
  );
  const isApart = isThere === undefined ? sql`${isSomewhere} AND (${differ})` : differ;
  const [names, numbers] = [operandColumn, (i: number) => column('numbers', i)].map((of) =>
    each(operands, of),
  );
  return sql`SELECT topic, stream, tags, ${first!} AS times, arrayMap((${names!}) -> ${value}, ${numbers!}) AS list
FROM (${lists}) WHERE throwIf(${isApart}) = 0 AND ${isSomewhere}`;
}

function unitedLists(lists: Sql, operands: readonly ParameterKey[], { value, isThere }: RowSql): Sql {
  const of = (make: (place: number) => Sql) => each(operands, make);
  const united = sql`SELECT *, arrayCompact(arraySort(arrayConcat(${of((i) => column('times', i))}))) AS united
FROM (${lists})`;
  // Times that an operand has stand twice in these: what differs from both beside it is missing.
  const both = sql`SELECT *, ${of((i) => sql`arraySort(arrayConcat(united, ${column('times', i)})) AS ${column('both', i)}`)}
FROM (${united})`;
  const missing = (i: number): Sql => {
    const steps = sql`arrayPushFront(arrayPopFront(arrayDifference(${column('both', i)})), 1)`;
    return sql`arrayFilter((time, step, next) -> step != 0 AND next != 0,
    ${column('both', i)}, ${steps}, arrayPushBack(arrayPopFront(${steps}), 1)) AS ${column('missing', i)}`;
  };
  const gaps = sql`SELECT *, ${of(missing)} FROM (${both})`;
  const filled = (values: Sql, i: number) =>
    sql`arraySort((value, time) -> time, arrayResize(${values}, length(united)),
    arrayConcat(${column('times', i)}, ${column('missing', i)}))`;
  const ones = (i: number) => sql`arrayWithConstant(length(${column('times', i)}), toUInt8(1))`;
  const columns = sql`SELECT topic, stream, tags, united,
  ${of((i) => sql`${filled(column('numbers', i), i)} AS ${column('filled', i)}, ${filled(ones(i), i)} AS ${column('held', i)}`)}
FROM (${gaps})`;
  const isNeeded = isThere ?? every(operands.map((_, i) => hasColumn(i)));
  const names = of((i) => sql`${operandColumn(i)}, ${hasColumn(i)}`);
  const values = of((i) => sql`${column('filled', i)}, ${column('held', i)}`);
  return sql`SELECT topic, stream, tags,
  arrayFilter((time, there) -> there, united, there) AS times,
  arrayFilter((value, there) -> there, arrayMap((${names}) -> ${value}, ${values}), there) AS list
FROM (SELECT *, arrayMap((${names}) -> toUInt8(${isNeeded}), ${values}) AS there FROM (${columns}))
WHERE has(there, 1)`;
}

/** The times and numbers of each operand, in order of time, by stream, tag set and piece of time. */
function sortedLists(lists: Sql, operands: readonly ParameterKey[]): Sql {
  const gathered = operands.map((operand, i) => {
    const isOf = sql`parameter = ${param(operand.name, 'String')}`;
    return sql`groupArrayArrayIf(times, ${isOf}) AS ${column('raw_times', i)}, groupArrayArrayIf(list, ${isOf}) AS ${column('raw_numbers', i)}`;
  });
  const sorted = operands.map(
    (_, i) => sql`arraySort(${column('raw_times', i)}) AS ${column('times', i)},
  arraySort((value, time) -> time, ${column('raw_numbers', i)}, ${column('raw_times', i)}) AS ${column('numbers', i)}`,
  );
  return sql`SELECT topic, stream, tags, ${join(sorted)} FROM (
  SELECT topic, stream, tags, ${join(gathered)}
  FROM (${lists}) GROUP BY topic, stream, tags, bucket SETTINGS max_rows_to_group_by = 0)`;
}

function each(operands: readonly ParameterKey[], make: (place: number) => Sql): Sql {
  return join(operands.map((_, i) => make(i)));
}

function column(kind: string, place: number): Sql {
  return name(`${kind}_${place}`);
}
