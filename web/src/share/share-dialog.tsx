import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { openNames } from '../runs/run-name.tsx';
import { saved } from '../state/view.ts';
import { Problem } from '../ui/notice.tsx';
import { isReadOnly, mayWrite, readOnlyText } from '../ui/permission.ts';
import { CopyButton } from './copy-button.tsx';
import { Links } from './links.tsx';
import { Outcome, tried } from './outcome.tsx';
import { isOwn } from './saved-content.ts';
import { isSharing, saveChanges, savedViews, saveNew } from './saved-views.ts';

export function ShareButton() {
  return (
    <button
      type="button"
      class="share-button"
      onClick={() => {
        isSharing.value = true;
      }}
    >
      Share
    </button>
  );
}

/** Sends what one sees to others: the address for those with a token, a link that is made for all others. */
export function ShareDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = isSharing.value;
  useEffect(() => {
    if (isOpen && !dialog.current?.open) dialog.current?.showModal();
    if (!isOpen) dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog
      ref={dialog}
      class="views"
      aria-labelledby="share-title"
      onClose={() => {
        isSharing.value = false;
      }}
    >
      <h2 id="share-title">Share</h2>
      {isOpen && (
        <>
          <p class="buttons">
            <span>Who has a token of their own sees the same at the address of the page.</span>
            <CopyButton label="Copy the address" text={() => location.href} />
          </p>
          {isReadOnly.value && <p class="soft">{readOnlyText}</p>}
          {mayWrite.value && <ByLink />}
        </>
      )}
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

/** A link shows a saved view: what is seen is saved first. */
function ByLink() {
  const name = useSignal(openNames.value.join(', ').slice(0, 120));
  const outcome = useSignal<unknown>(undefined);
  const done = useSignal('');
  const { value, error, retry } = savedViews.value;
  if (error !== undefined) return <Problem error={error} onRetry={retry} />;
  const open = value?.find((view) => view.id === saved.value.id && isOwn(view));
  return (
    <section aria-label="A read-only link">
      {open === undefined ? (
        <form
          class="buttons"
          onSubmit={(event) => {
            event.preventDefault();
            const given = name.value.trim();
            if (given !== '') tried(outcome, () => saveNew(given));
          }}
        >
          <span>A link shows a saved view to anyone. Save what you see first:</span>
          <label class="name-field">
            Name
            <input
              type="text"
              required
              maxLength={120}
              value={name.value}
              onInput={(event) => {
                name.value = event.currentTarget.value;
              }}
            />
          </label>
          <button type="submit" class="primary">
            Save the view
          </button>
        </form>
      ) : (
        <>
          <p class="buttons">
            <span>A link to the view “{open.name}”, as it was saved.</span>
            <button
              type="button"
              onClick={() =>
                tried(outcome, async () => {
                  done.value = '';
                  await saveChanges();
                  done.value = 'Saved as you see it now.';
                })
              }
            >
              Save it as you see it now
            </button>
            <span role="status">{done.value}</span>
          </p>
          <Links view={open} />
        </>
      )}
      <Outcome
        outcome={outcome}
        onSaved={() => {
          done.value = 'Saved over theirs.';
        }}
      />
    </section>
  );
}
