import { aggregateValues, countValues, pickSeries, quantiles } from './aggregate.ts';
import { scalars, sets, vectors, withScalar } from './binary.ts';
import { callFunction } from './call.ts';
import type { Context } from './context.ts';
import { isInvariant } from './invariant.ts';
import { withoutName } from './labels.ts';
import { type Aggregate, type Binary, type Expression, isSetOperator } from './syntax.ts';
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
    case 'vector':
      return vector(await context.lastSamples(expression, grid, false));
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
  const series = seriesOf(await evaluate(of, grid, context));
  const parameters = given?.type === 'scalar' ? given.values : undefined;
  switch (operator) {
    case 'topk':
    case 'bottomk':
      return pickSeries(series, operator, expression, { grid, parameters: parameters!, budget });
    case 'count_values':
      return countValues(series, given?.type === 'string' ? given.text : '', expression, { grid, budget });
    case 'quantile':
      return quantiles(series, expression, { grid, parameters: parameters!, budget });
    default:
      return aggregateValues(series, operator, expression, { grid, budget });
  }
}

export function seriesOf(value: Value): readonly Series[] {
  if (value.type !== 'vector') throw new Error(`a ${value.type} is no vector`);
  return value.series;
}
