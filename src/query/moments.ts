import { isPresent } from '../domain/parameter-data.ts';
import { type Accumulator, type Joinable, type NumberResults, roomFor } from './accumulator.ts';
import { enlarge, type QueryMemory } from './query-memory.ts';
import type { NumberValues } from './rows-to-aggregate.ts';
import { skipped } from './runs.ts';

/**
 * Count, mean and sum of squared distances from the mean per slot, for StdDev. A run is measured in two passes with
 * the correction for a mean that is not exact, and joined to what is held (T. Chan, G. Golub, R. LeVeque,
 * "Updating formulae and a pairwise algorithm for computing sample variances", 1979), so values that are far from
 * zero and near to each other keep their digits. NaN is skipped.
 */
export interface Moments extends Accumulator<NumberValues>, Joinable<MomentState> {
  /** Of the sample: n − 1; null for one value. */
  readonly deviation: NumberResults;
}

export interface MomentState {
  readonly counts: Float64Array;
  readonly means: Float64Array;
  readonly squares: Float64Array;
}

export function moments(memory: QueryMemory): Moments {
  let counts = new Float64Array(0);
  let means = new Float64Array(0);
  let squares = new Float64Array(0);
  /** The present numbers of a run, one after another. */
  let dense = new Float64Array(1024);

  function addRun(slot: number, count: number): void {
    if (count === 0) return;
    let sum = 0;
    for (let i = 0; i < count; i++) sum += dense[i]!;
    const mean = sum / count;
    let square = 0;
    let rest = 0;
    for (let i = 0; i < count; i++) {
      const distance = dense[i]! - mean;
      square += distance * distance;
      rest += distance;
    }
    join(slot, count, mean + rest / count, square - (rest * rest) / count);
  }

  function join(slot: number, count: number, mean: number, square: number): void {
    const before = counts[slot]!;
    const total = before + count;
    const distance = mean - means[slot]!;
    squares[slot] =
      before === 0 ? square : squares[slot]! + square + distance * distance * ((before * count) / total);
    means[slot] = before === 0 ? mean : means[slot]! + (distance * count) / total;
    counts[slot] = total;
  }

  return {
    reserve(slots) {
      if (slots <= counts.length) return;
      const room = roomFor(slots, counts.length);
      counts = enlarge(counts, room, memory);
      means = enlarge(means, room, memory);
      squares = enlarge(squares, room, memory);
    },
    add({ values, present }, { count, ends, slots }) {
      for (let run = 0, from = 0; run < count; run++) {
        const to = ends[run]!;
        const slot = slots[run]!;
        if (slot !== skipped) {
          if (dense.length < to - from) dense = new Float64Array(to - from);
          let found = 0;
          for (let i = from; i < to; i++) {
            const value = values[i]!;
            if (!Number.isNaN(value) && isPresent(present, i)) dense[found++] = value;
          }
          addRun(slot, found);
        }
        from = to;
      }
    },
    give: () => ({ counts, means, squares }),
    join(given, slots) {
      for (let i = 0; i < slots.length; i++)
        if (given.counts[i]! > 0) join(slots[i]!, given.counts[i]!, given.means[i]!, given.squares[i]!);
    },
    deviation: {
      has: (slot) => counts[slot]! > 1,
      // Rounding may leave a tiny negative number, which means zero.
      valueOf: (slot) => Math.sqrt(Math.max(0, squares[slot]!) / (counts[slot]! - 1)),
    },
  };
}
