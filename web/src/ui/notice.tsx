import type { ComponentChildren } from 'preact';
import { problemText } from './sign-in.tsx';

/** Something could not be done, and a way to try it again. */
export function Problem({ error, onRetry }: { error: Error; onRetry?: () => void }) {
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

/** There is nothing, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="notice">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
