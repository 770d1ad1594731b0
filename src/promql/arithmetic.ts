import type { ArithmeticOperator, ComparisonOperator } from './syntax.ts';

export const arithmetic: Readonly<Record<ArithmeticOperator, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  '^': power,
  atan2: Math.atan2,
};

export const comparisons: Readonly<Record<ComparisonOperator, (a: number, b: number) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
};

/** As IEEE 754 has `pow`: JavaScript makes NaN of 1 raised to NaN, and of ±1 raised to an infinity. */
function power(base: number, exponent: number): number {
  if (base === 1 || (base === -1 && Math.abs(exponent) === Number.POSITIVE_INFINITY)) return 1;
  return base ** exponent;
}

/** The smaller number as Go has it: of -Inf and NaN it is -Inf. */
export function smaller(a: number, b: number): number {
  if (a === Number.NEGATIVE_INFINITY || b === Number.NEGATIVE_INFINITY) return Number.NEGATIVE_INFINITY;
  return Math.min(a, b);
}

/** The larger one: of +Inf and NaN it is +Inf. */
export function larger(a: number, b: number): number {
  if (a === Number.POSITIVE_INFINITY || b === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
  return Math.max(a, b);
}
