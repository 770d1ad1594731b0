import { setPresent } from '../domain/presence.ts';
import { areFinite, firstWithin } from './rows-within.ts';
import type { RowsAlong, StreamState } from './stream-state.ts';
import { maxWindowValues, ValueQueue } from './value-queue.ts';
import type { ValueRoom } from './value-room.ts';
import { windowExtremes } from './window-extremes.ts';

/**
 * The smallest value (`sign` 1) or the largest one (-1) of the last span of time, (t - width, t]; NaN for as long as one is in
 * it. Windows that lie within the rows of one call are looked at together where they can be; for the others a queue keeps
 * the values that no later one outdoes. Throws like `movingMean`.
 *
 * @param width nanoseconds
 */
export function movingExtreme(width: number, sign: 1 | -1, room: ValueRoom): StreamState {
  /** Each value with the sign, so that the smallest is wanted. */
  const queue = new ValueQueue(room);
  let nanTime = Number.NEGATIVE_INFINITY;

  /** The rows [from, to) by the queue, which has seen those before; without `out` it only takes them in. */
  function takeIn(
    { times, values }: RowsAlong,
    from: number,
    to: number,
    out: Float64Array | undefined,
  ): void {
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
      if (out !== undefined) out[row] = timeOfNan > before ? Number.NaN : sign * smallest;
    }
    nanTime = timeOfNan;
    queue.first = begin & last;
    queue.length = end - begin;
  }

  return {
    nextAll(rows: RowsAlong, out: Float64Array, present: Uint8Array) {
      const { from, to, times } = rows;
      const first = firstWithin(rows, width);
      takeIn(rows, from, first, out);
      if (first < to) {
        if (areFinite(rows)) {
          windowExtremes(rows, first, width, sign, out);
          let begin = to;
          while (times[begin - 1]! > times[to - 1]! - width) begin--;
          queue.clear();
          takeIn(rows, begin, to, undefined);
        } else takeIn(rows, first, to, out);
      }
      setPresent(present, from, to);
      return to - from;
    },
    moveOrigin(by) {
      nanTime -= by;
      queue.moveOrigin(by);
    },
    size: () => 1 + 2 * queue.length,
    save: () => [nanTime, ...queue.save()],
    restore(saved) {
      nanTime = saved[0]!;
      queue.restore(saved.slice(1));
    },
  };
}
