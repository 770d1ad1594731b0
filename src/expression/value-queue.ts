import { PitwallError } from '../errors.ts';
import { type ValueRoom, valuesOfState } from './value-room.ts';

/** The most values in a window at one time; at 1 kHz as much as a quarter of an hour. */
export const maxWindowValues = 1_000_000;

/** Times and values, the oldest first, in arrays that are used round and round; their length is a power of two. */
export class ValueQueue {
  times = new Float64Array(valuesOfState);
  values = new Float64Array(valuesOfState);
  first = 0;
  length = 0;
  private readonly room: ValueRoom;

  constructor(room: ValueRoom) {
    this.room = room;
  }

  clear(): void {
    this.first = 0;
    this.length = 0;
  }

  /** Forgets what it has and takes the rows [from, to). */
  become(times: Float64Array, values: Float64Array, from: number, to: number): void {
    this.clear();
    while (this.times.length < to - from) this.grow(0, 0);
    this.times.set(times.subarray(from, to));
    this.values.set(values.subarray(from, to));
    this.length = to - from;
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
