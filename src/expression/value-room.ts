import { PitwallError } from '../errors.ts';

/** Room for the values that functions along streams remember, of all streams of a read together. */
export interface ValueRoom {
  /** Throws `query_too_large` where there is not so much room. */
  take(values: number): void;
}

/** For one stream after another. */
export interface ReusedRoom extends ValueRoom {
  /** All of it is free again. */
  clear(): void;
}

/** @param most values */
export function valueRoom(most: number): ReusedRoom {
  let left = most;
  return {
    clear() {
      left = most;
    },
    take(values) {
      left -= values;
      if (left >= 0) return;
      throw new PitwallError('query_too_large', {
        detail: `calculated parameters would remember more than ${most} values of rows before; ask for fewer streams, narrower windows, or tags with fewer values`,
      });
    },
  };
}

export const unboundedRoom: ValueRoom = { take() {} };

/** What a new state takes, as a number of values. */
export const valuesOfState = 64;
