import type { ParameterKey } from '../../../domain/parameter-data.ts';
import type { TimeRange } from '../../../domain/timestamp.ts';
import type { AggregatePlan } from '../../../query/plan/plan.ts';
import { bucketOf } from '../../../query/plan/time-buckets.ts';
import { every, param, print, sql } from '../server/sql.ts';
import type { RunContext } from './run-context.ts';
import { ofParameters, selectedStreams } from './selection-sql.ts';

/** The most values of operands that a statement puts together: they are in memory, as lists and as lists in order. */
const mostValues = 20_000_000n;
/** About the values of a piece of time, where one stream has them all. */
const valuesOfPiece = 1_000_000n;

/** How the operands of an expression come together. */
export interface Meeting {
  /** Whether they have the same times, tag set by tag set, wherever they are; the statement fails where that is not so. */
  readonly isAligned: boolean;
  /** Values are put together by pieces of time of this width (ns), so that no list is too long. */
  readonly width: bigint;
}

/** What has to be asked for the rows of some operands: each of these times by itself. */
export interface Meetings {
  readonly meeting: Meeting;
  readonly slices: readonly TimeRange[];
}

/**
 * How the operands of a plan may come together. A projection of `windows` tells how many values there are; old ones are
 * counted too, so `isAligned` is a guess. Undefined where there are too many values for one statement, and no buckets by
 * which several could share them.
 */
export async function meetingsOf(
  plan: AggregatePlan,
  operands: readonly ParameterKey[],
  { clickhouse, options }: Pick<RunContext, 'clickhouse' | 'options'>,
): Promise<Meetings | undefined> {
  const where = every([...selectedStreams(plan), ofParameters(operands)]);
  const counts = sql`SELECT topic, stream, parameter, sum(count) AS written, min(windows.first) AS first, max(windows.last) AS last
FROM windows WHERE ${where} GROUP BY topic, stream, parameter`;
  const streams = sql`SELECT sum(written) AS all_written, min(first) AS earliest, max(last) AS latest,
  count() = ${param(BigInt(operands.length), 'Int64')} AND uniqExact(written, first, last) > 1 AS is_apart
FROM (${counts}) GROUP BY topic, stream`;
  const [row] = await clickhouse.rows<[written: string, apart: string, first: string, last: string]>(
    print(sql`SELECT sum(all_written), countIf(is_apart), min(earliest), max(latest) FROM (${streams})`),
    options,
  );
  const [written, apart, earliest, latest] = row!.map(BigInt) as [bigint, bigint, bigint, bigint];
  const first = earliest < plan.from ? plan.from : earliest;
  const last = latest > plan.to ? plan.to : latest;
  if (written === 0n || first > last) return { meeting: { isAligned: true, width: 1n }, slices: [] };
  const span = last - first + 1n;
  const values = ceiled(written * span, latest - earliest + 1n);
  const meeting = { isAligned: apart === 0n, width: ceiled(span, ceiled(values, valuesOfPiece)) };
  const parts = ceiled(values, mostValues);
  if (parts === 1n) return { meeting, slices: [{ first, last }] };
  if (plan.buckets === undefined) return undefined;
  const { width } = plan.buckets;
  const step = ceiled(ceiled(span, parts), width);
  const slices: TimeRange[] = [];
  for (let from = first; from <= last; ) {
    const next = (bucketOf(from, width) + step) * width;
    slices.push({ first: from, last: next > last ? last : next - 1n });
    from = next;
  }
  return { meeting, slices };
}

function ceiled(amount: bigint, part: bigint): bigint {
  return (amount + part - 1n) / part;
}
