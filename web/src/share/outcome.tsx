import type { Signal } from '@preact/signals';
import { problemText } from '../ui/problem-text.ts';
import { isListed, isSharing } from './opened.ts';
import { openView, saveOver, ViewChanged } from './saved-views.ts';

/** Does something; what goes wrong is the outcome, and nothing where all went well. Gives whether it did. */
export async function tried(outcome: Signal<unknown>, act: () => Promise<void>): Promise<boolean> {
  outcome.value = undefined;
  try {
    await act();
    return true;
  } catch (error) {
    outcome.value = error;
    return false;
  }
}

/** What went wrong, in place. Of a view that could not be saved one chooses which of both is kept. */
export function Outcome({ outcome, onSaved }: { outcome: Signal<unknown>; onSaved?: () => void }) {
  const error = outcome.value;
  if (error === undefined) return null;
  const now = error instanceof ViewChanged ? error.now : undefined;
  return (
    <div role="alert">
      <p class="problem">{problemText(error)}</p>
      {now !== undefined && onSaved !== undefined && (
        <p class="buttons">
          <button
            type="button"
            onClick={() =>
              tried(outcome, async () => {
                await openView(now.id);
                isListed.value = false;
                isSharing.value = false;
              })
            }
          >
            Open theirs
          </button>
          <button
            type="button"
            onClick={() =>
              tried(outcome, async () => {
                await saveOver(now);
                onSaved();
              })
            }
          >
            Save mine over it
          </button>
        </p>
      )}
    </div>
  );
}
