import { withDefaults } from './with-defaults.ts';

/** How often and how long to try again. */
export interface Retry {
  /** The maximum number of times that a request is sent; 1 means that it is never repeated. */
  readonly attempts: number;
  /** Milliseconds before the second attempt; they double from one to the next. */
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
}

export const defaultRetry: Retry = { attempts: 5, firstDelayMs: 100, longestDelayMs: 10_000 };

/** What is asked for over the defaults. Throws a RangeError for what would be tried for ever, or without a pause. */
export function retryOf(defaults: Retry, asked: Partial<Retry> | undefined): Retry {
  const retry = withDefaults(defaults, asked);
  for (const name of ['attempts', 'firstDelayMs', 'longestDelayMs'] as const)
    if (!(retry[name] >= 0)) throw new RangeError(`retry.${name} is a number from 0, not ${retry[name]}`);
  return retry;
}

/**
 * Milliseconds to wait before attempt `attempt` (from 1, the first repetition): a random time up to a bound that doubles,
 * so that clients that failed together do not come back together; never less than what the service asked for.
 */
export function backoff(retry: Retry, attempt: number, askedSeconds = 0, random = Math.random): number {
  const bound = Math.min(retry.longestDelayMs, retry.firstDelayMs * 2 ** (attempt - 1));
  return Math.max(askedSeconds * 1000, random() * bound);
}

/** The longest time of a timer: with a longer one it would end at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** Resolves after the time; rejects with the signal's reason when that aborts. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      },
      Math.min(milliseconds, longestTimerMs),
    );
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
