import type { Node } from './syntax.ts';

/** A node with what `map` gives for each node right below it. */
export function mapChildren(node: Node, map: (child: Node) => Node): Node {
  switch (node.type) {
    case 'number':
    case 'parameter':
      return node;
    case 'defined':
      return { ...node, definition: map(node.definition) };
    case 'unary':
    case 'running':
    case 'window':
    case 'over':
      return { ...node, operand: map(node.operand) };
    case 'binary':
      return { ...node, left: map(node.left), right: map(node.right) };
    case 'choice':
      return {
        ...node,
        condition: map(node.condition),
        whenTrue: map(node.whenTrue),
        whenFalse: map(node.whenFalse),
      };
    case 'call':
      return { ...node, args: node.args.map(map) };
  }
}
