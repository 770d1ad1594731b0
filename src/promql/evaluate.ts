import { countValues, pickSeries, quantiles } from './aggregate.ts';
import { scalars, sets, vectors, withScalar } from './binary.ts';
import { callFunction, overRange } from './call.ts';
import type { Context } from './context.ts';
import { FoldedSeries } from './folded-series.ts';
import type { FoldedOperator } from './folds.ts';
import { FoundSeries } from './found-series.ts';
import { isInvariant } from './invariant.ts';
import { withoutName } from './labels.ts';
import { isRangeFunction } from './range-functions.ts';
import { type Aggregate, type Binary, type Expression, isSetOperator, unwrapped } from './syntax.ts';
import { bytesOf, type Grid, merged, repeated, type Series, type Value } from './values.ts';

/**
 * The value of an expression at each time of a grid. Whole series are worked on, one after the other, not one time after the
 * other. Throws `execution` where it has none.
 */
export async function evaluate(expression: Expression, grid: Grid, context: Context): Promise<Value> {
  const { budget } = context;
  const held = budget.held;
  const once = grid.count > 1 && isInvariant(expression);
  const value = await evaluateOn(expression, once ? { ...grid, count: 1 } : grid, context);
  // What was held on the way is not any more.
  budget.settle(held);
  budget.take(sizeOf(value, grid));
  return once ? repeated(value, grid.count) : value;
}

function sizeOf(value: Value, grid: Grid): number {
  if (value.type === 'vector') return bytesOf(value.series.length, grid);
  return value.type === 'scalar' ? 8 * grid.count : 0;
}

async function evaluateOn(expression: Expression, grid: Grid, context: Context): Promise<Value> {
  switch (expression.type) {
    case 'number':
      return { type: 'scalar', values: new Float64Array(grid.count).fill(expression.value) };
    case 'string':
      return { type: 'string', text: expression.value };
    case 'vector': {
      const found = new FoundSeries(grid, context.budget);
      await context.lastSamples(expression, grid, false, found);
      return vector(found.inOrder());
    }
    case 'paren':
      return evaluate(expression.of, grid, context);
    case 'unary': {
      const value = await evaluate(expression.of, grid, context);
      return expression.operator === '-' ? negative(value) : value;
    }
    case 'binary':
      return binary(expression, grid, context);
    case 'aggregate':
      return vector(await aggregate(expression, grid, context));
    case 'call':
      return callFunction(expression, grid, { ...context, evaluate });
    case 'matrix':
    case 'subquery':
      throw new Error('a range has no value at a time');
  }
}

function vector(series: readonly Series[]): Value {
  return { type: 'vector', series };
}

function negative(value: Value): Value {
  if (value.type === 'scalar') return { type: 'scalar', values: value.values.map((one) => -one) };
  if (value.type === 'string') return value;
  return vector(
    merged(
      value.series.map(({ labels, values, present }) => ({
        labels: withoutName(labels),
        values: values.map((one) => -one),
        present,
      })),
    ),
  );
}

async function binary(expression: Binary, grid: Grid, context: Context): Promise<Value> {
  const { operator, matching } = expression;
  const terms = { grid, budget: context.budget };
  const left = await evaluate(expression.left, grid, context);
  const right = await evaluate(expression.right, grid, context);
  if (left.type === 'scalar') {
    if (right.type === 'scalar')
      return { type: 'scalar', values: scalars(expression, left.values, right.values) };
    return vector(await withScalar(expression, seriesOf(right), left.values, false, terms));
  }
  if (right.type === 'scalar') {
    return vector(await withScalar(expression, seriesOf(left), right.values, true, terms));
  }
  if (isSetOperator(operator)) {
    return vector(await sets(operator, seriesOf(left), seriesOf(right), matching, terms));
  }
  return vector(await vectors(expression, seriesOf(left), seriesOf(right), terms));
}

async function aggregate(expression: Aggregate, grid: Grid, context: Context): Promise<Series[]> {
  const { operator, parameter, of } = expression;
  const { budget } = context;
  const given = parameter && (await evaluate(parameter, grid, context));
  const parameters = given?.type === 'scalar' ? given.values : undefined;
  const series = async () => seriesOf(await evaluate(of, grid, context));
  switch (operator) {
    case 'topk':
    case 'bottomk':
      return pickSeries(await series(), operator, expression, { grid, parameters: parameters!, budget });
    case 'count_values':
      return countValues(await series(), given?.type === 'string' ? given.text : '', expression, {
        grid,
        budget,
      });
    case 'quantile':
      return quantiles(await series(), expression, { grid, parameters: parameters!, budget });
    default:
      return fold(expression, operator, grid, context);
  }
}

/** Series of a selector or a function of a range are not kept for it. */
async function fold(
  expression: Aggregate,
  operator: FoldedOperator,
  grid: Grid,
  context: Context,
): Promise<Series[]> {
  const { budget } = context;
  const folded = new FoldedSeries(operator, expression, { grid, budget });
  const of = unwrapped(expression.of);
  if (of.type === 'vector') {
    await context.lastSamples(of, grid, false, folded);
  } else if (of.type === 'call' && isRangeFunction(of.name)) {
    await overRange(of, grid, { ...context, evaluate }, folded);
  } else {
    for (const series of seriesOf(await evaluate(of, grid, context))) {
      folded.add(series);
      const turn = budget.work(grid.count);
      if (turn !== undefined) await turn;
    }
  }
  return folded.results();
}

export function seriesOf(value: Value): readonly Series[] {
  if (value.type !== 'vector') throw new Error(`a ${value.type} is no vector`);
  return value.series;
}
