import { Kind } from '../../../domain/parameter-data.ts';
import { aggregationRecord, type Measure, type Percent } from '../../../query/aggregations.ts';
import type { AggregatePlan } from '../../../query/plan.ts';
import { integer, join, name, type Sql, sql } from '../sql.ts';

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
    const measures = [
      ...new Set(asked.flatMap(({ aggregation }) => aggregationRecord(aggregation).measures)),
    ].sort();
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
 * Compensated, as long as there is something to compensate: an infinity, or a sum that left the doubles on its way,
 * makes nonsense of what plain addition lost.
 */
const sum = sql`if(countIf(isInfinite(number)) = 0 AND isFinite(sumKahanIf(number, isFinite(number))),
  sumKahanIf(number, isFinite(number)), sumIf(number, ${isNumber}))`;

/** How a measure is found: in the grouping SELECT, or from the sorted numbers that it then gathers. */
type MeasureSql =
  | { readonly grouped: (value: Sql, order: Sql) => Sql; readonly ofTexts?: true }
  | { readonly sorted: () => Sql };

const low = (percent: Percent): MeasureSql => ({
  sorted: () => sql`arrayElement(sorted, ${below(percent)} + 1)`,
});
const high = (percent: Percent): MeasureSql => ({
  sorted: () => sql`arrayElement(sorted, least(length(sorted), ${below(percent)} + 2))`,
});
const below = (percent: Percent) => sql`intDiv((length(sorted) - 1) * ${integer(percent)}, 100)`;

const measureTable = {
  count: { grouped: () => sql`toFloat64(count())` },
  numbers: { grouped: () => sql`toFloat64(countIf(${isNumber}))` },
  sum: { grouped: () => sum },
  max: { grouped: () => sql`maxIf(number, ${isNumber})` },
  min: { grouped: () => sql`minIf(number, ${isNumber})` },
  deviation: { grouped: () => sql`stddevSampStableIf(number, ${isNumber})` },
  first: { grouped: (value, order) => sql`argMin(${value}, ${order})`, ofTexts: true },
  last: { grouped: (value, order) => sql`argMax(${value}, ${order})`, ofTexts: true },
  mode: { sorted: () => mode },
  low50: low(50),
  high50: high(50),
  low90: low(90),
  high90: high(90),
  low95: low(95),
  high95: high(95),
  low99: low(99),
  high99: high(99),
} satisfies Record<Measure, MeasureSql>;

const measureSql = (measure: Measure): MeasureSql => measureTable[measure];

/** Whether a measure of texts is a text. */
export function isOfTexts(measure: Measure): boolean {
  const found = measureSql(measure);
  return 'grouped' in found && found.ofTexts === true;
}

/**
 * Columns of the grouping SELECT, by name: the measures themselves, or what they are taken from afterwards.
 *
 * @param order the order of rows, as one expression
 */
export function groupedColumns({ measures, hasTexts }: Question, order: Sql): Sql[] {
  const value = hasTexts ? sql`text` : sql`number`;
  const columns: Sql[] = [];
  let needsSorted = false;
  for (const measure of measures) {
    const found = measureSql(measure);
    if ('grouped' in found) columns.push(sql`${found.grouped(value, order)} AS ${name(`m_${measure}`)}`);
    else needsSorted = true;
  }
  if (needsSorted) columns.push(sql`arraySort(groupArrayIf(number, ${isNumber})) AS sorted`);
  return columns;
}

/** A measure on the columns of the grouping SELECT. */
export function measureColumn(measure: Measure): Sql {
  const found = measureSql(measure);
  return 'grouped' in found ? name(`m_${measure}`) : found.sorted();
}

/** Where values that are equal begin, how long each run is, and of the longest runs the first. */
const mode = sql`arrayElement(sorted, arrayElement(run_starts, indexOf(run_lengths, arrayMax(run_lengths))))`;

/** Names for the parts of `mode`, to stand after WITH. */
export const modeParts: Sql = join([
  sql`arrayMap((value, before) -> value != before, sorted, arraySlice(arrayPushFront(sorted, nan), 1, length(sorted))) AS starts_run`,
  sql`arrayFilter((place, starts) -> starts, arrayEnumerate(sorted), starts_run) AS run_starts`,
  sql`arrayMap((start, next) -> next - start, run_starts, arraySlice(arrayPushBack(run_starts, toUInt32(length(sorted) + 1)), 2)) AS run_lengths`,
]);
