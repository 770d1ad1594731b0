import type { parser } from '@prometheus-io/lezer-promql';
import { maxProgramSize, programBound } from '../query/plan/tag-pattern.ts';
import { badData, type QueryError } from './query-error.ts';

export type Tree = ReturnType<typeof parser.parse>;
export type SyntaxNode = Tree['topNode'];

/** The text of a query, and what stands at a node of its tree. */
export interface Source {
  readonly text: string;
  readonly at: (node: SyntaxNode) => string;
  readonly patterns: PatternAllowance;
}

/** What all patterns of a query may be together: making one ready takes time that grows with it. */
export interface PatternAllowance {
  /** Throws `bad_data` where it is too much. */
  take(pattern: string): void;
}

/** The most steps of the patterns of a selector together: ten of the largest patterns. */
const maxSteps = 10 * maxProgramSize;

export function patternAllowance(): PatternAllowance {
  let steps = 0;
  return {
    take(pattern) {
      steps += 1 + programBound(pattern);
      if (steps > maxSteps) {
        throw badData(
          `the patterns of the query are too large: together they take more than ${maxSteps} steps a character`,
        );
      }
    },
  };
}

/** The error of a place in the text, as Prometheus words it: line and column, from 1. */
export function faultAt({ text }: Source, position: number, message: string): QueryError {
  const before = text.slice(0, position).split('\n');
  return badData(`${before.length}:${before.at(-1)!.length + 1}: parse error: ${message}`);
}
