import { isMainThread } from 'node:worker_threads';
import { PitwallError } from '../../errors.ts';
import { took } from '../../turns/long-turns.ts';
import type { Ending, Pace } from '../../turns/pace.ts';
import { nextTurn } from '../../turns/rest.ts';

/** The pace of a query, whose time is limited: asking throws `query_too_slow` when it has had too much. */
export interface QueryPace {
  readonly pace: Pace;
  /** To be called when the client is given rows: until `restart` the thread is not the query's. */
  readonly pause: () => void;
  /**
   * To be called when the client comes back for more than the rows that it was just given. The time is counted anew,
   * and what the client took for them is not in it.
   */
  readonly restart: () => void;
}

/**
 * On the main thread writes that arrive meanwhile wait about this long; on a thread that reads, only the next piece of work
 * does, and whoever ends the read.
 */
const sliceMs = isMainThread ? 2 : 10;

/** How long a query may take where the options of its store do not say. */
export const defaultQueryMs = 120_000;

/** The pace of a read whose time has no limit. */
export function paceReads(signal: Ending): Pace {
  return paceQuery(signal, Number.POSITIVE_INFINITY).pace;
}

/**
 * @param maxMs limits the query's own time before its first rows, and from the rows of one block to the next. Waits for
 * the disk or another server count, waits for the thread do not. Measured to a slice.
 * @param sliceOf milliseconds of a slice
 */
export function paceQuery(signal: Ending, maxMs: number, sliceOf = sliceMs): QueryPace {
  const turnMs = Math.min(sliceOf, maxMs);
  let start = performance.now();
  /** The time of earlier slices, less what of this slice does not count. */
  let spentMs = 0;
  /** From when on the query has the thread without that having been told. */
  let untoldFrom = start;
  return {
    pace() {
      signal.throwIfAborted();
      const tookMs = performance.now() - start;
      if (tookMs < turnMs) return undefined;
      took('query', performance.now() - untoldFrom);
      spentMs += tookMs;
      if (spentMs > maxMs) throw tooSlow(maxMs);
      return nextTurn().then(() => {
        start = performance.now();
        untoldFrom = start;
      });
    },
    pause() {
      took('query', performance.now() - untoldFrom);
    },
    restart() {
      untoldFrom = performance.now();
      spentMs = start - untoldFrom;
    },
  };
}

/** The error of a query whose time is over. */
export function tooSlow(maxMs: number): PitwallError {
  return new PitwallError('query_too_slow', {
    detail: `the query would work for more than ${maxMs / 1000} s without rows to give; ask for less time, fewer streams or parameters, or wider buckets`,
  });
}
