import { setPresent } from '../domain/presence.ts';
import { PitwallError } from '../errors.ts';
import type { RowsAlong, StreamState } from './stream-state.ts';
import { type ValueRoom, valuesOfState } from './value-room.ts';

/** The values of one window at one time; at 1 kHz as much as a quarter of an hour. */
export const maxWindowValues = 1_000_000;

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
 * The mean of the values of the last span of time, (t - width, t]; an infinity or NaN counts for as long as it is there. The
 * sum has twice the precision of a double, so that values can be taken out of it again and the order in which they came
 * does not show: D. E. Knuth, The Art of Computer Programming, volume 2, 4.2.2 (the exact error of an addition).
 * It is added up anew at the first row of each cell (`beginOfCell`).
 * Throws `query_too_large` where a window has more than `maxWindowValues` values.
 *
 * @param width nanoseconds
 */
export function movingMean(width: number, room: ValueRoom): StreamState {
  const queue = new ValueQueue(room);
  /** Where the cell of the last row ends; undefined where that is not known. */
  let cellEnd: number | undefined;
  let sum = 0;
  let lost = 0;
  let nans = 0;
  let plus = 0;
  let minus = 0;
  /** Rows that it has taken, from 0 to 15 and again: how they are cut into blocks decides nothing. */
  let phase = 0;

  function count(value: number, by: 1 | -1): void {
    if (Number.isNaN(value)) nans += by;
    else if (value > 0) plus += by;
    else minus += by;
  }

  function endOfCell(base: bigint, time: number): number {
    // What was restored may come from anybody.
    if (!Number.isInteger(time)) return Number.POSITIVE_INFINITY;
    const begin = beginOfCell(base + BigInt(time), width);
    return Number(begin + widthsOfCell * BigInt(width) - base);
  }

  /** Of a window with values that are no plain numbers. */
  function notFinite(): number {
    if (nans > 0 || (plus > 0 && minus > 0)) return Number.NaN;
    return plus > 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  }

  return {
    nextAll({ from, to, base, times, values }: RowsAlong, out: Float64Array, present: Uint8Array) {
      let { times: ringTimes, values: ringValues, first, length } = queue;
      let last = ringTimes.length - 1;
      let [high, low] = [sum, lost];
      let end =
        cellEnd ?? endOfCell(base, length === 0 ? times[from]! : ringTimes[(first + length - 1) & last]!);
      let hasOdd = nans + plus + minus > 0;
      let shift = phase - from;
      for (let row = from; row < to; row++) {
        const time = times[row]!;
        const value = values[row]!;
        const begin = time - width;
        while (length > 0 && ringTimes[first]! <= begin) {
          const left = ringValues[first]!;
          first = (first + 1) & last;
          length--;
          if (left - left !== 0) {
            count(left, -1);
            hasOdd = nans + plus + minus > 0;
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
          end = endOfCell(base, time);
        }
        if (length > last || length === maxWindowValues) {
          queue.grow(first, length);
          ({ times: ringTimes, values: ringValues, first } = queue);
          last = ringTimes.length - 1;
        }
        const at = (first + length++) & last;
        ringTimes[at] = time;
        ringValues[at] = value;
        if (value - value === 0) {
          const next = high + value;
          const own = next - high;
          low += high - (next - own) + (value - own);
          high = next;
        } else {
          count(value, 1);
          hasOdd = true;
        }
        // What is lost stays small beside the sum where it is put together now and then: each time would take twice as long.
        if (((row + shift) & 15) === 0) {
          const whole = high + low;
          low -= whole - high;
          high = whole;
        }
        out[row] = hasOdd ? notFinite() : (high + low) / length;
      }
      sum = high;
      lost = low;
      phase = (to + shift) & 15;
      cellEnd = end;
      queue.first = first;
      queue.length = length;
      setPresent(present, from, to);
      return to - from;
    },
    moveOrigin(by) {
      cellEnd = undefined;
      queue.moveOrigin(by);
    },
    get size() {
      return 6 + 2 * queue.length;
    },
    save: () => [sum, lost, nans, plus, minus, phase, ...queue.save()],
    restore(saved) {
      [sum, lost, nans, plus, minus, phase] = saved as [number, number, number, number, number, number];
      queue.restore(saved.slice(6));
      cellEnd = undefined;
    },
  };
}

/** The sum of the plain numbers in a ring, and what was lost of it. */
function addedUp(ring: Float64Array, first: number, length: number): [sum: number, lost: number] {
  let high = 0;
  let low = 0;
  for (let i = 0; i < length; i++) {
    const value = ring[(first + i) & (ring.length - 1)]!;
    if (value - value !== 0) continue;
    const next = high + value;
    const own = next - high;
    low += high - (next - own) + (value - own);
    high = next;
  }
  return [high, low];
}

/**
 * The smallest value (`sign` 1) or the largest one (-1) of the last span of time; NaN for as long as one is in it. Values that a
 * later one outdoes are not kept. Throws like `movingMean`.
 */
export function movingExtreme(width: number, sign: 1 | -1, room: ValueRoom): StreamState {
  /** Each value with the sign, so that the smallest is wanted. */
  const queue = new ValueQueue(room);
  let nanTime = Number.NEGATIVE_INFINITY;
  return {
    nextAll({ from, to, times, values }: RowsAlong, out: Float64Array, present: Uint8Array) {
      let { times: ringTimes, values: ringValues } = queue;
      let last = ringTimes.length - 1;
      let begin = queue.first;
      let end = begin + queue.length;
      // The oldest value is the smallest: each one that is kept is smaller than those after it.
      let oldest = begin < end ? ringTimes[begin]! : Number.POSITIVE_INFINITY;
      let smallest = ringValues[begin]!;
      let timeOfNan = nanTime;
      for (let row = from; row < to; row++) {
        const time = times[row]!;
        const value = sign * values[row]!;
        const before = time - width;
        while (oldest <= before) {
          begin++;
          oldest = begin < end ? ringTimes[begin & last]! : Number.POSITIVE_INFINITY;
          smallest = ringValues[begin & last]!;
        }
        if (Number.isNaN(value)) timeOfNan = time;
        else {
          if (begin === end || value <= smallest) {
            end = begin;
            oldest = time;
            smallest = value;
          } else while (ringValues[(end - 1) & last]! >= value) end--;
          if (end - begin > last || end - begin === maxWindowValues) {
            queue.grow(begin & last, end - begin);
            ({ times: ringTimes, values: ringValues } = queue);
            [begin, end] = [0, end - begin];
            last = ringTimes.length - 1;
          }
          ringTimes[end & last] = time;
          ringValues[end & last] = value;
          end++;
        }
        out[row] = timeOfNan > before ? Number.NaN : sign * smallest;
      }
      nanTime = timeOfNan;
      queue.first = begin & last;
      queue.length = end - begin;
      setPresent(present, from, to);
      return to - from;
    },
    moveOrigin(by) {
      nanTime -= by;
      queue.moveOrigin(by);
    },
    get size() {
      return 1 + 2 * queue.length;
    },
    save: () => [nanTime, ...queue.save()],
    restore(saved) {
      nanTime = saved[0]!;
      queue.restore(saved.slice(1));
    },
  };
}

/** Times and values, the oldest first, in arrays that are used round and round; their length is a power of two. */
class ValueQueue {
  times = new Float64Array(valuesOfState);
  values = new Float64Array(valuesOfState);
  first = 0;
  length = 0;
  private readonly room: ValueRoom;

  constructor(room: ValueRoom) {
    this.room = room;
  }

  /** Makes room for more than the values at hand. */
  grow(first: number, length: number): void {
    if (length === maxWindowValues) {
      const detail = `a window of a calculated parameter has more than ${maxWindowValues} values; make it narrower`;
      throw new PitwallError('query_too_large', { detail });
    }
    this.room.take(this.times.length);
    this.times = unrolled(this.times, first);
    this.values = unrolled(this.values, first);
    this.first = 0;
  }

  /** Its times, then its values. */
  save(): number[] {
    const order = Array.from({ length: this.length }, (_, i) => (this.first + i) & (this.times.length - 1));
    return [...order.map((at) => this.times[at]!), ...order.map((at) => this.values[at]!)];
  }

  restore(saved: readonly number[]): void {
    this.first = 0;
    this.length = 0;
    if (saved.length === 0 && this.times.length > valuesOfState) {
      this.times = new Float64Array(valuesOfState);
      this.values = new Float64Array(valuesOfState);
    }
    while (this.times.length < saved.length / 2) this.grow(0, 0);
    this.length = saved.length / 2;
    this.times.set(saved.slice(0, this.length));
    this.values.set(saved.slice(this.length));
  }

  moveOrigin(by: number): void {
    for (let i = 0; i < this.times.length; i++) this.times[i]! -= by;
  }
}

function unrolled(ring: Float64Array, first: number): Float64Array<ArrayBuffer> {
  const wider = new Float64Array(2 * ring.length);
  wider.set(ring.subarray(first));
  wider.set(ring.subarray(0, first), ring.length - first);
  return wider;
}
