import type { Presence } from '../../domain/parameter-data.ts';
import { isPresent } from '../../domain/parameter-data.ts';
import { lostOfProduct, quotient, shrinking } from '../../domain/twofold.ts';
import { enlarge, type QueryMemory } from '../bounds/query-memory.ts';
import { frameRows, type NumberValues } from '../runs/rows-to-aggregate.ts';
import { type RunSums, type Runs, skipped } from '../runs/runs.ts';
import { type Accumulator, type Joinable, type NumberResults, roomFor } from './accumulator.ts';

/**
 * Sums for Sum and Mean, as if computed in twice the precision of a double and rounded once: each addition's error
 * is found exactly (D. Knuth's two-sum) and summed beside (T. Ogita, S. Rump, S. Oishi, "Accurate sum and dot
 * product", 2005, Sum2). So the mean of ten million values is right to the last digits, that of equal values is that value, and a
 * sum that leaves the doubles on its way may come back. NaN is skipped.
 */
export interface Sums extends Accumulator<NumberValues>, Joinable<SumState> {
  /** Adds what is known of whole frames, by runs of frames; `count` is the number of rows of all frames. */
  addFrames(known: KnownSums, frames: Runs, count: number): void;
  /** Adds a known sum for each run. */
  addRuns(sums: RunSums, runs: Runs): void;
  /** Adds what is known of so many values each at the places [from, to) to a slot. */
  addSums(slot: number, known: KnownSums, counts: Float64Array, from: number, to: number): void;
  /** How many values there are in a slot, without NaN. */
  countOf(slot: number): number;
  readonly sum: NumberResults;
  readonly mean: NumberResults;
}

/** Sums of values of which the least and the greatest are known too. */
export interface KnownSums {
  /** Each rounded once. */
  readonly sum: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
}

export function sums(memory: QueryMemory): Sums {
  const none = new Float64Array(0);
  let state: SumState = { high: none, low: none, counts: none, shrunk: new Set() };
  const has = (slot: number) => state.counts[slot]! > 0;
  /** An infinity leaves nonsense in the rest. */
  const lowOf = (slot: number) => (Number.isFinite(state.high[slot]!) ? state.low[slot]! : 0);
  const scaleOf = (slot: number) => (state.shrunk.has(slot) ? shrinking : 1);
  return {
    reserve(slots) {
      const { high, low, counts, shrunk } = state;
      if (slots <= high.length) return;
      const room = roomFor(slots, high.length);
      state = {
        high: enlarge(high, room, memory),
        low: enlarge(low, room, memory),
        counts: enlarge(counts, room, memory),
        shrunk,
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
    addFrames(known, frames, count) {
      for (let run = 0, from = 0; run < frames.count; run++) {
        const to = frames.ends[run]!;
        const slot = frames.slots[run]!;
        if (slot !== skipped) {
          for (let frame = from; frame < to; frame++)
            addKnown(state, slot, known, frame, Math.min(frameRows, count - frame * frameRows));
          state.counts[slot]! += Math.min(count, to * frameRows) - from * frameRows;
        }
        from = to;
      }
    },
    addRuns({ high, low }, { count, ends, slots }) {
      for (let run = 0, from = 0; run < count; run++) {
        const to = ends[run]!;
        const slot = slots[run]!;
        if (slot !== skipped) {
          addOne(state, slot, high[run]!);
          addOne(state, slot, low[run]!);
          state.counts[slot]! += to - from;
        }
        from = to;
      }
    },
    addSums(slot, known, counts, from, to) {
      for (let i = from; i < to; i++) {
        addKnown(state, slot, known, i, counts[i]!);
        state.counts[slot]! += counts[i]!;
      }
    },
    give: () => state,
    join({ high, low, counts, shrunk }, slots) {
      for (let i = 0; i < slots.length; i++) {
        const slot = slots[i]!;
        if (shrunk.has(i)) shrink(state, slot);
        // What was shrunk there is so here, and is added as it is.
        const scale = state.shrunk.has(slot) && !shrunk.has(i) ? shrinking : 1;
        if (!twoSum(state, slot, high[i]! * scale)) {
          addOne(state, slot, high[i]!);
          state.low[slot]! += low[i]! * shrinking;
        } else state.low[slot]! += low[i]! * scale;
        state.counts[slot]! += counts[i]!;
      }
    },
    countOf: (slot) => state.counts[slot]!,
    sum: { has, valueOf: (slot) => (state.high[slot]! + lowOf(slot)) / scaleOf(slot) },
    mean: {
      has,
      valueOf: (slot) => quotient(state.high[slot]!, lowOf(slot), state.counts[slot]!) / scaleOf(slot),
    },
  };
}

export interface SumState {
  /** The sum as plain addition has it, and what that lost. */
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly counts: Float64Array;
  /** Slots whose sum would be too large for a double: high and low are so many times smaller (`shrinking`). */
  readonly shrunk: Set<number>;
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
  // A sum that is no number any more: of an infinity, or too large; one after the other they tell.
  if (sum - sum !== 0 || state.shrunk.size > 0) {
    addSparse(state, slot, values, undefined, from, to);
    return;
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
    addOne(state, slot, value);
    count++;
  }
  state.counts[slot]! += count;
}

/** The end of the values of which any number may be multiplied exactly. */
const largestFactor = 2 ** 970;

/** Adds what is known of `count` values. Equal ones are added as if each were, as far as that can be told of their product. */
function addKnown(
  state: SumState,
  slot: number,
  { sum, min, max }: KnownSums,
  at: number,
  count: number,
): void {
  const value = min[at]!;
  if (value !== max[at]! || !(Math.abs(value) < largestFactor)) {
    addOne(state, slot, sum[at]!);
    return;
  }
  const product = value * count;
  addOne(state, slot, product);
  addOne(state, slot, lostOfProduct(value, count, product));
}

function addOne(state: SumState, slot: number, value: number): void {
  if (state.shrunk.size > 0 && state.shrunk.has(slot)) {
    twoSum(state, slot, value * shrinking);
  } else if (!twoSum(state, slot, value)) {
    shrink(state, slot);
    twoSum(state, slot, value * shrinking);
  }
}

/** False, and nothing is added, where the sum of numbers is too large for a double. */
function twoSum({ high, low }: SumState, slot: number, value: number): boolean {
  const sum = high[slot]!;
  const next = sum + value;
  if (next - next !== 0 && sum - sum === 0 && value - value === 0) return false;
  const added = next - sum;
  low[slot]! += sum - (next - added) + (value - added);
  high[slot] = next;
  return true;
}

function shrink({ high, low, shrunk }: SumState, slot: number): void {
  if (shrunk.has(slot)) return;
  shrunk.add(slot);
  high[slot]! *= shrinking;
  low[slot]! *= shrinking;
}
