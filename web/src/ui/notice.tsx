import type { ComponentChildren } from 'preact';
import { isReachable, takeWarning, warning } from '../session.ts';
import { problemText } from './problem-text.ts';

/** Something could not be done, and a way to try it again. That there is no service is said once, by the banner. */
export function Problem({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  if (error instanceof TypeError && !isReachable.value) return null;
  return (
    <div class="notice problem" role="alert">
      <p>{problemText(error)}</p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Says that the service is away, for as long as it is; the page asks for it by itself. */
export function AwayBanner() {
  return (
    <div role="status" class={isReachable.value ? '' : 'banner'}>
      {!isReachable.value && 'The service cannot be reached. What you see is from before; trying again…'}
    </div>
  );
}

/** What the service takes for a mistake, as a channel that no run has: until one has read it. */
export function WarningNote() {
  return (
    <div role="status" class={warning.value === '' ? '' : 'warning-note'}>
      {warning.value !== '' && (
        <>
          <span>{warning.value}</span>
          <button type="button" aria-label="Hide this warning" onClick={takeWarning}>
            ×
          </button>
        </>
      )}
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
