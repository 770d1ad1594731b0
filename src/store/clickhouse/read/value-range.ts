import type { TimeRange } from '../../../domain/timestamp.ts';
import type { ReadPlan, Selection } from '../../../query/plan/plan.ts';
import { every, print, sql } from '../server/sql.ts';
import type { RunContext } from './run-context.ts';
import { ofParameters, selectedStreams } from './selection-sql.ts';

/** Where a plan has values. */
export interface ValueRange extends TimeRange {
  /** About how many values are in it, old ones and deleted ones with them. */
  readonly count: number;
}

/** The part of a plan's time that has values; undefined where none has. A projection of the table knows it. */
export async function valueRangeOf(
  plan: Selection & Pick<ReadPlan, 'parameters'>,
  { clickhouse, options }: Pick<RunContext, 'clickhouse' | 'options'>,
): Promise<ValueRange | undefined> {
  const where = every([...selectedStreams(plan), ofParameters(plan.parameters)]);
  const [row] = await clickhouse.rows<[first: string, last: string, count: string]>(
    print(sql`SELECT min(first), max(last), sum(count) FROM windows WHERE ${where}`),
    options,
  );
  const [first, last, count] = row!.map(BigInt) as [bigint, bigint, bigint];
  if (count === 0n) return undefined;
  const from = first < plan.from ? plan.from : first;
  const to = last > plan.to ? plan.to : last;
  if (from > to) return undefined;
  return { first: from, last: to, count: share(Number(count), to - from, last - first) };
}

/** Of so many values about how many lie in a part of their time. */
function share(count: number, part: bigint, whole: bigint): number {
  return whole === 0n ? count : Math.max(1, (count * Number(part)) / Number(whole));
}
