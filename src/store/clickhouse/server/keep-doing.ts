import type { StoreLog } from '../../store-log.ts';
import { loggedCause } from './client-errors.ts';

export interface Doing {
  /** What goes wrong, for the log. */
  readonly what: string;
  /** Milliseconds before the first time, and from the end of one to the next. */
  readonly firstMs: number;
  readonly betweenMs: number;
  readonly log: StoreLog;
}

/** Work that goes on until it is closed; that resolves when none is under way. */
export interface Job {
  close(): Promise<void>;
}

/** Does work in the background again and again until it is closed; what fails is told, and done at the next time. */
export function keepDoing(
  work: (signal: AbortSignal) => Promise<unknown>,
  { what, firstMs, betweenMs, log }: Doing,
): Job {
  const ending = new AbortController();
  let running: Promise<void> = Promise.resolve();

  async function once(): Promise<void> {
    try {
      await work(ending.signal);
    } catch (error) {
      if (ending.signal.aborted) return;
      log.warn({ cause: loggedCause(error) }, `could not ${what}`);
    }
    if (!ending.signal.aborted) timer = after(betweenMs);
  }

  function after(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      running = once();
    }, ms).unref();
  }

  let timer = after(firstMs);
  return {
    async close() {
      ending.abort(new Error('the store is closed'));
      clearTimeout(timer);
      await running;
    },
  };
}
