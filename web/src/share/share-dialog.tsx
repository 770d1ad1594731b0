import { useSignal } from '@preact/signals';
import { openNames } from '../runs/run-name.tsx';
import { saved } from '../state/view.ts';
import { CloseButton, Modal } from '../ui/modal.tsx';
import { Problem, replacing } from '../ui/notice.tsx';
import { isReadOnly, mayWrite, readOnlyText } from '../ui/permission.ts';
import { CopyButton } from './copy-button.tsx';
import { Links } from './links.tsx';
import { NameForm } from './name-form.tsx';
import { isSharing } from './opened.ts';
import { Outcome, tried } from './outcome.tsx';
import { isOwn } from './saved-content.ts';
import { saveChanges, savedViews, saveNew } from './saved-views.ts';

/** Sends what one sees to others: the address for those with a token, a link that is made for all others. */
export function ShareDialog() {
  return (
    <Modal
      id="share-title"
      kind="views"
      title="Share"
      isOpen={isSharing.value}
      onClose={() => {
        isSharing.value = false;
      }}
    >
      <p class="buttons">
        <span>Who has a token of their own sees the same at the address of the page.</span>
        <CopyButton label="Copy the address" text={() => location.href} />
      </p>
      {isReadOnly.value && <p class="soft">{readOnlyText}</p>}
      {mayWrite.value && <ByLink />}
      <CloseButton />
    </Modal>
  );
}

/** A link shows a saved view: what is seen is saved first. */
function ByLink() {
  const outcome = useSignal<unknown>(undefined);
  const done = useSignal('');
  const { value, error, retry } = savedViews.value;
  const problem = replacing(error, value !== undefined);
  if (problem !== undefined) return <Problem error={problem} onRetry={retry} isAll />;
  // Not known yet whether what is seen is saved already.
  if (value === undefined && saved.value.id !== '') return null;
  const open = value?.find((view) => view.id === saved.value.id && isOwn(view));
  return (
    <section aria-label="A read-only link">
      {open === undefined ? (
        <NameForm
          label="Name"
          button="Save the view"
          isMain={true}
          kind="name-field"
          initial={openNames.peek().join(', ').slice(0, 120)}
          onName={(name) => tried(outcome, () => saveNew(name))}
        >
          <span>A link shows a saved view to anyone. Save what you see first:</span>
        </NameForm>
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
