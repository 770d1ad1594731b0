import type { RowFunction } from '../../src/expression/row-functions.ts';
import type { BinaryOperator, Node } from '../../src/expression/syntax.ts';

/** A row as the interpreter of the tests sees it. */
export interface PlainRow {
  /** Nanoseconds. */
  readonly time: bigint;
  readonly tags: Readonly<Record<string, string | undefined>>;
  /** By parameter; undefined where the row has none. */
  readonly values: readonly (number | undefined)[];
}

/**
 * Values of an expression over all rows of a stream, in order, by the words of the contract: each function is given all
 * rows up to its own and remembers nothing. Slow.
 * @param from rows before it count for what looks back only
 */
export function interpret(node: Node, rows: readonly PlainRow[], from: bigint): (number | undefined)[] {
  const of = (child: Node): (number | undefined)[] => interpret(child, rows, from);
  const each = (
    children: readonly Node[],
    apply: (...values: number[]) => number,
  ): (number | undefined)[] => {
    const columns = children.map(of);
    return rows.map((_, row) => {
      const values = columns.map((column) => column[row]);
      return values.some((value) => value === undefined) ? undefined : apply(...(values as number[]));
    });
  };
  switch (node.type) {
    case 'number':
      return rows.map(() => node.value);
    case 'parameter':
      return rows.map(({ values }) => values[node.parameter]);
    case 'unary':
      return each([node.operand], (x) => (node.operator === '-' ? -x : isTrue(x) ? 0 : 1));
    case 'binary':
      return each([node.left, node.right], operators[node.operator]);
    case 'choice': {
      const asked = of(node.condition);
      const [yes, no] = [of(node.whenTrue), of(node.whenFalse)];
      return asked.map((value, row) =>
        value === undefined ? undefined : isTrue(value) ? yes[row] : no[row],
      );
    }
    case 'call':
      return each(node.args, functions[node.name]);
    case 'defined': {
      const made = of(node.definition);
      return rows.map(({ values }, row) => values[node.written] ?? made[row]);
    }
    case 'over': {
      const result: (number | undefined)[] = rows.map(() => undefined);
      for (const value of new Set(rows.map(({ tags }) => tags[node.tag]))) {
        const chosen = [...rows.keys()].filter((row) => rows[row]!.tags[node.tag] === value);
        const given = interpret(
          node.operand,
          chosen.map((row) => rows[row]!),
          from,
        );
        for (const [i, row] of chosen.entries()) result[row] = given[i];
      }
      return result;
    }
    case 'window':
      if (node.name === 'smooth') return smooth(of(node.operand), rows, node.width / 2n);
      return along(node, of(node.operand), rows, from);
    default:
      return along(node, of(node.operand), rows, from);
  }
}

/** The means of the rows around each that has a value. */
function smooth(
  operand: readonly (number | undefined)[],
  rows: readonly PlainRow[],
  half: bigint,
): (number | undefined)[] {
  return operand.map((value, row) => {
    const { time } = rows[row]!;
    const around = operand.filter((_, i) => rows[i]!.time >= time - half && rows[i]!.time <= time + half);
    const values = around.filter((one) => one !== undefined);
    return value === undefined ? undefined : values.reduce((sum, one) => sum + one, 0) / values.length;
  });
}

function along(
  node: Extract<Node, { type: 'running' | 'window' }>,
  operand: readonly (number | undefined)[],
  rows: readonly PlainRow[],
  from: bigint,
): (number | undefined)[] {
  const beginsAtFrom = node.name === 'integral' || node.name === 'sum';
  const seen: { time: bigint; value: number }[] = [];
  let level = 0;
  return operand.map((value, row) => {
    const { time } = rows[row]!;
    if (value === undefined || (beginsAtFrom && time < from))
      return node.name === 'fill' ? seen.at(-1)?.value : undefined;
    const last = seen.at(-1);
    seen.push({ time, value });
    const inWindow =
      node.type === 'window'
        ? seen.filter((one) => one.time > time - node.width).map((one) => one.value)
        : [];
    switch (node.name) {
      case 'fill':
        return value;
      case 'previous':
        return last?.value;
      case 'difference':
        return last && value - last.value;
      case 'derivative':
        return last && time > last.time ? (value - last.value) / secondsBetween(last.time, time) : undefined;
      case 'sum':
        return seen.reduce((sum, one) => sum + one.value, 0);
      case 'integral':
        return seen
          .slice(1)
          .reduce(
            (area, one, i) =>
              area + ((one.value + seen[i]!.value) / 2) * secondsBetween(seen[i]!.time, one.time),
            0,
          );
      case 'movingMean':
        return inWindow.reduce((sum, one) => sum + one, 0) / inWindow.length;
      case 'movingMin':
        return Math.min(...inWindow);
      case 'movingMax':
        return Math.max(...inWindow);
      case 'lowpass': {
        const share = last === undefined ? 1 : -Math.expm1(-Number(time - last.time) / Number(node.width));
        level = last === undefined ? value : level + share * (value - level);
        return level;
      }
      default:
        throw new Error('no such function');
    }
  });
}

function secondsBetween(first: bigint, last: bigint): number {
  return Number(last - first) / 1e9;
}

function isTrue(x: number): boolean {
  return x !== 0;
}

const truth = (is: boolean): number => (is ? 1 : 0);

const operators: Readonly<Record<BinaryOperator, (x: number, y: number) => number>> = {
  '+': (x, y) => x + y,
  '-': (x, y) => x - y,
  '*': (x, y) => x * y,
  '/': (x, y) => x / y,
  '%': (x, y) => x % y,
  '^': (x, y) => x ** y,
  '==': (x, y) => truth(x === y),
  '!=': (x, y) => truth(x !== y),
  '<': (x, y) => truth(x < y),
  '<=': (x, y) => truth(x <= y),
  '>': (x, y) => truth(x > y),
  '>=': (x, y) => truth(x >= y),
  '&&': (x, y) => truth(isTrue(x) && isTrue(y)),
  '||': (x, y) => truth(isTrue(x) || isTrue(y)),
};

const functions: Readonly<Record<RowFunction, (...values: number[]) => number>> = {
  abs: Math.abs,
  sqrt: Math.sqrt,
  exp: Math.exp,
  ln: Math.log,
  log10: Math.log10,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  atan2: Math.atan2,
  floor: Math.floor,
  ceil: Math.ceil,
  round: (x) => Math.sign(x) * Math.round(Math.abs(x)),
  sign: Math.sign,
  min: Math.min,
  max: Math.max,
  clamp: (x, low, high) => Math.min(Math.max(x, low), high),
  hypot: Math.hypot,
};
