import { PitwallError } from '../errors.ts';

/**
 * The memory that all requests in flight may hold together: bodies as they came, and answers being collected.
 * It bounds the service by configuration rather than by luck.
 */
export interface ByteBudget {
  /** Starts a request's share, empty. `onRefused` is called whenever it may not take more. */
  open(onRefused?: () => void): Reservation;
  readonly used: number;
}

/** One request's share of the budget. */
export interface Reservation {
  /** Takes more bytes, or throws `overloaded` (503), or `bad_request` (400) after the end. */
  take(bytes: number): void;
  /** Gives everything back. May be called again. */
  release(): void;
  /** Gives everything back, and refuses `take` from now on: the client has left, so nobody would give it back. */
  end(): void;
}

export function createByteBudget(limitBytes: number): ByteBudget {
  let used = 0;
  return {
    get used() {
      return used;
    },
    open(onRefused) {
      let held = 0;
      let ended = false;
      const release = (): void => {
        used -= held;
        held = 0;
      };
      return {
        take(bytes) {
          if (ended) throw new PitwallError('bad_request', { detail: 'the client left' });
          if (used + bytes > limitBytes) {
            onRefused?.();
            throw new PitwallError('overloaded', { detail: 'too many bytes are in flight; try again soon' });
          }
          used += bytes;
          held += bytes;
        },
        release,
        end() {
          ended = true;
          release();
        },
      };
    },
  };
}
