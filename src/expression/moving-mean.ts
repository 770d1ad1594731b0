import { setPresent } from '../domain/presence.ts';
import { areFinite, firstWithin } from './rows-within.ts';
import type { RowsAlong, StreamState } from './stream-state.ts';
import { maxWindowValues, ValueQueue } from './value-queue.ts';
import type { ValueRoom } from './value-room.ts';

/**
 * A moving mean adds its window up anew in each cell of so many widths. So its values follow from the rows since the window
 * before a cell, whatever came before: what huge values took from the sum is whole again, and a read may begin there.
 */
const widthsOfCell = 4n;

/** The begin of the cell of a time, nanoseconds since the Unix epoch; of windows of a width in nanoseconds. */
export function beginOfCell(time: bigint, width: number): bigint {
  const cell = widthsOfCell * BigInt(width);
  const into = time % cell;
  return time - (into < 0n ? into + cell : into);
}

// The loops hold what they need in variables of their own: calls for each value would take several times as long.

/**
 * The mean of the values of the last span of time, (t - width, t]; of equal values it is that value. An infinity or NaN counts for as long as it is there. The
 * sum has twice the precision of a double, so that values can be taken out of it again and the order in which they came
 * does not show: D. E. Knuth, The Art of Computer Programming, volume 2, 4.2.2 (the exact error of an addition).
 * It is added up anew at the first row of each cell (`beginOfCell`).
 * Throws `query_too_large` where a window has more than `maxWindowValues` values.
 *
 * @param width nanoseconds
 */
export function movingMean(width: number, room: ValueRoom): MovingMean {
  return new MovingMean(width, room);
}

export class MovingMean implements StreamState {
  readonly #width: number;
  /** The values of the window of the last row. */
  readonly #queue: ValueQueue;
  /** Where the cell of the last row ends; undefined where that is not known. */
  #cellEnd: number | undefined;
  #sum = 0;
  /** What rounding has taken from the sum. */
  #lost = 0;
  /** Values of the window that are no plain numbers. */
  #nans = 0;
  #plus = 0;
  #minus = 0;
  /** How many of its last values are equal, also of those that have left the window; undefined where that is not known. */
  #equal: number | undefined;
  /** Rows that it has taken, from 0 to 15 and again: how they are cut into blocks decides nothing. */
  #phase = 0;

  constructor(width: number, room: ValueRoom) {
    this.#width = width;
    this.#queue = new ValueQueue(room);
  }

  nextAll(rows: RowsAlong, out: Float64Array, present: Uint8Array): number {
    const { from, to } = rows;
    const first = firstWithin(rows, this.#width);
    this.#byQueue(rows, from, first, out);
    if (first < to) {
      if (this.#nans + this.#plus + this.#minus === 0 && areFinite(rows)) this.#withinRows(rows, first, out);
      else this.#byQueue(rows, first, to, out);
    }
    setPresent(present, from, to);
    return to - from;
  }

  /** The mean of the window (time - width, time], of a time that no row that it has taken is behind; NaN where it is empty. */
  meanAt(time: number): number {
    const { times, values } = this.#queue;
    let { first, length } = this.#queue;
    const last = times.length - 1;
    let [high, low] = [this.#sum, this.#lost];
    for (const begin = time - this.#width; length > 0 && times[first]! <= begin; length--) {
      const left = values[first]!;
      first = (first + 1) & last;
      if (left - left !== 0) {
        this.#count(left, -1);
        continue;
      }
      const next = high - left;
      const own = next - high;
      low += high - (next - own) + (-left - own);
      high = next;
    }
    if (length === 0) high = low = 0;
    [this.#sum, this.#lost] = [high, low];
    this.#queue.first = first;
    this.#queue.length = length;
    this.#equal ??= equalAtEnd(values, first, length);
    if (length > 0 && this.#equal >= length) return values[first]!;
    return this.#nans + this.#plus + this.#minus > 0 ? this.#notFinite() : (high + low) / length;
  }

  moveOrigin(by: number): void {
    this.#cellEnd = undefined;
    this.#queue.moveOrigin(by);
  }

  size(): number {
    return ownNumbers + 2 * this.#queue.length;
  }

  save(): number[] {
    const numbers = [this.#sum, this.#lost, this.#nans, this.#plus, this.#minus, this.#phase];
    return [...numbers, ...this.#queue.save()];
  }

  restore(saved: readonly number[]): void {
    [this.#sum, this.#lost, this.#nans, this.#plus, this.#minus, this.#phase] = saved as SavedNumbers;
    this.#queue.restore(saved.slice(ownNumbers));
    this.#cellEnd = undefined;
    this.#equal = undefined;
  }

  #count(value: number, by: 1 | -1): void {
    if (Number.isNaN(value)) this.#nans += by;
    else if (value > 0) this.#plus += by;
    else this.#minus += by;
  }

  #endOfCell(base: bigint, time: number): number {
    // What was restored may come from anybody.
    if (!Number.isInteger(time)) return Number.POSITIVE_INFINITY;
    const begin = beginOfCell(base + BigInt(time), this.#width);
    return Number(begin + widthsOfCell * BigInt(this.#width) - base);
  }

  /** Of a window with values that are no plain numbers. */
  #notFinite(): number {
    if (this.#nans > 0 || (this.#plus > 0 && this.#minus > 0)) return Number.NaN;
    return this.#plus > 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  }

  /** The rows [from, to) by the queue, which has the window of the row before them. */
  #byQueue({ base, times, values }: RowsAlong, from: number, to: number, out: Float64Array): void {
    let { times: ringTimes, values: ringValues, first, length } = this.#queue;
    let last = ringTimes.length - 1;
    const width = this.#width;
    let [high, low] = [this.#sum, this.#lost];
    let end =
      this.#cellEnd ??
      this.#endOfCell(base, length === 0 ? times[from]! : ringTimes[(first + length - 1) & last]!);
    let shift = this.#phase - from;
    let hasOdd = this.#nans + this.#plus + this.#minus > 0;
    let equal = this.#equal ?? equalAtEnd(ringValues, first, length);
    let lastValue = length === 0 ? Number.NaN : ringValues[(first + length - 1) & last]!;
    for (let row = from; row < to; row++) {
      const time = times[row]!;
      const value = values[row]!;
      const begin = time - width;
      while (length > 0 && ringTimes[first]! <= begin) {
        const left = ringValues[first]!;
        first = (first + 1) & last;
        length--;
        if (left - left !== 0) {
          this.#count(left, -1);
          hasOdd = this.#nans + this.#plus + this.#minus > 0;
          continue;
        }
        const next = high - left;
        const own = next - high;
        low += high - (next - own) + (-left - own);
        high = next;
      }
      if (length === 0) high = low = 0;
      if (time >= end) {
        [high, low] = addedUp(ringValues, first, length);
        shift = -row;
        end = this.#endOfCell(base, time);
      }
      if (length > last || length === maxWindowValues) {
        this.#queue.grow(first, length);
        ({ times: ringTimes, values: ringValues, first } = this.#queue);
        last = ringTimes.length - 1;
      }
      const at = (first + length++) & last;
      ringTimes[at] = time;
      ringValues[at] = value;
      equal = value === lastValue ? equal + 1 : 1;
      lastValue = value;
      if (value - value === 0) {
        const next = high + value;
        const own = next - high;
        low += high - (next - own) + (value - own);
        high = next;
      } else {
        this.#count(value, 1);
        hasOdd = true;
      }
      // What is lost stays small beside the sum where it is put together now and then: each time would take twice as long.
      if (((row + shift) & 15) === 0) {
        const whole = high + low;
        low -= whole - high;
        high = whole;
      }
      if (equal >= length) out[row] = value;
      else out[row] = hasOdd ? this.#notFinite() : (high + low) / length;
    }
    this.#sum = high;
    this.#lost = low;
    this.#phase = (to + shift) & 15;
    this.#cellEnd = end;
    this.#equal = equal;
    this.#queue.first = first;
    this.#queue.length = length;
  }

  /**
   * The rows [first, to) without the queue, which has the window of the row before them: the same sums in the same order.
   * From that window on all values are among these rows, and finite.
   */
  #withinRows({ base, to, times, values }: RowsAlong, first: number, out: Float64Array): void {
    let begin = first - this.#queue.length;
    const width = this.#width;
    let [high, low] = [this.#sum, this.#lost];
    let end = this.#cellEnd!;
    let shift = this.#phase - first;
    /** Where the values begin that are equal to the last one. */
    let equal = first - (this.#equal ?? equalAtEnd(values, begin, first - begin));
    for (let row = first; row < to; row++) {
      const time = times[row]!;
      const before = time - width;
      while (times[begin]! <= before) {
        const left = values[begin++]!;
        const next = high - left;
        const own = next - high;
        low += high - (next - own) + (-left - own);
        high = next;
      }
      if (begin === row) high = low = 0;
      if (time >= end) {
        [high, low] = addedUp(values.subarray(begin, row), 0, row - begin);
        shift = -row;
        end = this.#endOfCell(base, time);
      }
      const value = values[row]!;
      if (row === 0 || value !== values[row - 1]) equal = row;
      const next = high + value;
      const own = next - high;
      low += high - (next - own) + (value - own);
      high = next;
      if (((row + shift) & 15) === 0) {
        const whole = high + low;
        low -= whole - high;
        high = whole;
      }
      out[row] = equal <= begin ? value : (high + low) / (row - begin + 1);
    }
    this.#sum = high;
    this.#lost = low;
    this.#phase = (to + shift) & 15;
    this.#cellEnd = end;
    this.#equal = to - equal;
    this.#queue.become(times, values, begin, to);
  }
}

/** Numbers that are saved before those of the queue. */
const ownNumbers = 6;
type SavedNumbers = [number, number, number, number, number, number];

/** How many values at the end of a ring are equal to the last one. */
function equalAtEnd(ring: Float64Array, first: number, length: number): number {
  const at = (place: number): number => ring[(first + place) % ring.length]!;
  let equal = 0;
  while (equal < length && at(length - 1 - equal) === at(length - 1)) equal++;
  return equal;
}

/** The sum of the plain numbers in a ring, and what was lost of it. */
function addedUp(ring: Float64Array, first: number, length: number): [sum: number, lost: number] {
  let high = 0;
  let low = 0;
  for (let i = 0; i < length; i++) {
    const at = first + i;
    const value = ring[at < ring.length ? at : at - ring.length]!;
    if (value - value !== 0) continue;
    const next = high + value;
    const own = next - high;
    low += high - (next - own) + (value - own);
    high = next;
  }
  return [high, low];
}
