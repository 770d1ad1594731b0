import { isPresent } from '../domain/parameter-data.ts';
import { type AlongStream, beginsWithWanted, newState, type StreamState } from './along-stream.ts';
import { bothPresent, type NumberColumn } from './column.ts';
import { type Keys, keyedStates, keyTable, type RowTag } from './keyed-states.ts';
import { binaryKernels, functionKernels, joiningKernels, unaryKernels } from './row-kernels.ts';
import type { Expression, Node } from './syntax.ts';
import { unboundedRoom, type ValueRoom } from './value-room.ts';

/** Rows of one stream, in order of time, then tag set: the union over the parameters of the expression. */
export interface StreamRows {
  readonly count: number;
  /** Nanoseconds; row i is at `base + offsets[i]`. */
  readonly base: bigint;
  readonly offsets: Float64Array;
  /** Rows before this one are there for those that look back. */
  readonly firstWanted: number;
  /** Of a parameter of the expression, by index; undefined where no row has a value. */
  column(parameter: number): NumberColumn | undefined;
  tag(name: string): RowTag;
}

/** An expression, ready for the rows of one stream after another. */
export interface Evaluator {
  /** Forgets the rows of the stream before. */
  beginStream(): void;
  /**
   * The values of rows that follow those given before; undefined where no row has one. They are the evaluator's memory: the
   * next call writes over them. Values of rows before the first wanted one mean nothing. Throws `query_too_large`
   * where windows or tags of `over` have too many values.
   */
  evaluate(rows: StreamRows): NumberColumn | undefined;
}

type Compute = (rows: StreamRows) => NumberColumn | undefined;
type KeysOf = (rows: StreamRows) => Keys;

/** @param room for what it remembers of streams */
export function evaluatorOf({ root }: Expression, room: ValueRoom = unboundedRoom): Evaluator {
  const parts: Part[] = [];
  const compute = compile(root, () => 0, parts, room);
  let base: bigint | undefined;
  return {
    beginStream() {
      base = undefined;
      for (const part of parts) part.clear();
    },
    evaluate(rows) {
      if (base !== undefined && base !== rows.base) {
        const by = Number(rows.base - base);
        for (const part of parts) part.moveOrigin?.(by);
      }
      base = rows.base;
      return compute(rows);
    },
  };
}

/** What remembers something of a stream. */
interface Part {
  clear(): void;
  moveOrigin?(by: number): void;
}

/** @param keysOf says which rows go on from each other */
function compile(node: Node, keysOf: KeysOf, parts: Part[], room: ValueRoom): Compute {
  const inner = (child: Node): Compute => compile(child, keysOf, parts, room);
  switch (node.type) {
    case 'number':
      return constant(node.value);
    case 'parameter':
      return (rows) => rows.column(node.parameter);
    case 'unary':
      return unary(unaryKernels[node.operator], inner(node.operand));
    case 'binary':
      return binary(binaryKernels[node.operator], inner(node.left), inner(node.right));
    case 'choice':
      return choice(inner(node.condition), inner(node.whenTrue), inner(node.whenFalse));
    case 'call':
      return call(node, node.args.map(inner));
    case 'running':
      if (node.name === 'fill') return fill(inner(node.operand), keysOf, parts);
      return along(node.name, inner(node.operand), keysOf, parts, () =>
        newState(node.name as AlongStream, 0, room),
      );
    case 'window':
      return along(node.name, inner(node.operand), keysOf, parts, () =>
        newState(node.name, Number(node.width), room),
      );
    case 'over': {
      const keys = keyTable(room);
      parts.push(keys);
      const within: KeysOf = (rows) => keys.keysOf(rows.count, keysOf(rows), rows.tag(node.tag));
      return compile(node.operand, oncePerBlock(within), parts, room);
    }
  }
}

/** Several functions inside one `over` ask for the same keys. */
function oncePerBlock(keysOf: KeysOf): KeysOf {
  let last: { readonly rows: StreamRows; readonly keys: Keys } | undefined;
  return (rows) => {
    if (last?.rows !== rows) last = { rows, keys: keysOf(rows) };
    return last.keys;
  };
}

/** Memory for the values of a block, which grows to the largest. */
function output(): (count: number) => Float64Array {
  let values = new Float64Array(0);
  return (count) => {
    if (values.length < count) values = new Float64Array(count);
    return values;
  };
}

function constant(value: number): Compute {
  let values = new Float64Array(0);
  return ({ count }) => {
    if (values.length < count) values = new Float64Array(count).fill(value);
    return { values, present: undefined };
  };
}

function unary(
  kernel: (x: Float64Array, out: Float64Array, count: number) => void,
  operand: Compute,
): Compute {
  const out = output();
  return (rows) => {
    const x = operand(rows);
    if (x === undefined) return undefined;
    const values = out(rows.count);
    kernel(x.values, values, rows.count);
    return { values, present: x.present };
  };
}

function binary(
  kernel: (x: Float64Array, y: Float64Array, out: Float64Array, count: number) => void,
  left: Compute,
  right: Compute,
): Compute {
  const out = output();
  return (rows) => {
    // Both are asked: what is inside may have to remember the rows.
    const x = left(rows);
    const y = right(rows);
    if (x === undefined || y === undefined) return undefined;
    const values = out(rows.count);
    kernel(x.values, y.values, values, rows.count);
    return { values, present: bothPresent(x.present, y.present) };
  };
}

/** The operand that is not chosen may be missing. */
function choice(condition: Compute, whenTrue: Compute, whenFalse: Compute): Compute {
  const out = output();
  return (rows) => {
    const asked = condition(rows);
    const yes = whenTrue(rows);
    const no = whenFalse(rows);
    if (asked === undefined) return undefined;
    const values = out(rows.count);
    const present = new Uint8Array((rows.count + 7) >> 3);
    for (let row = 0; row < rows.count; row++) {
      if (!isPresent(asked.present, row)) continue;
      const chosen = asked.values[row] !== 0 ? yes : no;
      if (chosen === undefined || !isPresent(chosen.present, row)) continue;
      values[row] = chosen.values[row]!;
      present[row >> 3]! |= 1 << (row & 7);
    }
    return { values, present };
  };
}

function call({ name }: Extract<Node, { type: 'call' }>, args: readonly Compute[]): Compute {
  switch (name) {
    case 'atan2':
    case 'min':
    case 'max':
    case 'hypot':
      return args.reduce((joined, next) => binary(joiningKernels[name], joined, next));
    case 'clamp': {
      const [x, low, high] = args as [Compute, Compute, Compute];
      return binary(joiningKernels.min, binary(joiningKernels.max, x, low), high);
    }
    default:
      return unary(functionKernels[name], args[0]!);
  }
}

/** A function along the stream: rows without a value of the operand have none, and change nothing. */
function along(
  name: AlongStream,
  operand: Compute,
  keysOf: KeysOf,
  parts: Part[],
  makeState: () => StreamState,
): Compute {
  const states = keyedStates(makeState);
  parts.push(states);
  const out = output();
  return (rows) => {
    const x = operand(rows);
    if (x === undefined) return undefined;
    const { count, offsets } = rows;
    const keys = keysOf(rows);
    const values = out(count);
    const present = new Uint8Array((count + 7) >> 3);
    const from = beginsWithWanted(name) ? rows.firstWanted : 0;
    let state = typeof keys === 'number' ? states.of(keys) : undefined;
    if (state?.nextAll !== undefined) {
      state.nextAll({ from, to: count, times: offsets, values: x.values, has: x.present }, values, present);
      return { values, present };
    }
    for (let row = from; row < count; row++) {
      if (!isPresent(x.present, row)) continue;
      if (typeof keys !== 'number') state = states.of(keys[row]!);
      const value = state!.next(offsets[row]!, x.values[row]!);
      if (value === undefined) continue;
      values[row] = value;
      present[row >> 3]! |= 1 << (row & 7);
    }
    return { values, present };
  };
}

/** Carries the last value on to rows without one. */
function fill(operand: Compute, keysOf: KeysOf, parts: Part[]): Compute {
  const last = new Map<number, number>();
  parts.push(last);
  const out = output();
  return (rows) => {
    const x = operand(rows);
    const keys = keysOf(rows);
    const values = out(rows.count);
    const present = new Uint8Array((rows.count + 7) >> 3);
    for (let row = 0; row < rows.count; row++) {
      const key = typeof keys === 'number' ? keys : keys[row]!;
      if (x !== undefined && isPresent(x.present, row)) last.set(key, x.values[row]!);
      const value = last.get(key);
      if (value === undefined) continue;
      values[row] = value;
      present[row >> 3]! |= 1 << (row & 7);
    }
    return { values, present };
  };
}
