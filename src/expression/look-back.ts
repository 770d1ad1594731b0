import type { LookBack, Node, RunningFunction } from './syntax.ts';

/** Look one value back; `integral` and `sum` begin at the first wanted row instead. */
const lookingBack: readonly RunningFunction[] = ['previous', 'difference', 'derivative', 'fill'];
/** How many of its constants a filter looks back: less than a part in 20,000 is left of what came before. */
const lowpassWidths = 10n;

/**
 * How far before a wanted row its value depends on others. What stands inside each other adds up; of what stands
 * beside each other the most counts. Undefined where each row stands for itself.
 */
export function lookBackOf(node: Node): LookBack | undefined {
  switch (node.type) {
    case 'number':
    case 'parameter':
      return undefined;
    case 'unary':
    case 'over':
      return lookBackOf(node.operand);
    case 'defined':
      return lookBackOf(node.definition);
    case 'binary':
      return farther([node.left, node.right]);
    case 'choice':
      return farther([node.condition, node.whenTrue, node.whenFalse]);
    case 'call':
      return farther(node.args);
    case 'running':
      return plus(lookBackOf(node.operand), { values: lookingBack.includes(node.name) ? 1 : 0, span: 0n });
    case 'window': {
      const span = node.name === 'lowpass' ? lowpassWidths * node.width : node.width;
      return plus(lookBackOf(node.operand), { values: 0, span });
    }
  }
}

/**
 * Whether values are the same bit for bit wherever one begins, as long as that is as far before them as `lookBackOf` tells, and
 * of moving means as far before their cell (`beginOfCell`). They are not where something adds up or forgets by and by, nor where any
 * value of a tag may be the next.
 */
export function followsFromRowsBefore(node: Node): boolean {
  switch (node.type) {
    case 'number':
    case 'parameter':
      return true;
    case 'unary':
      return followsFromRowsBefore(node.operand);
    case 'defined':
      return followsFromRowsBefore(node.definition);
    case 'binary':
      return [node.left, node.right].every(followsFromRowsBefore);
    case 'choice':
      return [node.condition, node.whenTrue, node.whenFalse].every(followsFromRowsBefore);
    case 'call':
      return node.args.every(followsFromRowsBefore);
    case 'over':
      return (lookBackOf(node.operand)?.values ?? 0) === 0 && followsFromRowsBefore(node.operand);
    case 'running':
      return lookingBack.includes(node.name) && followsFromRowsBefore(node.operand);
    case 'window':
      return node.name !== 'lowpass' && followsFromRowsBefore(node.operand);
  }
}

function plus(inner: LookBack = { values: 0, span: 0n }, own: LookBack): LookBack {
  return { values: inner.values + own.values, span: inner.span + own.span };
}

function farther(nodes: readonly Node[]): LookBack | undefined {
  let most: LookBack | undefined;
  for (const node of nodes) {
    const one = lookBackOf(node);
    if (one === undefined) continue;
    const { values, span } = most ?? one;
    most = { values: Math.max(values, one.values), span: span > one.span ? span : one.span };
  }
  return most;
}
