import { Kind, type ParameterKey } from '../../../domain/parameter-data.ts';
import type { AggregatePlan } from '../../../query/plan/plan.ts';
import { aggregationRecord, type Measure, type Percent } from '../../../query/states/aggregations.ts';
import { integer, join, name, type Sql, sql } from '../server/sql.ts';
import type { RowSql } from './expression-sql.ts';

/** Parameters of which the same is asked, so that one statement answers for all of them. */
export interface Question {
  /** Indexes into the plan's parameters. */
  readonly parameters: readonly number[];
  /** Whether their values are texts: strings, binaries or events. */
  readonly hasTexts: boolean;
  readonly measures: readonly Measure[];
  /** Of one column that is calculated by ClickHouse. */
  readonly calculated?: CalculatedNumber;
}

/** What is calculated of the operands of a row. */
export interface CalculatedNumber extends RowSql {
  readonly name: string;
  /** In the order of their columns, `operand_0` and so on. */
  readonly operands: readonly ParameterKey[];
}

/** @param calculated by the places of the parameters that are calculated */
export function questionsOf(
  { parameters, columns }: AggregatePlan,
  calculated: ReadonlyMap<number, CalculatedNumber>,
): Question[] {
  const questions = new Map<string, Question & { readonly parameters: number[] }>();
  parameters.forEach(({ kind }, i) => {
    const asked = columns.filter(({ parameter }) => parameter === i);
    const measures = [
      ...new Set(asked.flatMap(({ aggregation }) => aggregationRecord(aggregation).measures)),
    ].sort();
    const hasTexts = kind !== Kind.Numeric;
    const own = calculated.get(i);
    if (own !== undefined) {
      questions.set(`${i}`, { parameters: [i], hasTexts, measures, calculated: own });
      return;
    }
    const key = `${hasTexts} ${measures.join(' ')}`;
    const known = questions.get(key);
    if (known === undefined) questions.set(key, { parameters: [i], hasTexts, measures });
    else known.parameters.push(i);
  });
  return [...questions.values()];
}

/** How lists of values stand in rows that are grouped. Numbers are those that are no NaN. */
export interface ValueForm {
  readonly count: Sql;
  readonly countOfNumbers: Sql;
  /** An aggregate function of all numbers. */
  ofNumbers(aggregate: Sql): Sql;
  readonly least: Sql;
  readonly greatest: Sql;
  /** The numbers as one array. */
  readonly numbers: Sql;
  /** The time of the first value. */
  readonly firstTime: Sql;
  /** A value and the time of it, of which the first or the last is wanted. */
  edge(edge: 'first' | 'last'): { readonly value: Sql; readonly time: Sql };
}

/** Rows of the arrays `times`, `list` and `reals`, its numbers. No list is empty. */
export const listForm: ValueForm = {
  count: sql`sum(length(list))`,
  countOfNumbers: sql`sum(length(reals))`,
  ofNumbers: (aggregate) => sql`${aggregate}Array(reals)`,
  least: sql`minArray(reals)`,
  greatest: sql`maxArray(reals)`,
  numbers: sql`groupArrayArray(reals)`,
  firstTime: sql`min(arrayMin(times))`,
  edge(edge) {
    const time = edge === 'first' ? sql`arrayMin(times)` : sql`arrayMax(times)`;
    return { value: sql`arrayElement(list, indexOf(times, ${time}))`, time };
  },
};

/** Rows of `counted` values from `first_time` on: `real_count` numbers with `sums`, `least` and `greatest` (`summed-rows.ts`). */
export const summedForm: ValueForm = {
  ...listForm,
  count: sql`sum(counted)`,
  countOfNumbers: sql`sum(real_count)`,
  ofNumbers: (aggregate) => sql`${aggregate}Array(sums)`,
  least: sql`minIf(least, real_count > 0)`,
  greatest: sql`maxIf(greatest, real_count > 0)`,
  firstTime: sql`min(first_time)`,
};

/**
 * Compensated, as long as there is something to compensate: an infinity, or a sum that left the doubles on its way,
 * makes nonsense of what plain addition lost.
 */
function sum({ ofNumbers }: ValueForm): Sql {
  const compensated = ofNumbers(sql`sumKahan`);
  return sql`if(isFinite(${compensated}), ${compensated}, ${ofNumbers(sql`sum`)})`;
}

/** Of a time, the order of rows, as one expression. */
export type RowOrder = (time: Sql) => Sql;

/** How a measure is found: in the grouping SELECT, or from the sorted numbers that it then gathers. */
type MeasureSql =
  | { readonly grouped: (form: ValueForm, order: RowOrder) => Sql; readonly ofTexts?: true }
  | { readonly sorted: () => Sql };

const low = (percent: Percent): MeasureSql => ({
  sorted: () => sql`arrayElement(sorted, ${below(percent)} + 1)`,
});
const high = (percent: Percent): MeasureSql => ({
  sorted: () => sql`arrayElement(sorted, least(length(sorted), ${below(percent)} + 2))`,
});
const below = (percent: Percent) => sql`intDiv((length(sorted) - 1) * ${integer(percent)}, 100)`;

const pick = (edge: 'first' | 'last', aggregate: Sql): MeasureSql => ({
  grouped(form, order) {
    const { value, time } = form.edge(edge);
    return sql`${aggregate}(${value}, ${order(time)})`;
  },
  ofTexts: true,
});

const measureTable = {
  count: { grouped: ({ count }) => sql`toFloat64(${count})` },
  numbers: { grouped: ({ countOfNumbers }) => sql`toFloat64(${countOfNumbers})` },
  sum: { grouped: sum },
  max: { grouped: ({ greatest }) => greatest },
  min: { grouped: ({ least }) => least },
  deviation: { grouped: ({ ofNumbers }) => ofNumbers(sql`stddevSampStable`) },
  first: pick('first', sql`argMin`),
  last: pick('last', sql`argMax`),
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

/** The measures that are a value of one row, and what picks it by the order of rows. */
export const edges = [
  { measure: 'first', pick: sql`argMin` },
  { measure: 'last', pick: sql`argMax` },
] as const;

/** Whether nothing else is asked than first and last values, as they were written. */
export function asksEdgesOnly({ measures, calculated }: Question): boolean {
  if (calculated !== undefined) return false;
  return measures.every((measure) => edges.some((edge) => edge.measure === measure));
}

/** Whether sums of values, and of these the least and the greatest, are enough to answer a question. */
export function asksSumsOnly({ measures, hasTexts, calculated }: Question): boolean {
  return (
    !hasTexts &&
    calculated === undefined &&
    measures.every((measure) => ['count', 'numbers', 'sum', 'min', 'max'].includes(measure))
  );
}

const measureSql = (measure: Measure): MeasureSql => measureTable[measure];

/** Whether a measure of texts is a text. */
export function isOfTexts(measure: Measure): boolean {
  const found = measureSql(measure);
  return 'grouped' in found && found.ofTexts === true;
}

/** Columns of the grouping SELECT, by name: the measures themselves, or what they are taken from afterwards. */
export function groupedColumns({ measures }: Question, form: ValueForm, order: RowOrder): Sql[] {
  const columns: Sql[] = [];
  let needsSorted = false;
  for (const measure of measures) {
    const found = measureSql(measure);
    if ('grouped' in found) columns.push(sql`${found.grouped(form, order)} AS ${name(`m_${measure}`)}`);
    else needsSorted = true;
  }
  if (needsSorted) columns.push(sql`arraySort(${form.numbers}) AS sorted`);
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
