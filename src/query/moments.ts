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
 *
 * Squares of distances beyond 1e154 or below 1e-154 are no doubles. A slot that has such is kept by a power of two smaller or
 * larger (`scales`), so that its deviation is right wherever it is a double.
 */
export interface Moments extends Accumulator<NumberValues>, Joinable<MomentState> {
  /** Of the sample: n − 1; null for one value. */
  readonly deviation: NumberResults;
}

export interface MomentState {
  readonly counts: Float64Array;
  readonly means: Float64Array;
  readonly squares: Float64Array;
  /** What the means, and twice the squares, of a slot are multiplied by; 1 where there is none. */
  readonly scales: ReadonlyMap<number, number>;
}

/** For what is very large, what is usual, and what is very small. */
const [small, usual, large] = [2 ** -600, 1, 2 ** 600];
/** Sums of squares below it may have lost digits, and numbers below the other one may be made larger. */
const [leastSquare, mostEnlarged] = [2 ** -900, 2 ** 400];

export function moments(memory: QueryMemory): Moments {
  let counts = new Float64Array(0);
  let means = new Float64Array(0);
  let squares = new Float64Array(0);
  /** The present numbers of a run, one after another. */
  let dense = new Float64Array(1024);
  const scales = new Map<number, number>();

  function addRun(slot: number, count: number): void {
    if (count === 0) return;
    if (isMeasured(slot, count, usual)) return;
    let most = 0;
    let isPlain = true;
    for (let i = 0; i < count; i++) {
      most = Math.max(most, Math.abs(dense[i]! - dense[0]!), Math.abs(dense[i]!));
      if (!Number.isFinite(dense[i]!)) isPlain = false;
    }
    const scale = isPlain ? (most < mostEnlarged ? large : small) : usual;
    for (let i = 0; i < count; i++) dense[i]! *= scale;
    isMeasured(slot, count, scale, true);
  }

  /** Adds a run; false, and nothing is added, where its squares are too large or too small, unless they are taken as they are. */
  function isMeasured(slot: number, count: number, scale: number, asTheyAre = false): boolean {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += dense[i]!;
    const mean = sum / count;
    let square = 0;
    let rest = 0;
    let isEqual = true;
    for (let i = 0; i < count; i++) {
      const distance = dense[i]! - mean;
      square += distance * distance;
      rest += distance;
      if (dense[i] !== dense[0]) isEqual = false;
    }
    // The mean of equal values may be off by its last digit, which is no distance.
    if (isEqual && Number.isFinite(dense[0]!)) join(slot, count, dense[0]!, 0, scale);
    else if (asTheyAre || (square < Number.POSITIVE_INFINITY && square > leastSquare))
      join(slot, count, mean + rest / count, square - (rest * rest) / count, scale);
    else return false;
    return true;
  }

  function join(slot: number, count: number, givenMean: number, givenSquare: number, given: number): void {
    const before = counts[slot]!;
    if (before === 0) {
      hold(slot, count, givenMean, givenSquare, given);
      return;
    }
    const held = scales.get(slot) ?? usual;
    // That of the larger numbers; where the distance of the means is larger than both are for, the next.
    let scale = Math.min(finest(means[slot]!, squares[slot]!, held), finest(givenMean, givenSquare, given));
    for (;;) {
      const [own, other] = [scale / held, scale / given];
      const total = before + count;
      const distance = givenMean * other - means[slot]! * own;
      const between = distance * distance * ((before * count) / total);
      const square = squares[slot]! * own * own + givenSquare * other * other + between;
      if (scale === small || Number.isFinite(square) || !areFinite(slot, givenMean, givenSquare)) {
        hold(slot, total, means[slot]! * own + (distance * count) / total, square, scale);
        return;
      }
      scale = scale === large ? usual : small;
    }
  }

  /** Of equal values nothing says yet how far others are from them. */
  function finest(mean: number, square: number, scale: number): number {
    return square === 0 && Math.abs(mean) < mostEnlarged * scale ? large : scale;
  }

  function areFinite(slot: number, givenMean: number, givenSquare: number): boolean {
    return [means[slot]!, squares[slot]!, givenMean, givenSquare].every(Number.isFinite);
  }

  function hold(slot: number, count: number, mean: number, square: number, scale: number): void {
    const isEqual = square === 0 && scale === large;
    counts[slot] = count;
    means[slot] = isEqual ? mean / large : mean;
    squares[slot] = square;
    if (isEqual) scales.delete(slot);
    else if (scale !== usual) scales.set(slot, scale);
    else if (scales.size > 0) scales.delete(slot);
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
    give: () => ({ counts, means, squares, scales }),
    join(given, slots) {
      for (let i = 0; i < slots.length; i++)
        if (given.counts[i]! > 0)
          join(slots[i]!, given.counts[i]!, given.means[i]!, given.squares[i]!, given.scales.get(i) ?? usual);
    },
    deviation: {
      has: (slot) => counts[slot]! > 1,
      // Rounding may leave a tiny negative number, which means zero.
      valueOf: (slot) =>
        Math.sqrt(Math.max(0, squares[slot]!) / (counts[slot]! - 1)) / (scales.get(slot) ?? usual),
    },
  };
}
