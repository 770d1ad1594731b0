import type { RowFunction } from './row-functions.ts';

/** What an expression says, as a tree. `position` is where it stands in the text, in UTF-16 code units from the start. */
export type Node =
  | { readonly type: 'number'; readonly value: number }
  /** An index into the parameters of the expression. */
  | { readonly type: 'parameter'; readonly parameter: number }
  | { readonly type: 'unary'; readonly operator: UnaryOperator; readonly operand: Node }
  | { readonly type: 'binary'; readonly operator: BinaryOperator; readonly left: Node; readonly right: Node }
  | { readonly type: 'choice'; readonly condition: Node; readonly whenTrue: Node; readonly whenFalse: Node }
  | { readonly type: 'call'; readonly name: RowFunction; readonly args: readonly Node[] }
  | { readonly type: 'running'; readonly name: RunningFunction; readonly operand: Node }
  /** `width` in nanoseconds, at least 1. */
  | { readonly type: 'window'; readonly name: WindowFunction; readonly operand: Node; readonly width: bigint }
  | { readonly type: 'over'; readonly operand: Node; readonly tag: string }
  /** A name with a definition: the value that was written under it, by index, and that of the definition in rows without one. */
  | { readonly type: 'defined'; readonly written: number; readonly definition: Node };

export type UnaryOperator = '-' | '!';

/** From loosest to tightest; `^` binds to the right, the others to the left. */
export const binaryLevels = [
  ['||'],
  ['&&'],
  ['==', '!='],
  ['<', '<=', '>', '>='],
  ['+', '-'],
  ['*', '/', '%'],
] as const;
export type BinaryOperator = (typeof binaryLevels)[number][number] | '^';

/** What goes along a stream and needs no more than the last rows or a sum. */
export const runningFunctions = ['previous', 'difference', 'derivative', 'integral', 'sum', 'fill'] as const;
export type RunningFunction = (typeof runningFunctions)[number];

/** What goes along a stream over a span of time. `smooth` has it around each row, and the others before it. */
export const windowFunctions = ['movingMean', 'movingMin', 'movingMax', 'lowpass', 'smooth'] as const;
export type WindowFunction = (typeof windowFunctions)[number];

/** An expression that has been understood. */
export interface Expression {
  readonly text: string;
  readonly root: Node;
  /** Names of numeric parameters, each once, in order of their first use; `parameter` nodes are indices into them. */
  readonly parameters: readonly string[];
  /** Tags that `over` names, each once. */
  readonly tags: readonly string[];
  /** Operators and calls. */
  readonly operations: number;
  /** What has to be read before the first wanted row. Undefined where each row stands for itself. */
  readonly lookBack: LookBack | undefined;
}

/** How far before a row its value depends on others: first `span` of time, then so many values, then `span` again. */
export interface LookBack {
  /** Values of each parameter. */
  readonly values: number;
  /** Nanoseconds. */
  readonly span: bigint;
}

/** Why an expression cannot be understood. */
export interface ExpressionFlaw {
  /** UTF-16 code units from the start of the text. */
  readonly position: number;
  /** What is wrong there: `expected a value, and found ")"`. */
  readonly message: string;
}
