import { compareText, noTags } from '../domain/tags.ts';
import type { QueryMemory } from '../query/bounds/query-memory.ts';
import type { Pace } from '../turns/pace.ts';
import { createBudget, sampleBytes } from './budget.ts';
import { checkTypes } from './check-types.ts';
import { type Context, createContext } from './context.ts';
import { evaluate } from './evaluate.ts';
import type { Matcher } from './matchers.ts';
import { type NeededSamples, neededSamples } from './needed-samples.ts';
import { parseQuery } from './parse.ts';
import { printed } from './print.ts';
import { badData } from './query-error.ts';
import { rangeOf } from './ranges.ts';
import { readSeries } from './read-series.ts';
import type { ReadsFrom } from './reads-from.ts';
import { labelView, namedLabels } from './series-labels.ts';
import { typeNames } from './signatures.ts';
import { type Expression, unwrapped, type VectorSelector } from './syntax.ts';
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
  const ranged = rangeOf(expression, grid, { ...context, evaluate });
  const found: Samples[] = [];
  await ranged.each((samples) => {
    const { from, to } = ranged.windows.open(samples);
    const [first, end] = [from[0]!, to[0]!];
    if (first === end) return undefined;
    context.budget.take(sampleBytes * (end - first));
    const times = samples.times.slice(first, end);
    found.push({ labels: samples.labels, times, values: samples.values.slice(first, end), ends: noEnds });
    return context.budget.work(samples.times.length);
  });
  return found.sort((a, b) => compareText(a.labels.key, b.labels.key));
}

const noEnds: Float64Array = new Float64Array(0);

function contextOf(expression: Expression, grid: Grid, terms: QueryTerms, end = grid.start): Context {
  const { streamLabels, lookback, memory, pace } = terms;
  const budget = createBudget(memory, pace);
  const times = { start: grid.start, end, subqueryStep };
  const last = grid.start + (grid.count - 1) * grid.step;
  const source: ReadsFrom = { ...terms, budget, view: labelView(namedLabels(expression), streamLabels) };
  const needed = neededSamples(expression, { from: grid.start, to: last }, lookback, times);
  // Samples that are looked at more than once are read once, and seen at one moment; others are let go of one by one.
  const keyOf = ({ matchers }: VectorSelector, { from, to, wantsEnds }: NeededSamples): string =>
    JSON.stringify([matchers, from, to, wantsEnds]);
  const uses = new Map<string, number>();
  for (const [selector, range] of needed) {
    const key = keyOf(selector, range);
    uses.set(key, (uses.get(key) ?? 0) + 1);
  }
  const kept = new Map<string, Promise<readonly Samples[]>>();
  const eachSeries: Context['eachSeries'] = async (selector, take) => {
    const range = needed.get(selector)!;
    const key = keyOf(selector, range);
    if (uses.get(key) === 1) return readSeries(selector.matchers, range, source, take);
    const reading = kept.get(key) ?? keepSeries(selector.matchers, range, source);
    kept.set(key, reading);
    for (const samples of await reading) {
      const taking = take(samples);
      if (taking !== undefined) await taking;
    }
  };
  return createContext(eachSeries, lookback, { budget, ...times });
}

async function keepSeries(
  matchers: readonly Matcher[],
  range: NeededSamples,
  source: ReadsFrom,
): Promise<readonly Samples[]> {
  const all: Samples[] = [];
  /** Times that series share stay shared. */
  let [given, own]: [Float64Array, Float64Array] = [noEnds, noEnds];
  await readSeries(matchers, range, source, ({ labels, times, values, ends }) => {
    source.budget.keep(sampleBytes * values.length);
    if (times !== given) [given, own] = [times, times.slice()];
    all.push({ labels, times: own, values: values.slice(), ends });
    return undefined;
  });
  return all;
}
