import type { Presence } from '../domain/parameter-data.ts';
import { isPresent } from '../domain/parameter-data.ts';
import { type Accumulator, type Joinable, type NumberResults, roomFor } from './accumulator.ts';
import { enlarge, type QueryMemory } from './query-memory.ts';
import { frameRows, type NumberValues } from './rows-to-aggregate.ts';
import { type Runs, skipped } from './runs.ts';

/**
 * Sums for Sum and Mean, as if computed in twice the precision of a double and rounded once: each addition's error
 * is found exactly (D. Knuth's two-sum) and summed beside (T. Ogita, S. Rump, S. Oishi, "Accurate sum and dot
 * product", 2005, Sum2). So the mean of ten million values is right to the last digits. NaN is skipped.
 */
export interface Sums extends Accumulator<NumberValues>, Joinable<SumState> {
  /** Adds the known sums of whole frames, by runs of frames; `count` is the number of rows of all frames. */
  addFrames(frameSums: Float64Array, frames: Runs, count: number): void;
  /** Adds a known sum for each run. */
  addRuns(runSums: Float64Array, runs: Runs): void;
  /** Adds the known sums of so many values each at the places [from, to) to a slot. */
  addSums(slot: number, sums: Float64Array, counts: Float64Array, from: number, to: number): void;
  /** How many values there are in a slot, without NaN. */
  countOf(slot: number): number;
  readonly sum: NumberResults;
  readonly mean: NumberResults;
}

export function sums(memory: QueryMemory): Sums {
  let state: SumState = { high: new Float64Array(0), low: new Float64Array(0), counts: new Float64Array(0) };
  const has = (slot: number) => state.counts[slot]! > 0;
  const total = (slot: number) => {
    const high = state.high[slot]!;
    // An infinity leaves nonsense in the rest.
    return high - high === 0 ? high + state.low[slot]! : high;
  };
  return {
    reserve(slots) {
      const { high, low, counts } = state;
      if (slots <= high.length) return;
      const room = roomFor(slots, high.length);
      state = {
        high: enlarge(high, room, memory),
        low: enlarge(low, room, memory),
        counts: enlarge(counts, room, memory),
      };
    },
    add({ values, present }, { count, ends, slots }) {
      for (let run = 0, from = 0; run < count; run++) {
        const to = ends[run]!;
        const slot = slots[run]!;
        if (slot !== skipped) {
          if (present === undefined) addDense(state, slot, values, from, to);
          else addSparse(state, slot, values, present, from, to);
        }
        from = to;
      }
    },
    addFrames(frameSums, frames, count) {
      for (let run = 0, from = 0; run < frames.count; run++) {
        const to = frames.ends[run]!;
        const slot = frames.slots[run]!;
        if (slot !== skipped) {
          for (let frame = from; frame < to; frame++) twoSum(state, slot, frameSums[frame]!);
          state.counts[slot]! += Math.min(count, to * frameRows) - from * frameRows;
        }
        from = to;
      }
    },
    addRuns(runSums, { count, ends, slots }) {
      for (let run = 0, from = 0; run < count; run++) {
        const to = ends[run]!;
        const slot = slots[run]!;
        if (slot !== skipped) {
          twoSum(state, slot, runSums[run]!);
          state.counts[slot]! += to - from;
        }
        from = to;
      }
    },
    addSums(slot, sums, counts, from, to) {
      for (let i = from; i < to; i++) {
        twoSum(state, slot, sums[i]!);
        state.counts[slot]! += counts[i]!;
      }
    },
    give: () => state,
    join({ high, low, counts }, slots) {
      for (let i = 0; i < slots.length; i++) {
        const slot = slots[i]!;
        twoSum(state, slot, high[i]!);
        state.low[slot]! += low[i]!;
        state.counts[slot]! += counts[i]!;
      }
    },
    countOf: (slot) => state.counts[slot]!,
    sum: { has, valueOf: total },
    mean: { has, valueOf: (slot) => total(slot) / state.counts[slot]! },
  };
}

export interface SumState {
  /** The sum as plain addition has it, and what that lost. */
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly counts: Float64Array;
}

function addDense(state: SumState, slot: number, values: Float64Array, from: number, to: number): void {
  let sum = state.high[slot]!;
  let lost = state.low[slot]!;
  let nans = 0;
  for (let i = from; i < to; i++) {
    const value = values[i]!;
    if (Number.isNaN(value)) {
      nans++;
      continue;
    }
    const next = sum + value;
    const added = next - sum;
    lost += sum - (next - added) + (value - added);
    sum = next;
  }
  state.high[slot] = sum;
  state.low[slot] = lost;
  state.counts[slot]! += to - from - nans;
}

function addSparse(
  state: SumState,
  slot: number,
  values: Float64Array,
  present: Presence,
  from: number,
  to: number,
): void {
  let count = 0;
  for (let i = from; i < to; i++) {
    const value = values[i]!;
    if (Number.isNaN(value) || !isPresent(present, i)) continue;
    twoSum(state, slot, value);
    count++;
  }
  state.counts[slot]! += count;
}

function twoSum({ high, low }: SumState, slot: number, value: number): void {
  const sum = high[slot]!;
  const next = sum + value;
  const added = next - sum;
  low[slot]! += sum - (next - added) + (value - added);
  high[slot] = next;
}
