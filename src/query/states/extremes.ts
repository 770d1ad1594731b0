import { isPresent, type Presence } from '../../domain/parameter-data.ts';
import { enlarge, type QueryMemory } from '../bounds/query-memory.ts';
import type { NumberValues } from '../runs/rows-to-aggregate.ts';
import { skipped } from '../runs/runs.ts';
import { type Accumulator, type Joinable, type NumberResults, roomFor } from './accumulator.ts';

/** The largest or the smallest value per slot. NaN is skipped; as a state it means that there is no value yet. */
export interface Extremes extends Accumulator<NumberValues>, Joinable<Float64Array> {
  /** Adds the values at the places [from, to) to a slot. */
  addValues(slot: number, values: Float64Array, from: number, to: number): void;
  readonly result: NumberResults;
}

export function maxima(memory: QueryMemory): Extremes {
  return extremes(memory, largest);
}

export function minima(memory: QueryMemory): Extremes {
  return extremes(memory, smallest);
}

/** The difference of the two. */
export function spread(max: NumberResults, min: NumberResults): NumberResults {
  return { has: max.has, valueOf: (slot) => max.valueOf(slot) - min.valueOf(slot) };
}

/** The extreme of `held` and the values of [from, to). */
type Kernel = (held: number, values: Float64Array, present: Presence, from: number, to: number) => number;

function extremes(memory: QueryMemory, kernel: Kernel): Extremes {
  let held = new Float64Array(0);
  return {
    reserve(slots) {
      const { length } = held;
      if (slots > length) held = enlarge(held, roomFor(slots, length), memory).fill(Number.NaN, length);
    },
    add({ values, present }, { count, ends, slots }) {
      for (let run = 0, from = 0; run < count; run++) {
        const to = ends[run]!;
        const slot = slots[run]!;
        if (slot !== skipped) held[slot] = kernel(held[slot]!, values, present, from, to);
        from = to;
      }
    },
    addValues(slot, values, from, to) {
      held[slot] = kernel(held[slot]!, values, undefined, from, to);
    },
    give: () => held,
    join(given, slots) {
      for (let i = 0; i < slots.length; i++) {
        const slot = slots[i]!;
        held[slot] = kernel(held[slot]!, given, undefined, i, i + 1);
      }
    },
    result: { has: (slot) => !Number.isNaN(held[slot]!), valueOf: (slot) => held[slot]! },
  };
}

function largest(held: number, values: Float64Array, present: Presence, from: number, to: number): number {
  let max = held;
  if (present === undefined) {
    let i = from;
    for (; Number.isNaN(max) && i < to; i++) max = values[i]!;
    for (; i < to; i++) if (values[i]! > max) max = values[i]!;
    return max;
  }
  for (let i = from; i < to; i++) {
    const value = values[i]!;
    if ((value > max || Number.isNaN(max)) && isPresent(present, i)) max = value;
  }
  return max;
}

function smallest(held: number, values: Float64Array, present: Presence, from: number, to: number): number {
  let min = held;
  if (present === undefined) {
    let i = from;
    for (; Number.isNaN(min) && i < to; i++) min = values[i]!;
    for (; i < to; i++) if (values[i]! < min) min = values[i]!;
    return min;
  }
  for (let i = from; i < to; i++) {
    const value = values[i]!;
    if ((value < min || Number.isNaN(min)) && isPresent(present, i)) min = value;
  }
  return min;
}
