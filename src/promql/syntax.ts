import type { Grouping } from './labels.ts';
import type { Matcher } from './matchers.ts';

// The tree of an expression of PromQL. Times and durations are milliseconds.

export type Expression =
  | NumberLiteral
  | StringLiteral
  | VectorSelector
  | MatrixSelector
  | Subquery
  | Paren
  | Unary
  | Binary
  | Aggregate
  | Call;

export interface NumberLiteral {
  readonly type: 'number';
  readonly value: number;
}

export interface StringLiteral {
  readonly type: 'string';
  readonly value: string;
}

/** Where an expression looks: a time of its own, and so far back. */
export interface Shifted {
  /** Undefined: the time at which it is evaluated. */
  at: number | 'start' | 'end' | undefined;
  offset: number;
}

export interface VectorSelector extends Shifted {
  readonly type: 'vector';
  /** Of `name{…}`; it stands among the matchers too. */
  readonly name: string | undefined;
  readonly matchers: readonly Matcher[];
}

export interface MatrixSelector {
  readonly type: 'matrix';
  readonly selector: VectorSelector;
  readonly range: number;
}

export interface Subquery extends Shifted {
  readonly type: 'subquery';
  readonly of: Expression;
  readonly range: number;
  /** Undefined: the usual one. */
  readonly step: number | undefined;
}

export interface Paren {
  readonly type: 'paren';
  readonly of: Expression;
}

export interface Unary {
  readonly type: 'unary';
  readonly operator: '+' | '-';
  readonly of: Expression;
}

export const arithmeticOperators = ['+', '-', '*', '/', '%', '^', 'atan2'] as const;
export const comparisonOperators = ['==', '!=', '>', '<', '>=', '<='] as const;
export const setOperators = ['and', 'or', 'unless'] as const;
export type ArithmeticOperator = (typeof arithmeticOperators)[number];
export type ComparisonOperator = (typeof comparisonOperators)[number];
export type SetOperator = (typeof setOperators)[number];
export type BinaryOperator = ArithmeticOperator | ComparisonOperator | SetOperator;

export function isComparison(operator: BinaryOperator): operator is ComparisonOperator {
  return (comparisonOperators as readonly string[]).includes(operator);
}

export function isSetOperator(operator: BinaryOperator): operator is SetOperator {
  return (setOperators as readonly string[]).includes(operator);
}

/** Which series of both sides belong together. */
export interface Matching {
  /** By these labels alone, or by all others. */
  readonly on: boolean;
  readonly labels: readonly string[];
  /** The side that may have many series for one of the other. */
  readonly many: 'none' | 'left' | 'right';
  /** Labels that the result gets from the side of the one. */
  readonly include: readonly string[];
}

export interface Binary {
  readonly type: 'binary';
  readonly operator: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
  /** Comparisons give 0 or 1 and leave nothing out. */
  readonly bool: boolean;
  /** Undefined where nothing is said: by all labels. */
  readonly matching: Matching | undefined;
}

export const aggregateOperators = [
  'sum',
  'avg',
  'count',
  'min',
  'max',
  'group',
  'stddev',
  'stdvar',
  'topk',
  'bottomk',
  'quantile',
  'count_values',
] as const;
export type AggregateOperator = (typeof aggregateOperators)[number];

export interface Aggregate extends Grouping {
  readonly type: 'aggregate';
  readonly operator: AggregateOperator;
  readonly of: Expression;
  /** Of topk, bottomk, quantile and count_values. */
  readonly parameter: Expression | undefined;
}

export interface Call {
  readonly type: 'call';
  readonly name: string;
  readonly args: readonly Expression[];
}

/** An expression without the brackets around it. */
export function unwrapped(expression: Expression): Expression {
  let inner = expression;
  while (inner.type === 'paren') inner = inner.of;
  return inner;
}

/** Returns the expressions that an expression is made of. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.type) {
    case 'number':
    case 'string':
    case 'vector':
      return [];
    case 'matrix':
      return [expression.selector];
    case 'subquery':
    case 'paren':
    case 'unary':
      return [expression.of];
    case 'binary':
      return [expression.left, expression.right];
    case 'aggregate':
      return expression.parameter === undefined ? [expression.of] : [expression.parameter, expression.of];
    case 'call':
      return expression.args;
  }
}
