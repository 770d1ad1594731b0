import { isPresent } from '../domain/parameter-data.ts';
import { bothPresent } from './column.ts';
import { functionKernels, joiningKernels } from './row-kernels.ts';
import type { Compute } from './stream-rows.ts';
import type { Node } from './syntax.ts';
import type { ValueMemory } from './value-memory.ts';

// What looks at each row for itself.

export function constant(valuesOf: (count: number) => Float64Array): Compute {
  return ({ count }) => ({ values: valuesOf(count), present: undefined });
}

export function unary(
  kernel: (x: Float64Array, out: Float64Array, count: number) => void,
  operand: Compute,
  memory: ValueMemory,
): Compute {
  const out = memory.output();
  return (rows) => {
    const x = operand(rows);
    if (x === undefined) return undefined;
    const values = out(rows.count);
    kernel(x.values, values, rows.count);
    return { values, present: x.present };
  };
}

export function binary(
  kernel: (x: Float64Array, y: Float64Array, out: Float64Array, count: number) => void,
  left: Compute,
  right: Compute,
  memory: ValueMemory,
): Compute {
  const out = memory.output();
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

/** What was written, and in the other rows what is defined. */
export function defined(written: Compute, definition: Compute, memory: ValueMemory): Compute {
  const out = memory.output();
  return (rows) => {
    const own = written(rows);
    const made = definition(rows);
    if (own === undefined || made === undefined || own.present === undefined) return own ?? made;
    const { count } = rows;
    const values = out(count);
    const present = new Uint8Array((count + 7) >> 3);
    for (let row = 0; row < count; row++) {
      const from = isPresent(own.present, row) ? own : isPresent(made.present, row) ? made : undefined;
      if (from === undefined) continue;
      values[row] = from.values[row]!;
      present[row >> 3]! |= 1 << (row & 7);
    }
    return { values, present };
  };
}

/** The operand that is not chosen may be missing. */
export function choice(
  condition: Compute,
  whenTrue: Compute,
  whenFalse: Compute,
  memory: ValueMemory,
): Compute {
  const out = memory.output();
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

export function call(
  { name }: Extract<Node, { type: 'call' }>,
  args: readonly Compute[],
  memory: ValueMemory,
): Compute {
  switch (name) {
    case 'atan2':
    case 'min':
    case 'max':
    case 'hypot':
      return args.reduce((joined, next) => binary(joiningKernels[name], joined, next, memory));
    case 'clamp': {
      const [x, low, high] = args as [Compute, Compute, Compute];
      return binary(joiningKernels.min, binary(joiningKernels.max, x, low, memory), high, memory);
    }
    default:
      return unary(functionKernels[name], args[0]!, memory);
  }
}
