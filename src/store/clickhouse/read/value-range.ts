import type { TimeRange } from '../../../domain/timestamp.ts';
import type { ReadPlan, Selection } from '../../../query/plan.ts';
import { every, print, type Sql, sql } from '../server/sql.ts';
import type { RunContext } from './run-context.ts';
import { ofParameters, selectedStreams, streamsInScope } from './selection-sql.ts';

/** Where a plan has values. */
export interface ValueRange extends TimeRange {
  /** About how many values are in it, old ones and deleted ones with them. */
  readonly count: number;
}

/** The part of a plan's time that has values; undefined where none has. Projections of the tables know it. */
export async function valueRangeOf(
  plan: Selection & Pick<ReadPlan, 'parameters'>,
  { clickhouse, options }: Pick<RunContext, 'clickhouse' | 'options'>,
): Promise<ValueRange | undefined> {
  const where = every([...selectedStreams(plan), ofParameters(plan.parameters)]);
  const bounds = (table: Sql, first: Sql, last: Sql, count: Sql) =>
    sql`SELECT min(${first}) AS first, max(${last}) AS last, ${count} AS values FROM ${table} WHERE ${where}`;
  const [row] = await clickhouse.rows<[first: string, last: string, count: string]>(
    print(sql`SELECT min(first), max(last), sum(values) FROM (
  ${bounds(sql`samples`, sql`timestamp`, sql`timestamp`, sql`count()`)}
  UNION ALL ${bounds(sql`windows`, sql`first`, sql`last`, sql`sum(count)`)})
WHERE values > 0`),
    options,
  );
  const [first, last, count] = row!.map(BigInt) as [bigint, bigint, bigint];
  if (count === 0n) return undefined;
  const from = first < plan.from ? plan.from : first;
  const to = last > plan.to ? plan.to : last;
  if (from > to) return undefined;
  return { first: from, last: to, count: share(Number(count), to - from, last - first) };
}

/** In which tables streams of a plan may have values of its parameters, at any time. */
export async function heldBy(
  plan: Selection & Pick<ReadPlan, 'parameters'>,
  { clickhouse, options }: Pick<RunContext, 'clickhouse' | 'options'>,
): Promise<{ readonly inSamples: boolean; readonly inWindows: boolean }> {
  const where = every([...streamsInScope(plan), ofParameters(plan.parameters)]);
  const holds = async (rows: Sql) =>
    (await clickhouse.rows<[count: string]>(print(rows), options))[0]![0] !== '0';
  // A store of windows has events alone in `samples`, mostly. Then windows are asked, whether they have something or not.
  const inSamples = await holds(sql`SELECT count() FROM samples WHERE ${where}`);
  const inWindows =
    !inSamples || (await holds(sql`SELECT count() FROM (SELECT 1 FROM windows WHERE ${where} LIMIT 1)`));
  return { inSamples, inWindows };
}

/** Of so many values about how many lie in a part of their time. */
function share(count: number, part: bigint, whole: bigint): number {
  return whole === 0n ? count : Math.max(1, (count * Number(part)) / Number(whole));
}
