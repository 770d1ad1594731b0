import { PitwallError } from '../errors.ts';

/**
 * Keeps long reads from holding up everything else on the thread: a read asks between small steps, and waits for
 * one turn of the event loop whenever it has had the thread for `sliceMs`. Asking also ends a read whose client has
 * left: it throws the signal's reason.
 */
export type Pace = () => Promise<void> | undefined;

/** The pace of a query, whose time is limited: asking throws `query_too_slow` when it has had too much. */
export interface QueryPace {
  readonly pace: Pace;
  /**
   * To be called when the client comes back for more than the rows that it was just given. The time is counted anew,
   * and what the client took for them is not in it.
   */
  readonly restart: () => void;
}

/** Writes that arrive meanwhile wait about this long. */
const sliceMs = 10;

/** How long a query may take where its store is opened without saying. */
export const usualQueryMs = 120_000;

/** The pace of what nobody waits for, or may take as long as it likes. */
export function paceReads(signal: AbortSignal): Pace {
  return paceQuery(signal, Number.POSITIVE_INFINITY).pace;
}

/**
 * @param mostMs of the query's own time before its first rows and from some to the next, waits for the disk or another
 * server included, waits for its turn on the thread left out; known to a slice
 */
export function paceQuery(signal: AbortSignal, mostMs: number): QueryPace {
  const longestMs = Math.min(sliceMs, mostMs);
  let start = performance.now();
  /** Of the slices before this one. What of this one does not count is taken off beforehand. */
  let spentMs = 0;
  return {
    pace() {
      signal.throwIfAborted();
      const tookMs = performance.now() - start;
      if (tookMs < longestMs) return undefined;
      spentMs += tookMs;
      if (spentMs > mostMs) throw tooSlow(mostMs);
      return new Promise((resolve) => {
        setImmediate(() => {
          start = performance.now();
          resolve();
        });
      });
    },
    restart() {
      spentMs = start - performance.now();
    },
  };
}

/** What a query ends with that had its time. */
export function tooSlow(mostMs: number): PitwallError {
  return new PitwallError('query_too_slow', {
    detail: `the query would work for more than ${mostMs / 1000} s without rows to give; ask for less time, fewer streams or parameters, or wider buckets`,
  });
}
