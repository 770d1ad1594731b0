import { larger, smaller } from './arithmetic.ts';

/** What functions make of each value. `numbers` are their other arguments, at the step at hand. */
export type ValueFunction = (value: number, numbers: readonly number[]) => number;

/** Functions of an instant vector that look at each value alone, by name. The series lose their names. */
export const valueFunctions: ReadonlyMap<string, ValueFunction> = new Map<string, ValueFunction>([
  ['abs', Math.abs],
  ['acos', Math.acos],
  ['acosh', Math.acosh],
  ['asin', Math.asin],
  ['asinh', Math.asinh],
  ['atan', Math.atan],
  ['atanh', Math.atanh],
  ['ceil', Math.ceil],
  ['cos', Math.cos],
  ['cosh', Math.cosh],
  ['deg', (value) => (value * 180) / Math.PI],
  ['exp', Math.exp],
  ['floor', Math.floor],
  ['ln', Math.log],
  ['log10', Math.log10],
  ['log2', Math.log2],
  ['rad', (value) => (value * Math.PI) / 180],
  ['round', roundTo],
  ['sgn', Math.sign],
  ['sin', Math.sin],
  ['sinh', Math.sinh],
  ['sqrt', Math.sqrt],
  ['tan', Math.tan],
  ['tanh', Math.tanh],
  ['clamp', (value, [min, max]) => larger(min!, smaller(max!, value))],
  ['clamp_max', (value, [max]) => smaller(max!, value)],
  ['clamp_min', (value, [min]) => larger(min!, value)],
  ['day_of_month', ofDate((date) => date.getUTCDate())],
  ['day_of_week', ofDate((date) => date.getUTCDay())],
  [
    'day_of_year',
    ofDate((date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0)) / dayMs) + 1),
  ],
  [
    'days_in_month',
    ofDate((date) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()),
  ],
  ['hour', ofDate((date) => date.getUTCHours())],
  ['minute', ofDate((date) => date.getUTCMinutes())],
  ['month', ofDate((date) => date.getUTCMonth() + 1)],
  ['year', ofDate((date) => date.getUTCFullYear())],
]);

const dayMs = 86_400_000;

function roundTo(value: number, [to = 1]: readonly number[]): number {
  const inverse = 1 / to;
  return Math.floor(value * inverse + 0.5) / inverse;
}

/** Of a time in seconds, in UTC. NaN for what is no time of the calendar. */
function ofDate(part: (date: Date) => number): ValueFunction {
  return (seconds) => part(new Date(Math.trunc(seconds) * 1000));
}
