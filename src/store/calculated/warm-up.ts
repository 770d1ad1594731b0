import { isPresent } from '../../domain/parameter-data.ts';
import { minTimestamp } from '../../domain/timestamp.ts';
import { lookBackOf } from '../../expression/look-back.ts';
import type { Node } from '../../expression/syntax.ts';
import { valueRowsOf } from '../../expression/value-rows.ts';
import type { RowBlock } from '../row-block.ts';
import { type Calculation, columnEvaluator } from './column-evaluator.ts';

/** The rows of one stream before a time (ns, exclusive), the last ones first. */
export type RowsBefore = (time: bigint) => AsyncIterable<RowBlock>;

/** A filter of first order has forgotten what is older than so many of its constants. */
const lowpassWidths = 10n;

/**
 * The earliest time (ns) of which the rows of a stream have to be known for the values of a column from `time` on. What
 * looks back goes to the last row before that has a value, however long ago that was. To the beginning of the stream
 * go: values inside `over`, of which any tag may be the next, and values of what is itself a choice between, or a slope
 * of, what looks back.
 */
export async function beginOf(
  { expression, operands }: Calculation,
  time: bigint,
  rowsBefore: RowsBefore,
): Promise<bigint> {
  return begin(expression.root, time);

  async function begin(node: Node, from: bigint): Promise<bigint> {
    switch (node.type) {
      case 'number':
      case 'parameter':
        return from;
      case 'unary':
        return begin(node.operand, from);
      case 'binary':
        return earliest([node.left, node.right], from);
      case 'choice':
        return earliest([node.condition, node.whenTrue, node.whenFalse], from);
      case 'call':
        return earliest(node.args, from);
      case 'over':
        return (lookBackOf(node.operand)?.values ?? 0) > 0 ? minTimestamp : begin(node.operand, from);
      case 'window': {
        const span = node.name === 'lowpass' ? lowpassWidths * node.width : node.width;
        const before = from - span;
        return begin(node.operand, before < minTimestamp ? minTimestamp : before);
      }
      case 'running': {
        if (node.name === 'integral' || node.name === 'sum') return begin(node.operand, from);
        const last = await lastValue(node.operand, from);
        return last === undefined ? from : begin(node.operand, last);
      }
    }
  }

  async function earliest(nodes: readonly Node[], from: bigint): Promise<bigint> {
    let first = from;
    for (const node of nodes) {
      const own = await begin(node, from);
      if (own < first) first = own;
    }
    return first;
  }

  /** The time of the last row before another at which a node has a value; undefined where there is none. */
  async function lastValue(node: Node, before: bigint): Promise<bigint | undefined> {
    if (before === minTimestamp) return undefined;
    const root = valueRowsOf(node);
    if (root === undefined) return minTimestamp;
    const evaluator = columnEvaluator({ expression: { ...expression, root, lookBack: undefined }, operands });
    for await (const block of rowsBefore(before)) {
      const found = evaluator.evaluate(block, undefined);
      if (found === undefined) continue;
      for (let i = 0; i < (found.rows?.length ?? block.count); i++)
        if (isPresent(found.present, i))
          return block.base + BigInt(block.offsets[found.rows === undefined ? i : found.rows[i]!]!);
    }
    return undefined;
  }
}
