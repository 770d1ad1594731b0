import { setPresent } from '../domain/presence.ts';
import { areFinite, firstWithin } from './rows-within.ts';
import type { RowsAlong, StreamState } from './stream-state.ts';
import { maxWindowValues, ValueQueue } from './value-queue.ts';
import type { ValueRoom } from './value-room.ts';

// The loops hold what they need in variables of their own: calls for each value would take several times as long.

/**
 * The mean of the values of the last span of time, (t - width, t]; an infinity or NaN counts for as long as it is there. The
 * sum has twice the precision of a double, so that values can be taken out of it again and the order in which they came
 * does not show: D. E. Knuth, The Art of Computer Programming, volume 2, 4.2.2 (the exact error of an addition).
 * Throws `query_too_large` where a window has more than `maxWindowValues` values.
 *
 * @param width nanoseconds
 */
export function movingMean(width: number, room: ValueRoom): StreamState {
  const queue = new ValueQueue(room);
  let sum = 0;
  let lost = 0;
  let nans = 0;
  let plus = 0;
  let minus = 0;

  function count(value: number, by: 1 | -1): void {
    if (Number.isNaN(value)) nans += by;
    else if (value > 0) plus += by;
    else minus += by;
  }

  /** Of a window with values that are no plain numbers. */
  function notFinite(): number {
    if (nans > 0 || (plus > 0 && minus > 0)) return Number.NaN;
    return plus > 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  }

  /** The rows [from, to) by the queue, which has the window of the row before them. */
  function byQueue({ times, values }: RowsAlong, from: number, to: number, out: Float64Array): void {
    let { times: ringTimes, values: ringValues, first, length } = queue;
    let last = ringTimes.length - 1;
    let [high, low] = [sum, lost];
    let hasOdd = nans + plus + minus > 0;
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
      if ((row & 15) === 0) {
        const whole = high + low;
        low -= whole - high;
        high = whole;
      }
      out[row] = hasOdd ? notFinite() : (high + low) / length;
    }
    sum = high + low;
    lost = low - (sum - high);
    queue.first = first;
    queue.length = length;
  }

  /**
   * The rows [first, to) without the queue, which has the window of the row before them: the same sums in the same order.
   * From that window on all values are among these rows, and finite.
   */
  function withinRows({ to, times, values }: RowsAlong, first: number, out: Float64Array): void {
    let begin = first - queue.length;
    let [high, low] = [sum, lost];
    for (let row = first; row < to; row++) {
      const before = times[row]! - width;
      while (times[begin]! <= before) {
        const left = values[begin++]!;
        const next = high - left;
        const own = next - high;
        low += high - (next - own) + (-left - own);
        high = next;
      }
      if (begin === row) high = low = 0;
      const value = values[row]!;
      const next = high + value;
      const own = next - high;
      low += high - (next - own) + (value - own);
      high = next;
      if ((row & 15) === 0) {
        const whole = high + low;
        low -= whole - high;
        high = whole;
      }
      out[row] = (high + low) / (row - begin + 1);
    }
    sum = high + low;
    lost = low - (sum - high);
    queue.become(times, values, begin, to);
  }

  return {
    nextAll(rows: RowsAlong, out: Float64Array, present: Uint8Array) {
      const { from, to } = rows;
      const first = firstWithin(rows, width);
      byQueue(rows, from, first, out);
      if (first < to) {
        if (nans + plus + minus === 0 && areFinite(rows)) withinRows(rows, first, out);
        else byQueue(rows, first, to, out);
      }
      setPresent(present, from, to);
      return to - from;
    },
    moveOrigin: (by) => queue.moveOrigin(by),
    save: () => [sum, lost, nans, plus, minus, ...queue.save()],
    restore(saved) {
      [sum, lost, nans, plus, minus] = saved as [number, number, number, number, number];
      queue.restore(saved.slice(5));
    },
  };
}
