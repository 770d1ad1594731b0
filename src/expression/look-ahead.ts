import { mapChildren } from './map-node.ts';
import type { Node } from './syntax.ts';

/** A function whose value depends on rows behind its own. */
export type AheadNode = Extract<Node, { readonly type: 'window' }> & { readonly name: 'smooth' };

/** Whether values depend on rows behind their own: such an expression has none before those have come. */
export function looksAhead(node: Node): boolean {
  if (isAhead(node)) return true;
  let found = false;
  mapChildren(node, (child) => {
    found ||= looksAhead(child);
    return child;
  });
  return found;
}

/** What is wrong with an expression whose functions over tags have one in them that looks ahead; undefined where none has. */
export function aheadInsideOver(node: Node): string | undefined {
  if (node.type === 'over' && looksAhead(node.operand))
    return "has smooth inside over: it goes along all rows of a stream; write smooth(over(…), '1s')";
  let found: string | undefined;
  mapChildren(node, (child) => {
    found ??= aheadInsideOver(child);
    return child;
  });
  return found;
}

/** A node with parameters in the place of what looks ahead, the outermost where one stands in another. `place` gives the index of one. */
export function withoutAhead(node: Node, place: (ahead: AheadNode) => number): Node {
  return isAhead(node)
    ? { type: 'parameter', parameter: place(node) }
    : mapChildren(node, (child) => withoutAhead(child, place));
}

function isAhead(node: Node): node is AheadNode {
  return node.type === 'window' && node.name === 'smooth';
}
