import { isPresent } from '../../domain/parameter-data.ts';
import { enlarge, type QueryMemory } from '../bounds/query-memory.ts';
import type { NumberValues } from '../runs/rows-to-aggregate.ts';
import { type Runs, skipped } from '../runs/runs.ts';
import { type Accumulator, type Joinable, type NumberResults, roomFor } from './accumulator.ts';

/**
 * Count, mean and sum of squared distances from the mean per slot, for StdDev. A run is measured in two passes with
 * the correction for a mean that is not exact, and joined to what is held (T. Chan, G. Golub, R. LeVeque,
 * "Updating formulae and a pairwise algorithm for computing sample variances", 1979). A mean is held in twice the
 * precision, so values that are far from zero and near to each other keep their digits. NaN is skipped.
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
  /** What a mean has beyond the digits of a double. */
  readonly rests: Float64Array;
  readonly squares: Float64Array;
  /** What the means, their rests, and twice the squares, of a slot are multiplied by; 1 where there is none. */
  readonly scales: ReadonlyMap<number, number>;
}

/** Of some numbers; `mean` and `rest` together are their mean. */
interface Moment {
  readonly mean: number;
  readonly rest: number;
  readonly square: number;
  readonly scale: number;
}

/** For what is very large, what is usual, and what is very small. */
const [small, usual, large] = [2 ** -600, 1, 2 ** 600];
/** Sums of squares below it may have lost digits, and numbers below the other one may be made larger. */
const [leastSquare, mostEnlarged] = [2 ** -900, 2 ** 400];

export function moments(memory: QueryMemory): Moments {
  return new SlotMoments(memory);
}

class SlotMoments implements Moments {
  readonly #memory;
  #counts = new Float64Array(0);
  #means = new Float64Array(0);
  #rests = new Float64Array(0);
  #squares = new Float64Array(0);
  /** Of the slots whose scale is not `usual`. */
  readonly #scales = new Map<number, number>();
  /** The present numbers of a run, one after another. */
  #dense = new Float64Array(1024);

  constructor(memory: QueryMemory) {
    this.#memory = memory;
  }

  readonly deviation: NumberResults = {
    has: (slot) => this.#counts[slot]! > 1,
    // Rounding may leave a tiny negative number, which means zero.
    valueOf: (slot) =>
      Math.sqrt(Math.max(0, this.#squares[slot]!) / (this.#counts[slot]! - 1)) / this.#scaleOf(slot),
  };

  reserve(slots: number): void {
    if (slots <= this.#counts.length) return;
    const room = roomFor(slots, this.#counts.length);
    this.#counts = enlarge(this.#counts, room, this.#memory);
    this.#means = enlarge(this.#means, room, this.#memory);
    this.#rests = enlarge(this.#rests, room, this.#memory);
    this.#squares = enlarge(this.#squares, room, this.#memory);
  }

  add({ values, present }: NumberValues, { count, ends, slots }: Runs): void {
    for (let run = 0, from = 0; run < count; run++) {
      const to = ends[run]!;
      const slot = slots[run]!;
      if (slot !== skipped) {
        if (this.#dense.length < to - from) this.#dense = new Float64Array(to - from);
        const dense = this.#dense;
        let found = 0;
        for (let i = from; i < to; i++) {
          const value = values[i]!;
          if (!Number.isNaN(value) && isPresent(present, i)) dense[found++] = value;
        }
        this.#addRun(slot, found);
      }
      from = to;
    }
  }

  give(): MomentState {
    return {
      counts: this.#counts,
      means: this.#means,
      rests: this.#rests,
      squares: this.#squares,
      scales: this.#scales,
    };
  }

  join({ counts, means, rests, squares, scales }: MomentState, slots: Uint32Array): void {
    for (let i = 0; i < slots.length; i++) {
      const scale = scales.get(i) ?? usual;
      if (counts[i]! > 0)
        this.#joinTo(slots[i]!, counts[i]!, { mean: means[i]!, rest: rests[i]!, square: squares[i]!, scale });
    }
  }

  /** Adds the first numbers of `#dense`. */
  #addRun(slot: number, count: number): void {
    if (count === 0) return;
    if (this.#isMeasured(slot, count, usual)) return;
    const dense = this.#dense;
    let most = 0;
    let isPlain = true;
    for (let i = 0; i < count; i++) {
      most = Math.max(most, Math.abs(dense[i]! - dense[0]!), Math.abs(dense[i]!));
      if (!Number.isFinite(dense[i]!)) isPlain = false;
    }
    const scale = isPlain ? (most < mostEnlarged ? large : small) : usual;
    for (let i = 0; i < count; i++) dense[i]! *= scale;
    this.#isMeasured(slot, count, scale, true);
  }

  /** Adds a run; false, and nothing is added, where its squares are too large or too small, unless they are taken as they are. */
  #isMeasured(slot: number, count: number, scale: number, asTheyAre = false): boolean {
    const dense = this.#dense;
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
    if (isEqual && Number.isFinite(dense[0]!))
      this.#joinTo(slot, count, { mean: dense[0]!, rest: 0, square: 0, scale });
    else if (asTheyAre || (square < Number.POSITIVE_INFINITY && square > leastSquare))
      this.#joinTo(slot, count, { mean, rest: rest / count, square: square - (rest * rest) / count, scale });
    else return false;
    return true;
  }

  /** Joins the moments of other numbers to those of a slot. */
  #joinTo(slot: number, count: number, { mean, rest, square, scale }: Moment): void {
    const before = this.#counts[slot]!;
    if (before === 0) {
      this.#hold(slot, count, { mean, rest, square, scale });
      return;
    }
    const [ownMean, ownRest, ownSquare] = [this.#means[slot]!, this.#rests[slot]!, this.#squares[slot]!];
    const ownScale = this.#scaleOf(slot);
    // That of the larger numbers; where the distance of the means is larger than both are for, the next.
    let common = Math.min(finest(ownMean, ownSquare, ownScale), finest(mean, square, scale));
    for (;;) {
      const [own, other] = [common / ownScale, common / scale];
      const total = before + count;
      const distance = mean * other - ownMean * own + (rest * other - ownRest * own);
      const between = distance * distance * ((before * count) / total);
      const sum = ownSquare * own * own + square * other * other + between;
      if (
        common === small ||
        Number.isFinite(sum) ||
        ![ownMean, ownSquare, mean, square].every(Number.isFinite)
      ) {
        const step = ownRest * own + (distance * count) / total;
        const joined = ownMean * own + step;
        // Of one that is not finite there is no rest; that of a step beyond the mean is of no account.
        const left = step - (joined - ownMean * own);
        this.#hold(slot, total, {
          mean: joined,
          rest: Number.isFinite(left) ? left : 0,
          square: sum,
          scale: common,
        });
        return;
      }
      common = common === large ? usual : small;
    }
  }

  #hold(slot: number, count: number, { mean, rest, square, scale }: Moment): void {
    const isEqual = square === 0 && scale === large;
    this.#counts[slot] = count;
    this.#means[slot] = isEqual ? mean / large : mean;
    this.#rests[slot] = isEqual ? rest / large : rest;
    this.#squares[slot] = square;
    if (isEqual) this.#scales.delete(slot);
    else if (scale !== usual) this.#scales.set(slot, scale);
    else if (this.#scales.size > 0) this.#scales.delete(slot);
  }

  #scaleOf(slot: number): number {
    return this.#scales.get(slot) ?? usual;
  }
}

/** The finest scale for moments that are by `scale`: of equal values nothing says yet how far others are from them. */
function finest(mean: number, square: number, scale: number): number {
  return square === 0 && Math.abs(mean) < mostEnlarged * scale ? large : scale;
}
