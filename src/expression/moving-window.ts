import { PitwallError } from '../errors.ts';
import { DoubleDoubleSum } from './double-double.ts';
import { unboundedRoom, type ValueRoom, valuesOfState } from './value-room.ts';

/** The values of one window at one time; at 1 kHz as much as a quarter of an hour. */
export const maxWindowValues = 1_000_000;

/** The values of the last span of time, (t - width, t], and what is asked of them. */
export interface MovingWindow {
  /**
   * Takes the value of a row and gives what the window is with it. Times ascend or stay.
   * @param time nanoseconds since the origin
   * Throws `query_too_large` where a window has more than `maxWindowValues` values.
   */
  next(time: number, value: number): number;
  /** Moves the origin of times forward by so many nanoseconds. */
  moveOrigin(by: number): void;
}

/** The mean; an infinity or NaN counts for as long as it is in the window. */
export function movingMean(width: number, room: ValueRoom = unboundedRoom): MovingWindow {
  const values = valueQueue(room);
  const sum = new DoubleDoubleSum();
  let nans = 0;
  let plus = 0;
  let minus = 0;

  function count(value: number, by: 1 | -1): void {
    if (Number.isNaN(value)) nans += by;
    else if (value === Number.POSITIVE_INFINITY) plus += by;
    else if (value === Number.NEGATIVE_INFINITY) minus += by;
    else sum.add(by * value);
  }

  return {
    next(time, value) {
      while (values.count > 0 && values.firstTime <= time - width) count(values.shift(), -1);
      if (values.count === 0) sum.clear();
      values.push(time, value);
      count(value, 1);
      if (nans > 0 || (plus > 0 && minus > 0)) return Number.NaN;
      if (plus > 0) return Number.POSITIVE_INFINITY;
      if (minus > 0) return Number.NEGATIVE_INFINITY;
      return sum.value / values.count;
    },
    moveOrigin: values.moveOrigin,
  };
}

/**
 * The smallest value (`sign` 1) or the largest one (-1); NaN for as long as one is in the window. Values that a
 * later one outdoes are not kept.
 */
export function movingExtreme(width: number, sign: 1 | -1, room: ValueRoom = unboundedRoom): MovingWindow {
  const values = valueQueue(room);
  let nanTime = Number.NEGATIVE_INFINITY;
  return {
    next(time, value) {
      const begin = time - width;
      while (values.count > 0 && values.firstTime <= begin) values.shift();
      if (Number.isNaN(value)) nanTime = time;
      else {
        while (values.count > 0 && sign * values.lastValue >= sign * value) values.pop();
        values.push(time, value);
      }
      return nanTime > begin ? Number.NaN : values.firstValue;
    },
    moveOrigin(by) {
      nanTime -= by;
      values.moveOrigin(by);
    },
  };
}

/** Times and values, the oldest first, in arrays that are used round and round. */
function valueQueue(room: ValueRoom) {
  let times = new Float64Array(valuesOfState);
  let values = new Float64Array(valuesOfState);
  let first = 0;
  let count = 0;

  function grow(): void {
    if (count === maxWindowValues) {
      const detail = `a window of a calculated parameter has more than ${maxWindowValues} values; make it narrower`;
      throw new PitwallError('query_too_large', { detail });
    }
    room.take(times.length);
    times = unrolled(times);
    values = unrolled(values);
    first = 0;
  }

  function unrolled(ring: Float64Array): Float64Array<ArrayBuffer> {
    const wider = new Float64Array(2 * ring.length);
    wider.set(ring.subarray(first));
    wider.set(ring.subarray(0, first), ring.length - first);
    return wider;
  }

  return {
    get count() {
      return count;
    },
    get firstTime() {
      return times[first]!;
    },
    get firstValue() {
      return values[first]!;
    },
    get lastValue() {
      return values[(first + count - 1) & (values.length - 1)]!;
    },
    push(time: number, value: number): void {
      if (count === times.length || count === maxWindowValues) grow();
      const at = (first + count++) & (times.length - 1);
      times[at] = time;
      values[at] = value;
    },
    shift(): number {
      const value = values[first]!;
      first = (first + 1) & (values.length - 1);
      count--;
      return value;
    },
    pop(): void {
      count--;
    },
    moveOrigin(by: number): void {
      for (let i = 0; i < times.length; i++) times[i]! -= by;
    },
  };
}
