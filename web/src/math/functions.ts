/** A function of expressions, as one who writes an expression is told of it. */
export interface FunctionHelp {
  readonly name: string;
  readonly operands: string;
  readonly help: string;
}

/** All functions that docs/query.md lists. */
export const functions: readonly FunctionHelp[] = [
  ['derivative', 'x', 'how fast x changes, per second'],
  ['integral', 'x', 'x over time, in seconds; begins at 0 at the left edge of what you see'],
  ['difference', 'x', 'x less the value before'],
  ['previous', 'x', 'the value before'],
  ['sum', 'x', 'running sum; begins at 0 at the left edge of what you see'],
  ['fill', 'x', 'the last value, carried on: for channels of different rates'],
  ['movingMean', "x, '2s'", 'mean of the last two seconds'],
  ['movingMin', "x, '2s'", 'least value of the last two seconds'],
  ['movingMax', "x, '2s'", 'largest value of the last two seconds'],
  ['lowpass', "x, '0.5s'", 'filter of first order with that time constant'],
  [
    'smooth',
    "x, '0.2s'",
    'mean of the time around each row, half of it before and half behind: without delay',
  ],
  ['over', "x, 'LapNumber'", 'x, begun anew for each value of a tag'],
  ['abs', 'x', 'x without its sign'],
  ['sqrt', 'x', 'square root'],
  ['min', 'x, y, …', 'the least of several'],
  ['max', 'x, y, …', 'the largest of several'],
  ['clamp', 'x, low, high', 'x, kept between two bounds'],
  ['hypot', 'x, y, …', 'length of a vector'],
  ['round', 'x', 'to the nearest whole number'],
  ['floor', 'x', 'to the whole number below'],
  ['ceil', 'x', 'to the whole number above'],
  ['sign', 'x', '−1, 0 or 1'],
  ['exp', 'x', 'e to the power of x'],
  ['ln', 'x', 'natural logarithm'],
  ['log10', 'x', 'logarithm to base 10'],
  ['sin', 'x', 'sine of an angle in radians'],
  ['cos', 'x', 'cosine of an angle in radians'],
  ['tan', 'x', 'tangent of an angle in radians'],
  ['asin', 'x', 'arc sine, in radians'],
  ['acos', 'x', 'arc cosine, in radians'],
  ['atan', 'x', 'arc tangent, in radians'],
  ['atan2', 'y, x', 'angle of a vector, in radians'],
].map(([name = '', operands = '', help = '']) => ({ name, operands, help }));

/** Functions over a span of time, whose second operand is that span. */
export const overTime = ['movingMean', 'movingMin', 'movingMax', 'lowpass', 'smooth'];

/** Spans of time that are often meant. */
export const usualSpans = ['100ms', '500ms', '1s', '2s', '5s', '10s'];

/** Whether an expression begins at 0 where the rows that are asked for begin. */
export function countsFromStart(expression: string): boolean {
  return /\b(?:integral|sum)\s*\(/.test(expression);
}
