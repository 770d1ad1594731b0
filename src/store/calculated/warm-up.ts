import { isPresent } from '../../domain/parameter-data.ts';
import { minTimestamp } from '../../domain/timestamp.ts';
import { lookBackOf } from '../../expression/look-back.ts';
import { beginOfCell } from '../../expression/moving-mean.ts';
import type { Node } from '../../expression/syntax.ts';
import { hasNoValueBefore, valueRowsOf } from '../../expression/value-rows.ts';
import {
  type CalculatedRows,
  type Calculation,
  type ColumnEvaluator,
  columnEvaluator,
  rowAt,
} from './column-evaluator.ts';
import type { RowsBefore } from './rows-before.ts';

/** How many of its constants a filter of first order looks back: what is older it has forgotten. */
const lowpassWidths = 10n;
/** The most evaluations that look for last values, of one column and stream. */
const maxTries = 24;

/**
 * The earliest time (ns) of which the rows of a stream have to be known for the values of a column from `time` on. What
 * looks back goes to the last row before that has a value, however long ago that was. To the beginning of the stream
 * go values inside `over`, of which any tag may be the next.
 *
 * @param time of the first wanted row: `integral` and `sum` have no value before it
 * @param isExact whether the last bits of moving means shall be what they are from wherever the rows are gone through
 */
export function beginOf(
  calculation: Calculation,
  time: bigint,
  rows: RowsBefore,
  isExact: boolean,
): Promise<bigint> {
  return new WarmUp(calculation, time, rows, isExact).begin(calculation.expression.root, time);
}

class WarmUp {
  readonly #expression;
  readonly #operands;
  /** Places of the operands among themselves: blocks that `backwards` gives have no other columns. */
  readonly #ownPlaces: readonly number[];
  readonly #time;
  readonly #rows;
  readonly #isExact;
  /** By node and time, what `#lastValue` gave: derivatives inside each other ask for the same again and again. */
  readonly #lastValues = new Map<Node, Map<bigint, Promise<bigint | undefined>>>();
  /** Evaluations of `#searchBack` so far. */
  #tries = 0;

  constructor({ expression, operands }: Calculation, time: bigint, rows: RowsBefore, isExact: boolean) {
    this.#expression = expression;
    this.#operands = operands;
    this.#ownPlaces = operands.map((_, i) => i);
    this.#time = time;
    this.#rows = rows;
    this.#isExact = isExact;
  }

  /** The earliest time of which rows have to be known for the values of a node from a time on. */
  async begin(node: Node, from: bigint): Promise<bigint> {
    switch (node.type) {
      case 'number':
      case 'parameter':
        return from;
      case 'unary':
        return this.begin(node.operand, from);
      case 'defined':
        return this.begin(node.definition, from);
      case 'binary':
        return this.#earliest([node.left, node.right], from);
      case 'choice':
        return this.#earliest([node.condition, node.whenTrue, node.whenFalse], from);
      case 'call':
        return this.#earliest(node.args, from);
      case 'over':
        return (lookBackOf(node.operand)?.values ?? 0) > 0 ? minTimestamp : this.begin(node.operand, from);
      case 'window': {
        const span = node.name === 'lowpass' ? lowpassWidths * node.width : node.width;
        const isAddedUp = this.#isExact && node.name === 'movingMean';
        const before = (isAddedUp ? beginOfCell(from, Number(node.width)) : from) - span;
        return this.begin(node.operand, before < minTimestamp ? minTimestamp : before);
      }
      case 'running': {
        if (node.name === 'integral' || node.name === 'sum') return this.begin(node.operand, from);
        // Without a value before, that of the operand at `from` may still need rows before.
        return this.begin(node.operand, (await this.#lastValue(node.operand, from)) ?? from);
      }
    }
  }

  async #earliest(nodes: readonly Node[], from: bigint): Promise<bigint> {
    let first = from;
    for (const node of nodes) {
      const own = await this.begin(node, from);
      if (own < first) first = own;
    }
    return first;
  }

  /**
   * The time of the last row before another at which a node has a value; undefined where there is none, and the earliest
   * time where only all rows tell.
   */
  #lastValue(node: Node, before: bigint): Promise<bigint | undefined> {
    const ofNode = this.#lastValues.get(node) ?? new Map<bigint, Promise<bigint | undefined>>();
    this.#lastValues.set(node, ofNode);
    let last = ofNode.get(before);
    if (last === undefined) {
      last = this.#findLast(node, before);
      ofNode.set(before, last);
    }
    return last;
  }

  async #findLast(node: Node, before: bigint): Promise<bigint | undefined> {
    if (before === minTimestamp || hasNoValueBefore(node)) return undefined;
    if (node.type === 'running' && node.name === 'derivative') {
      // It has a value at the first row of the last time of its operand, if that has an earlier one.
      const last = await this.#lastValue(node.operand, before);
      if (last === undefined || last === minTimestamp) return last;
      const earlier = await this.#lastValue(node.operand, last);
      return earlier === undefined || earlier === minTimestamp ? earlier : last;
    }
    const root = valueRowsOf(node);
    if (root === undefined) return this.#searchBack(node, before);
    const evaluator = this.#evaluatorOf(root, this.#ownPlaces);
    for await (const block of this.#rows.backwards(this.#operands, before)) {
      const values = evaluator.evaluate(block, undefined);
      const row = values && firstRow(values, block.count);
      if (row !== undefined) return block.base + BigInt(block.offsets[row]!);
    }
    return undefined;
  }

  /**
   * The last value of what only its own evaluation tells: over the last rows, then over twice as many, and so on. Each time
   * it begins where all that it looks back to is known, so that what it gives is exact. Where that takes many tries, as of
   * searches inside each other, all rows are taken instead.
   */
  async #searchBack(node: Node, before: bigint): Promise<bigint | undefined> {
    let blocks = 0;
    let wanted = 1;
    for await (const block of this.#rows.backwards(this.#operands, before)) {
      if (++blocks < wanted) continue;
      if (++this.#tries > maxTries) return minTimestamp;
      wanted *= 2;
      const first = block.base + BigInt(block.offsets[block.count - 1]!);
      const last = await this.#lastBetween(node, first, before);
      if (last !== undefined) return last;
    }
    return blocks === 0 ? undefined : this.#lastBetween(node, minTimestamp, before);
  }

  /** The time of the last row with a value, from a time to before another one. */
  async #lastBetween(node: Node, start: bigint, before: bigint): Promise<bigint | undefined> {
    const evaluator = this.#evaluatorOf(node, this.#operands);
    let last: bigint | undefined;
    for await (const block of this.#rows.forwards(await this.begin(node, start), before)) {
      const values = evaluator.evaluate(block, undefined, this.#time);
      const row = values && lastRow(values, block.count);
      if (row === undefined || row < rowAt(block.offsets, Number(start - block.base), block.count)) continue;
      last = block.base + BigInt(block.offsets[row]!);
    }
    return last;
  }

  /** Evaluates a part of the expression over blocks that have the operands at these places. */
  #evaluatorOf(root: Node, operands: readonly number[]): ColumnEvaluator {
    return columnEvaluator({ expression: { ...this.#expression, root, lookBack: undefined }, operands });
  }
}

/** The first row of a block that has a value. */
function firstRow({ rows, present }: CalculatedRows, count: number): number | undefined {
  for (let i = 0; i < (rows?.length ?? count); i++) if (isPresent(present, i)) return rows?.[i] ?? i;
  return undefined;
}

function lastRow({ rows, present }: CalculatedRows, count: number): number | undefined {
  for (let i = (rows?.length ?? count) - 1; i >= 0; i--) if (isPresent(present, i)) return rows?.[i] ?? i;
  return undefined;
}
