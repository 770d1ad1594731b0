import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { tell } from '../session.ts';

interface Props {
  readonly label: string;
  /** The label is for those who do not see the page. */
  readonly isBare?: boolean;
  readonly value: string;
  /** The whole of a value that is shortened: it stands here while one is in the field. */
  readonly whole?: string;
  readonly placeholder?: string;
  readonly class?: string;
  readonly title?: string | undefined;
  /** What is often meant. */
  readonly suggestions?: readonly string[];
  /** Takes what was typed, at Enter or on leaving; gives what is wrong with it, or nothing. */
  readonly onCommit: (text: string) => string | undefined;
}

/** A text that counts when it is finished: while one types, nothing that changes on the page takes it away. */
export function DraftField(props: Props) {
  const {
    label,
    isBare,
    value,
    whole = value,
    placeholder,
    suggestions,
    title,
    onCommit,
    class: name,
  } = props;
  const draft = useSignal<string | undefined>(undefined);
  const isEdited = useSignal(false);
  const list = useId();
  /** What is to be told where the field goes away with its text, as in a menu that is closed. */
  const refused = useRef('');
  useEffect(() => () => void (refused.current !== '' && tell(refused.current)), []);
  return (
    <label class={name}>
      {!isBare && label}
      <input
        type="text"
        aria-label={isBare ? label : undefined}
        title={title}
        data-unsaved={draft.value !== undefined}
        placeholder={placeholder ?? ''}
        list={suggestions && list}
        value={draft.value ?? (isEdited.value ? whole : value)}
        onFocus={({ currentTarget: field }) => {
          isEdited.value = true;
          if (field.value === whole) return;
          // At once, for a text that changes later is selected no more: what is typed would stand behind it.
          field.value = whole;
          field.select();
        }}
        onInput={(event) => {
          draft.value = event.currentTarget.value;
          event.currentTarget.setCustomValidity('');
          refused.current = '';
        }}
        onChange={(event) => {
          const field = event.currentTarget;
          const problem = onCommit(field.value.trim());
          field.setCustomValidity(problem ?? '');
          refused.current = problem === undefined ? '' : `“${field.value}” was not taken. ${problem}`;
          if (problem === undefined) draft.value = undefined;
          else field.reportValidity();
        }}
        onBlur={({ currentTarget: { validity } }) => {
          isEdited.value = false;
          // What was typed and taken back is no change: the field goes on with its value.
          if (validity.valid) draft.value = undefined;
        }}
      />
      {suggestions && (
        <datalist id={list}>
          {suggestions.map((text) => (
            <option key={text} value={text} />
          ))}
        </datalist>
      )}
    </label>
  );
}
