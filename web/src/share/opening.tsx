import type { ComponentChildren } from 'preact';
import { RequestError } from '../../../src/client/client.ts';
import { Empty, Problem } from '../ui/notice.tsx';
import { opening } from './open-saved.ts';

/** Says how it goes with a view that is being opened; shows its children where none is. */
export function Opening({ children }: { children: ComponentChildren }) {
  const { busy, error, retry } = opening.value;
  if (error instanceof RequestError && error.status === 404) {
    return (
      <Empty title="There is no such view">
        <p>It may have been removed.</p>
      </Empty>
    );
  }
  if (error !== undefined) return <Problem error={error} onRetry={retry} isAll />;
  if (busy) {
    return (
      <div class="notice" role="status">
        Opening the view…
      </div>
    );
  }
  return <>{children}</>;
}
