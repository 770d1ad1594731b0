import { useSignal } from '@preact/signals';
import { saved } from '../state/view.ts';
import { CloseButton, Modal } from '../ui/modal.tsx';
import { Problem, replacing } from '../ui/notice.tsx';
import { isReadOnly, mayWrite, readOnlyText } from '../ui/permission.ts';
import { NameForm } from './name-form.tsx';
import { isListed } from './opened.ts';
import { Outcome, tried } from './outcome.tsx';
import { isOwn } from './saved-content.ts';
import { SavedLine } from './saved-line.tsx';
import { saveChanges, savedViews, saveNew } from './saved-views.ts';

/** More lines than this nobody looks through: the filter finds the others. */
const mostShown = 100;

/** Saved views of the workspace: saves what is seen, opens, renames, removes, and shares them. */
export function ViewsDialog() {
  return (
    <Modal
      id="views-title"
      kind="views"
      title="Views"
      isOpen={isListed.value}
      onClose={() => {
        isListed.value = false;
      }}
    >
      {mayWrite.value && <Save />}
      {isReadOnly.value && <p class="soft">{readOnlyText}</p>}
      <List />
      <CloseButton />
    </Modal>
  );
}

function Save() {
  const outcome = useSignal<unknown>(undefined);
  const done = useSignal('');
  const { id } = saved.value;
  const { value, error } = savedViews.value;
  // The button for what is open stands above the rest: it does not come later, when one aims at that.
  if (id !== '' && value === undefined && error === undefined) return null;
  // What something else has written is not replaced by what the page keeps.
  const open = value?.find((view) => view.id === id && isOwn(view));
  const save = (act: () => Promise<void>, text: string) => {
    done.value = '';
    return tried(outcome, async () => {
      await act();
      done.value = text;
    });
  };
  return (
    <section aria-label="Save what you see">
      <p class="soft">
        A view is what you see: runs, plots, range, laps. All who use this workspace find it here.
      </p>
      {open !== undefined && (
        <p class="buttons">
          <button type="button" class="primary" onClick={() => save(saveChanges, `Saved “${open.name}”.`)}>
            Save changes to “{open.name}”
          </button>
        </p>
      )}
      <NameForm
        label="Name"
        button="Save as a new view"
        isMain={open === undefined}
        onName={(name) => save(() => saveNew(name), `Saved “${name}”.`)}
      />
      <p class="soft" role="status">
        {done.value}
      </p>
      <Outcome
        outcome={outcome}
        onSaved={() => {
          done.value = 'Saved over theirs.';
        }}
      />
    </section>
  );
}

function List() {
  const filter = useSignal('');
  const { value, error, busy, retry } = savedViews.value;
  const problem = replacing(error, value !== undefined);
  if (problem !== undefined) return <Problem error={problem} onRetry={retry} isAll />;
  const words = filter.value.toLowerCase().split(/\s+/);
  const matching = (value ?? []).filter(({ name, topic }) =>
    words.every((word) => `${name} ${topic ?? ''}`.toLowerCase().includes(word)),
  );
  return (
    <section aria-label="Saved views" aria-busy={busy}>
      {(value?.length ?? 0) > 8 && (
        <input
          type="search"
          aria-label="Filter views"
          placeholder="Filter views"
          value={filter.value}
          onInput={(event) => {
            filter.value = event.currentTarget.value;
          }}
        />
      )}
      {value?.length === 0 && <p class="soft">No view is saved yet.</p>}
      <ul class="saved-views">
        {matching.slice(0, mostShown).map((view) => (
          <SavedLine key={view.id} view={view} />
        ))}
      </ul>
      {matching.length > mostShown && (
        <p class="soft">
          The first {mostShown} of {matching.length}: the filter finds others.
        </p>
      )}
    </section>
  );
}
