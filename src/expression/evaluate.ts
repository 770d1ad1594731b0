import { along, fill } from './along-rows.ts';
import { type AlongStream, newState } from './along-stream.ts';
import type { NumberColumn } from './column.ts';
import { type Keys, keyTable, type SavedStates } from './keyed-states.ts';
import { binary, call, choice, constant, defined, unary } from './row-evaluators.ts';
import { binaryKernels, unaryKernels } from './row-kernels.ts';
import type { Compute, KeysOf, Part, StreamRows } from './stream-rows.ts';
import type { Expression, Node } from './syntax.ts';
import { ownMemory, type ValueMemory } from './value-memory.ts';
import { unboundedRoom, type ValueRoom } from './value-room.ts';

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
  /** About how many numbers `save` gives. */
  size(): number;
  /** What it remembers of the rows. */
  save(): SavedRows;
  /** In the place of what it remembers; false where it was saved by an evaluator of another expression. */
  restore(saved: SavedRows): boolean;
}

/** What an evaluator remembers of the rows of a stream. */
export interface SavedRows {
  /** The origin of its times, nanoseconds; undefined before the first rows. */
  readonly base: bigint | undefined;
  /** By function along rows, its states. */
  readonly parts: readonly SavedStates[];
}

/**
 * @param room for what it remembers of streams
 * @param memory for the values that it makes
 */
export function evaluatorOf(
  { root }: Expression,
  room: ValueRoom = unboundedRoom,
  memory: ValueMemory = ownMemory,
): Evaluator {
  const parts: Part[] = [];
  const compute = compile(root, () => 0, parts, { room, memory });
  let base: bigint | undefined;
  return {
    beginStream() {
      base = undefined;
      for (const part of parts) part.clear();
    },
    evaluate(rows) {
      if (base !== undefined && base !== rows.base) {
        const by = Number(rows.base - base);
        for (const part of parts) part.moveOrigin(by);
      }
      base = rows.base;
      return compute(rows);
    },
    save: () => ({ base, parts: parts.map((part) => part.save()) }),
    size: () => parts.reduce((numbers, part) => numbers + part.size(), 0),
    restore(saved) {
      base = saved.base;
      return saved.parts.length === parts.length && parts.every((part, i) => part.restore(saved.parts[i]!));
    },
  };
}

interface Rooms {
  readonly room: ValueRoom;
  readonly memory: ValueMemory;
}

/** @param keysOf says which rows go on from each other */
function compile(node: Node, keysOf: KeysOf, parts: Part[], rooms: Rooms): Compute {
  const { room, memory } = rooms;
  const inner = (child: Node): Compute => compile(child, keysOf, parts, rooms);
  const alongRows = (name: AlongStream, operand: Node, width: number): Compute =>
    along(name, inner(operand), keysOf, parts, () => newState(name, width, room), rooms);
  switch (node.type) {
    case 'number':
      return constant(memory.constant(node.value));
    case 'parameter':
      return (rows) => rows.column(node.parameter);
    case 'unary':
      return unary(unaryKernels[node.operator], inner(node.operand), memory);
    case 'binary':
      return binary(binaryKernels[node.operator], inner(node.left), inner(node.right), memory);
    case 'choice':
      return choice(inner(node.condition), inner(node.whenTrue), inner(node.whenFalse), memory);
    case 'defined':
      return defined((rows) => rows.column(node.written), inner(node.definition), memory);
    case 'call':
      return call(node, node.args.map(inner), memory);
    case 'running':
      if (node.name === 'fill') return fill(inner(node.operand), keysOf, parts, memory);
      return alongRows(node.name, node.operand, 0);
    case 'window':
      if (node.name === 'smooth')
        return () => {
          throw new Error('what looks ahead is a parameter where rows are evaluated');
        };
      return alongRows(node.name, node.operand, Number(node.width));
    case 'over': {
      const keys = keyTable(room);
      parts.push(keys);
      const within: KeysOf = (rows) => keys.keysOf(rows.count, keysOf(rows), rows.tag(node.tag));
      return compile(node.operand, oncePerBlock(within), parts, rooms);
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
