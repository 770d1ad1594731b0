import type { parser } from '@prometheus-io/lezer-promql';
import { badData, type QueryError } from './query-error.ts';

export type Tree = ReturnType<typeof parser.parse>;
export type SyntaxNode = Tree['topNode'];

/** The text of a query, and what stands at a node of its tree. */
export interface Source {
  readonly text: string;
  readonly at: (node: SyntaxNode) => string;
}

/** The error of a place in the text, as Prometheus words it: line and column, from 1. */
export function faultAt({ text }: Source, position: number, message: string): QueryError {
  const before = text.slice(0, position).split('\n');
  return badData(`${before.length}:${before.at(-1)!.length + 1}: parse error: ${message}`);
}
