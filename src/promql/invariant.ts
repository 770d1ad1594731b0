import { type Expression, partsOf } from './syntax.ts';

/** Functions that depend on the time of the evaluation whatever their arguments do. */
const ofTheTime: readonly string[] = [
  'day_of_month',
  'day_of_week',
  'day_of_year',
  'days_in_month',
  'hour',
  'minute',
  'month',
  'predict_linear',
  'time',
  'timestamp',
  'year',
];

/** Whether an expression has the same value whenever it is evaluated: each of its selectors has a time of its own. */
export function isInvariant(expression: Expression): boolean {
  if (expression.type === 'vector' || expression.type === 'subquery') return expression.at !== undefined;
  if (expression.type === 'call' && ofTheTime.includes(expression.name)) return false;
  return partsOf(expression).every(isInvariant);
}
