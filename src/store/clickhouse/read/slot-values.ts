import { enlarge, type QueryMemory } from '../../../query/bounds/query-memory.ts';

/** What a measure has for each slot. */
export type Measured = SlotValues<Float64Array> | TextValues;

/** A number per slot, as far as there is one. */
export interface SlotValues<Values extends Float64Array | BigInt64Array> {
  has(slot: number): boolean;
  valueOf(slot: number): Values[number];
  put(slot: number, value: Values[number]): void;
  /** Keeps the smaller of what is there and the value. */
  putSmaller(slot: number, value: Values[number]): void;
}

/** A text per slot, as far as there is one. */
export interface TextValues {
  valueOf(slot: number): Uint8Array | undefined;
  put(slot: number, value: Uint8Array): void;
}

export function slotValues<Values extends Float64Array | BigInt64Array>(
  Type: new (length: number) => Values,
  memory: QueryMemory,
): SlotValues<Values> {
  let values = new Type(0);
  let filled = new Uint8Array(0);
  const has = (slot: number) => filled[slot] === 1;
  function put(slot: number, value: Values[number]): void {
    if (slot >= filled.length) {
      const room = Math.max(16, 2 * slot);
      values = enlarge(values, room, memory);
      filled = enlarge(filled, room, memory);
    }
    filled[slot] = 1;
    values[slot] = value;
  }
  return {
    has,
    valueOf: (slot) => values[slot]!,
    put,
    putSmaller(slot, value) {
      if (!has(slot) || value < values[slot]!) put(slot, value);
    },
  };
}

/** What the engine takes for an array of bytes besides these, roughly. */
const textOverhead = 120;

export function textValues(memory: QueryMemory): TextValues {
  const held: Uint8Array[] = [];
  return {
    valueOf: (slot) => held[slot],
    put(slot, value) {
      memory.take(value.length + textOverhead);
      held[slot] = value;
    },
  };
}
