import { join, type Sql, sql } from '../server/sql.ts';

/** What a row of `windows` tells of its values without them (`server/migrations/windows-table.ts`), of arrays in one order. */
export function sumsOf(times: Sql, numbers: Sql): readonly (readonly [column: Sql, value: Sql])[] {
  const reals = sql`arrayFilter(number -> NOT isNaN(number), ${numbers})`;
  const sum = sql`arrayReduce('sumKahan', ${reals})`;
  // Sums of larger numbers might leave the doubles on their way.
  const isSummed = sql`(kind = 'numeric' AND arrayAll(number -> abs(number) <= 1e290, ${reals}))`;
  const rest = sql`arrayReduce('sumKahan', arrayPushBack(${reals}, -${sum}))`;
  const hasEdges = sql`(kind = 'numeric' AND notEmpty(${times}))`;
  const pairs = sql`arrayZip(${times}, ${numbers})`;
  return [
    [sql`summed`, sql`if(${isSummed}, length(${numbers}), 0)`],
    [sql`reals`, sql`if(${isSummed}, length(${reals}), 0)`],
    [sql`sums`, sql`if(${isSummed} AND notEmpty(${reals}), [${sum}, ${rest}], [])`],
    [sql`least`, sql`if(${isSummed} AND notEmpty(${reals}), arrayMin(${reals}), inf)`],
    [sql`greatest`, sql`if(${isSummed} AND notEmpty(${reals}), arrayMax(${reals}), -inf)`],
    [sql`oldest`, sql`if(${hasEdges}, arraySort(${pairs})[1], (9223372036854775807, 0.))`],
    [sql`newest`, sql`if(${hasEdges}, arraySort(${pairs})[-1], (-9223372036854775808, 0.))`],
  ];
}

/** As `column = value` of an UPDATE. */
export function setSums(times: Sql, numbers: Sql): Sql {
  return join(sumsOf(times, numbers).map(([column, value]) => sql`${column} = ${value}`));
}
