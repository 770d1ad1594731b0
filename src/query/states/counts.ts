import { isPresent } from '../../domain/parameter-data.ts';
import { enlarge, type QueryMemory } from '../bounds/query-memory.ts';
import { skipped } from '../runs/runs.ts';
import { type Accumulator, type Joinable, type NumberResults, roomFor } from './accumulator.ts';

/** How many values there are per slot, of any kind, NaN included. A slot without any is null like every gap. */
export interface Counts extends Accumulator, Joinable<Float64Array> {
  /** Adds the counts at the places [from, to) to a slot. */
  addCounts(slot: number, counts: Float64Array, from: number, to: number): void;
  readonly result: NumberResults;
}

export function counts(memory: QueryMemory): Counts {
  let held = new Float64Array(0);
  return {
    reserve(slots) {
      if (slots > held.length) held = enlarge(held, roomFor(slots, held.length), memory);
    },
    add({ present }, { count, ends, slots }) {
      for (let run = 0, from = 0; run < count; run++) {
        const to = ends[run]!;
        const slot = slots[run]!;
        if (slot !== skipped) {
          let found = to - from;
          if (present !== undefined) for (let i = from; i < to; i++) if (!isPresent(present, i)) found--;
          held[slot]! += found;
        }
        from = to;
      }
    },
    addCounts(slot, counts, from, to) {
      for (let i = from; i < to; i++) held[slot]! += counts[i]!;
    },
    give: () => held,
    join(given, slots) {
      for (let i = 0; i < slots.length; i++) held[slots[i]!]! += given[i]!;
    },
    result: { has: (slot) => held[slot]! > 0, valueOf: (slot) => held[slot]! },
  };
}
