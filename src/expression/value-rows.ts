import type { Node } from './syntax.ts';

/**
 * An expression that stands for itself in each row and has a value in the same rows as `node`, as far as there are
 * earlier rows for what looks back; what the value is means nothing. Undefined where values decide that, or tags.
 */
export function valueRowsOf(node: Node): Node | undefined {
  switch (node.type) {
    case 'number':
    case 'parameter':
      return node;
    case 'unary':
    case 'window':
      return valueRowsOf(node.operand);
    case 'binary':
      return together([node.left, node.right]);
    case 'call':
      return together(node.args);
    case 'choice':
    case 'defined':
      return standsAlone(node) ? node : undefined;
    case 'running':
      // In every row from the first value on.
      if (node.name === 'fill') return { type: 'number', value: 1 };
      // No value where no time has passed.
      return node.name === 'derivative' ? undefined : valueRowsOf(node.operand);
    case 'over':
      return undefined;
  }
}

/** Whether a node surely has no value before the first wanted row: there `integral` and `sum` begin. */
export function hasNoValueBefore(node: Node): boolean {
  switch (node.type) {
    case 'unary':
    case 'window':
    case 'over':
      return hasNoValueBefore(node.operand);
    case 'binary':
      return hasNoValueBefore(node.left) || hasNoValueBefore(node.right);
    case 'call':
      return node.args.some(hasNoValueBefore);
    case 'choice':
      return (
        hasNoValueBefore(node.condition) ||
        (hasNoValueBefore(node.whenTrue) && hasNoValueBefore(node.whenFalse))
      );
    case 'running':
      return node.name === 'integral' || node.name === 'sum' || hasNoValueBefore(node.operand);
    default:
      return false;
  }
}

function together(nodes: readonly Node[]): Node | undefined {
  let all: Node | undefined;
  for (const node of nodes) {
    const one = valueRowsOf(node);
    if (one === undefined) return undefined;
    all = all === undefined ? one : { type: 'binary', operator: '+', left: all, right: one };
  }
  return all;
}

/** Whether each row stands for itself. */
function standsAlone(node: Node): boolean {
  switch (node.type) {
    case 'number':
    case 'parameter':
      return true;
    case 'unary':
      return standsAlone(node.operand);
    case 'binary':
      return standsAlone(node.left) && standsAlone(node.right);
    case 'choice':
      return standsAlone(node.condition) && standsAlone(node.whenTrue) && standsAlone(node.whenFalse);
    case 'call':
      return node.args.every(standsAlone);
    case 'defined':
      return standsAlone(node.definition);
    default:
      return false;
  }
}
