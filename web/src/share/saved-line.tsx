import { useSignal } from '@preact/signals';
import type { View as SavedView } from '../../../src/client/client.ts';
import { shortTimeText } from '../lines/time-text.ts';
import { saved } from '../state/view.ts';
import { mayWrite } from '../ui/permission.ts';
import { Links } from './links.tsx';
import { NameForm } from './name-form.tsx';
import { isListed } from './opened.ts';
import { Outcome, tried } from './outcome.tsx';
import { isOwn } from './saved-content.ts';
import { openView, removeView, renameView } from './saved-views.ts';

type Doing = 'nothing' | 'renaming' | 'sharing' | 'removing';

/** A saved view: a click opens it. */
export function SavedLine({ view }: { view: SavedView }) {
  const doing = useSignal<Doing>('nothing');
  const outcome = useSignal<unknown>(undefined);
  const { id, name, topic, updatedAt } = view;
  const changed = shortTimeText(BigInt(Date.parse(updatedAt)) * 1_000_000n).slice(0, 16);
  const toggle = (what: Doing, text: string) => (
    <button
      type="button"
      class="quiet"
      aria-expanded={doing.value === what}
      aria-label={`${text} ${name}`}
      onClick={() => {
        outcome.value = undefined;
        doing.value = doing.value === what ? 'nothing' : what;
      }}
    >
      {text}
    </button>
  );
  return (
    <li>
      <button
        type="button"
        class="open"
        aria-current={saved.value.id === id}
        onClick={() =>
          tried(outcome, async () => {
            await openView(id);
            isListed.value = false;
          })
        }
      >
        {name}
        <span class="soft">
          {topic !== undefined && `${topic} · `}saved {changed}
        </span>
      </button>
      {mayWrite.value && (
        <span class="buttons">
          {toggle('sharing', 'Share')}
          {isOwn(view) && toggle('renaming', 'Rename')}
          {toggle('removing', 'Remove')}
        </span>
      )}
      {doing.value === 'sharing' && <Links view={view} />}
      {doing.value === 'renaming' && (
        <NameForm
          label="New name"
          button="Rename it"
          initial={name}
          onName={(given) =>
            tried(outcome, async () => {
              await renameView(view, given);
              doing.value = 'nothing';
            })
          }
        />
      )}
      {doing.value === 'removing' && (
        <p class="buttons">
          Its links end too.
          <button type="button" onClick={() => tried(outcome, () => removeView(view))}>
            Remove “{name}”
          </button>
        </p>
      )}
      <Outcome outcome={outcome} />
    </li>
  );
}
