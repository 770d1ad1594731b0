import type { ComponentChildren } from 'preact';
import { isReachable } from '../session.ts';
import { tries } from './loading.ts';
import { problemText } from './problem-text.ts';

/**
 * Something could not be done, and a way to try it again. That there is no service is said once, by the banner, and where
 * `isAll`, for there is nothing else to see: what is loaded is asked for again when the service is back. Where that is
 * false, what is seen is said to be from before.
 */
export function Problem({ error, onRetry, isAll }: { error: Error; onRetry?: () => void; isAll?: boolean }) {
  if (isAway(error))
    return isAll ? <p class="soft">The service is away. What belongs here comes when it is back.</p> : null;
  return (
    <div class="notice problem" role="alert">
      <p>{problemText(error)}</p>
      {isAll === false && <p>What you see here is from before.</p>}
      {onRetry && (
        <button
          type="button"
          onClick={() => {
            onRetry();
            tries.value++;
          }}
        >
          Try again
        </button>
      )}
    </div>
  );
}

/**
 * What is wrong is said in place of what is seen, for that may be the answer to another question. Where the service is
 * merely away, what was there before stays, if there is anything: the banner tells what it is.
 */
export function replacing(error: Error | undefined, isSeen: boolean): Error | undefined {
  return isSeen && error !== undefined && isAway(error) ? undefined : error;
}

function isAway(error: Error): boolean {
  return error instanceof TypeError && !isReachable.value;
}

/** Says that the service is away, for as long as it is; the page asks for it by itself. */
export function AwayBanner() {
  return (
    <div role="status" class={isReachable.value ? '' : 'banner'}>
      {!isReachable.value && 'The service cannot be reached. What you see is from before; trying again…'}
    </div>
  );
}

/** There is nothing, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="notice">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
