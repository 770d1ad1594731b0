import { PitwallError } from '../errors.ts';

/**
 * Gives up what comes too slowly: in every span of `graceMs` a body or message has to bring as many bytes as the least
 * rate makes of that time. So nobody holds memory with a body that never ends, however fast it began.
 */
export interface LeastRate {
  /** How often `tick` is to come, in milliseconds. */
  readonly tickMs: number;
  /** Counts one tick. That ticks are late where the thread was busy is to nobody's harm. */
  tick(): void;
  /** Begins to watch; `onSlow` gets the error (`request_timeout`, 408), once, and the watch is over. */
  watch(onSlow: (error: PitwallError) => void): Watch;
}

/** One body or message that is under way. */
export interface Watch {
  arrived(bytes: number): void;
  /** Nobody reads it for now, so that nothing comes is no fault of the client. */
  pause(): void;
  resume(): void;
  end(): void;
}

export interface LeastRateOptions {
  readonly bytesPerSecond: number;
  readonly graceMs: number;
  /** Something was given up. */
  readonly onSlow: () => void;
}

interface Watched {
  readonly giveUp: (error: PitwallError) => void;
  bytes: number;
  /** Of the span that goes on. */
  ms: number;
}

export function createLeastRate({ bytesPerSecond, graceMs, onSlow }: LeastRateOptions): LeastRate {
  const tickMs = Math.min(1000, Math.ceil(graceMs / 10));
  const least = (bytesPerSecond * graceMs) / 1000;
  const watched = new Set<Watched>();

  const look = (one: Watched): void => {
    one.ms += tickMs;
    if (one.ms < graceMs) return;
    if (one.bytes < least) {
      watched.delete(one);
      onSlow();
      one.giveUp(tooSlow(bytesPerSecond, graceMs));
      return;
    }
    one.bytes = 0;
    one.ms = 0;
  };

  return {
    tickMs,

    tick() {
      for (const one of watched) look(one);
    },

    watch(giveUp) {
      let isOver = false;
      const one: Watched = {
        giveUp(error) {
          isOver = true;
          giveUp(error);
        },
        bytes: 0,
        ms: 0,
      };
      watched.add(one);
      return {
        arrived(bytes) {
          one.bytes += bytes;
        },
        pause() {
          watched.delete(one);
        },
        resume() {
          if (!isOver) watched.add(one);
        },
        end() {
          isOver = true;
          watched.delete(one);
        },
      };
    },
  };
}

function tooSlow(bytesPerSecond: number, graceMs: number): PitwallError {
  return new PitwallError('request_timeout', {
    detail: `the body comes too slowly: it must bring ${bytesPerSecond} bytes a second, over any ${graceMs / 1000} s`,
  });
}
