import { Kind } from '../../../domain/parameter-data.ts';
import type { AggregateColumn, AggregatePlan } from '../../../query/plan.ts';
import { integer, join, name, type Sql, sql } from '../sql.ts';

/**
 * What ClickHouse finds out about the values of one parameter in one group: the parts that aggregations are made of.
 * All are doubles but `first` and `last`, which are texts where the parameter's values are. NaN is skipped by all but
 * `count`, `first` and `last`. A percentile is its two closest ranks, between which the service itself interpolates.
 */
export type Measure =
  | 'count'
  | 'numbers'
  | 'sum'
  | 'max'
  | 'min'
  | 'deviation'
  | 'mode'
  | 'first'
  | 'last'
  | `low${Percent}`
  | `high${Percent}`;

export type Percent = (typeof percents)[keyof typeof percents];

const percents = { Median: 50, P50: 50, P90: 90, P95: 95, P99: 99 } as const;

/** The percent of an aggregation that is a percentile. */
export function percentOf(aggregation: AggregateColumn['aggregation']): Percent | undefined {
  return aggregation in percents ? percents[aggregation as keyof typeof percents] : undefined;
}

export function measuresOf(aggregation: AggregateColumn['aggregation']): readonly Measure[] {
  const percent = percentOf(aggregation);
  if (percent !== undefined) return ['numbers', `low${percent}`, `high${percent}`];
  switch (aggregation) {
    case 'Count':
      return ['count'];
    case 'First':
      return ['first'];
    case 'Last':
      return ['last'];
    case 'Sum':
    case 'Mean':
      return ['numbers', 'sum'];
    case 'Max':
      return ['numbers', 'max'];
    case 'Min':
      return ['numbers', 'min'];
    case 'Spread':
      return ['numbers', 'max', 'min'];
    case 'StdDev':
      return ['numbers', 'deviation'];
    default:
      return ['numbers', 'mode'];
  }
}

/** Parameters of which the same is asked, so that one statement answers for all of them. */
export interface Question {
  /** Indexes into the plan's parameters. */
  readonly parameters: readonly number[];
  /** Whether their values are texts: strings, binaries or events. */
  readonly hasTexts: boolean;
  readonly measures: readonly Measure[];
}

export function questionsOf({ parameters, columns }: AggregatePlan): Question[] {
  const questions = new Map<string, { parameters: number[]; hasTexts: boolean; measures: Measure[] }>();
  parameters.forEach(({ kind }, i) => {
    const asked = columns.filter(({ parameter }) => parameter === i);
    const measures = [...new Set(asked.flatMap(({ aggregation }) => measuresOf(aggregation)))].sort();
    const hasTexts = kind !== Kind.Numeric;
    const key = `${hasTexts} ${measures.join(' ')}`;
    const known = questions.get(key);
    if (known === undefined) questions.set(key, { parameters: [i], hasTexts, measures });
    else known.parameters.push(i);
  });
  return [...questions.values()];
}

const isNumber = sql`NOT isNaN(number)`;

/**
 * Columns of the grouping SELECT, by name: the measures themselves, or what they are taken from afterwards.
 *
 * @param order the order of rows, as one expression
 */
export function groupedColumns({ measures, hasTexts }: Question, order: Sql): Sql[] {
  const asked = new Set(measures);
  const columns: Sql[] = [];
  const needsSorted = measures.some((measure) => /^(?:low|high|mode)/.test(measure));
  if (asked.has('count')) columns.push(sql`toFloat64(count()) AS m_count`);
  if (asked.has('numbers')) columns.push(sql`toFloat64(countIf(${isNumber})) AS m_numbers`);
  if (asked.has('sum')) columns.push(sql`${sum} AS m_sum`);
  if (asked.has('max')) columns.push(sql`maxIf(number, ${isNumber}) AS m_max`);
  if (asked.has('min')) columns.push(sql`minIf(number, ${isNumber}) AS m_min`);
  if (asked.has('deviation')) columns.push(sql`stddevSampStableIf(number, ${isNumber}) AS m_deviation`);
  const value = hasTexts ? sql`text` : sql`number`;
  if (asked.has('first')) columns.push(sql`argMin(${value}, ${order}) AS m_first`);
  if (asked.has('last')) columns.push(sql`argMax(${value}, ${order}) AS m_last`);
  if (needsSorted) columns.push(sql`arraySort(groupArrayIf(number, ${isNumber})) AS sorted`);
  return columns;
}

/**
 * Compensated, as long as there is something to compensate: an infinity, or a sum that left the doubles on its way,
 * makes nonsense of what plain addition lost.
 */
const sum = sql`if(countIf(isInfinite(number)) = 0 AND isFinite(sumKahanIf(number, isFinite(number))),
  sumKahanIf(number, isFinite(number)), sumIf(number, ${isNumber}))`;

/** A measure on the columns of the grouping SELECT. */
export function measureColumn(measure: Measure): Sql {
  if (measure === 'mode') return mode;
  const rank = /^(low|high)(\d+)$/.exec(measure);
  if (rank === null) return name(`m_${measure}`);
  const below = sql`intDiv((length(sorted) - 1) * ${integer(Number(rank[2]))}, 100)`;
  return rank[1] === 'low'
    ? sql`arrayElement(sorted, ${below} + 1)`
    : sql`arrayElement(sorted, least(length(sorted), ${below} + 2))`;
}

/** Where values that are equal begin, how long each run is, and of the longest runs the first. */
const mode = sql`arrayElement(sorted, arrayElement(run_starts, indexOf(run_lengths, arrayMax(run_lengths))))`;

/** Names for the parts of `mode`, to stand behind WITH. */
export const modeParts: Sql = join([
  sql`arrayMap((value, before) -> value != before, sorted, arraySlice(arrayPushFront(sorted, nan), 1, length(sorted))) AS starts_run`,
  sql`arrayFilter((place, starts) -> starts, arrayEnumerate(sorted), starts_run) AS run_starts`,
  sql`arrayMap((start, next) -> next - start, run_starts, arraySlice(arrayPushBack(run_starts, toUInt32(length(sorted) + 1)), 2)) AS run_lengths`,
]);
