import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

/** Asks for the name of a view. `onName` gets it without white space around it, and never an empty one. */
export function NameForm({
  label,
  button,
  isMain = false,
  kind,
  initial = '',
  onName,
  children,
}: {
  label: string;
  button: string;
  /** Whether the button is what one most likely wants. */
  isMain?: boolean;
  /** Class of the field. */
  kind?: string;
  initial?: string;
  /** The field is emptied where it gives true. */
  onName: (name: string) => Promise<boolean>;
  children?: ComponentChildren;
}) {
  const name = useSignal(initial);
  return (
    <form
      class="buttons"
      data-unsaved={name.value.trim() !== initial}
      onSubmit={async (event) => {
        event.preventDefault();
        const given = name.value.trim();
        if (given !== '' && (await onName(given))) name.value = '';
      }}
    >
      {children}
      <label class={kind}>
        {label}
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
      <button type="submit" class={isMain ? 'primary' : ''}>
        {button}
      </button>
    </form>
  );
}
