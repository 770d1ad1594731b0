import { noTags } from '../domain/tags.ts';
import type { QueryMemory } from '../query/query-memory.ts';
import type { Pace } from '../turns/pace.ts';
import { createBudget } from './budget.ts';
import { checkTypes } from './check-types.ts';
import { type Context, createContext } from './context.ts';
import { evaluate } from './evaluate.ts';
import { neededSamples } from './needed-samples.ts';
import { parseQuery } from './parse.ts';
import { printed } from './print.ts';
import { badData } from './query-error.ts';
import { rangeOf } from './ranges.ts';
import { readSeries } from './read-series.ts';
import type { ReadsFrom } from './reads-from.ts';
import { labelView, namedLabels } from './series-labels.ts';
import { typeNames } from './signatures.ts';
import { type Expression, unwrapped } from './syntax.ts';
import type { Grid, Samples, Series, Value } from './values.ts';

/** What a query is evaluated on, and what it may take. */
export interface QueryTerms extends Omit<ReadsFrom, 'view' | 'budget'> {
  readonly streamLabels: readonly string[];
  /** How far back the last sample of a series counts, in ms. */
  readonly lookback: number;
  readonly memory: QueryMemory;
  readonly pace: Pace;
}

/** An answer. Times are in ms. */
export type QueryResult =
  | { readonly type: 'scalar'; readonly time: number; readonly value: number }
  | { readonly type: 'string'; readonly time: number; readonly text: string }
  | {
      readonly type: 'vector';
      readonly time: number;
      readonly series: readonly Series[];
      /** The query puts its series in an order. */
      readonly isOrdered: boolean;
    }
  | { readonly type: 'samples'; readonly series: readonly Samples[] }
  | { readonly type: 'matrix'; readonly grid: Grid; readonly series: readonly Series[] };

/** The step (ms) of subqueries that name none: how often Prometheus evaluates rules by default. */
const subqueryStep = 60_000;

/** A query in one form. */
export function formatted(text: string): string {
  return printed(parseQuery(text));
}

/** The answer at one time (ms). */
export async function instantQuery(text: string, time: number, terms: QueryTerms): Promise<QueryResult> {
  const expression = parseQuery(text);
  const grid = { start: time, step: 1, count: 1 };
  const context = contextOf(expression, grid, terms);
  if (checkTypes(expression) === 'matrix') {
    return { type: 'samples', series: await windowsAt(unwrapped(expression), time, context) };
  }
  const value = await evaluate(expression, grid, context);
  switch (value.type) {
    case 'scalar':
      return { type: 'scalar', time, value: value.values[0]! };
    case 'string':
      return { type: 'string', time, text: value.text };
    case 'vector':
      return { type: 'vector', time, series: value.series, isOrdered: putsInOrder(unwrapped(expression)) };
  }
}

function putsInOrder(expression: Expression): boolean {
  if (expression.type === 'aggregate')
    return expression.operator === 'topk' || expression.operator === 'bottomk';
  return expression.type === 'call' && (expression.name === 'sort' || expression.name === 'sort_desc');
}

/**
 * The answers at the times of a grid.
 *
 * @param grid `end` is what `@ end()` means, and need not be a time of the grid
 */
export async function rangeQuery(
  text: string,
  grid: Grid & { readonly end: number },
  terms: QueryTerms,
): Promise<QueryResult> {
  const expression = parseQuery(text);
  const type = checkTypes(expression);
  if (type !== 'scalar' && type !== 'vector') {
    const wanted = 'must be Scalar or instant Vector';
    throw badData(`invalid expression type ${JSON.stringify(typeNames[type])} for range query, ${wanted}`);
  }
  const value = await evaluate(expression, grid, contextOf(expression, grid, terms, grid.end));
  return {
    type: 'matrix',
    grid,
    series: value.type === 'vector' ? value.series : [scalarSeries(value, grid)],
  };
}

function scalarSeries(value: Value, { count }: Grid): Series {
  const values = value.type === 'scalar' ? value.values : new Float64Array(count);
  return { labels: noTags, values, present: new Uint8Array(count).fill(1) };
}

/** The samples of a range vector themselves. */
async function windowsAt(expression: Expression, time: number, context: Context): Promise<Samples[]> {
  const grid = { start: time, step: 1, count: 1 };
  const { samples, range, endOf } = await rangeOf(expression, grid, { ...context, evaluate });
  const to = endOf(time);
  const windows: Samples[] = [];
  for (const { labels, times, values, ends } of samples) {
    const first = times.findIndex((one) => one >= to - range);
    if (first < 0) continue;
    const end = times.findIndex((one) => one > to);
    const [from, until] = [first, end < 0 ? times.length : end];
    if (from < until)
      windows.push({
        labels,
        times: times.subarray(from, until),
        values: values.subarray(from, until),
        ends,
      });
  }
  return windows;
}

function contextOf(expression: Expression, grid: Grid, terms: QueryTerms, end = grid.start): Context {
  const { streamLabels, lookback, memory, pace } = terms;
  const budget = createBudget(memory, pace);
  const times = { start: grid.start, end, subqueryStep };
  const last = grid.start + (grid.count - 1) * grid.step;
  const source: ReadsFrom = { ...terms, budget, view: labelView(namedLabels(expression), streamLabels) };
  const needed = neededSamples(expression, { from: grid.start, to: last }, lookback, times);
  // The same samples are read once, and seen at one moment.
  const read = new Map<string, Promise<readonly Samples[]>>();
  const samples: Context['samples'] = (selector) => {
    const { from, to, wantsEnds } = needed.get(selector)!;
    const key = JSON.stringify([selector.matchers, from, to, wantsEnds]);
    const known = read.get(key) ?? readSeries(selector.matchers, { from, to, wantsEnds }, source);
    read.set(key, known);
    return known;
  };
  return createContext(samples, lookback, { budget, ...times });
}
