import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { placeBelow } from './place-below.ts';

/** A button with a menu below it, which is made when it is opened. */
export function PopupMenu({
  title,
  sign,
  kind,
  children,
}: {
  title: string;
  /** On the button. */
  sign: string;
  /** The class of the menu. */
  kind: string;
  children: () => ComponentChildren;
}) {
  const id = useId();
  const isOpen = useSignal(false);
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-label={title}
        title={title}
        popovertarget={id}
        onClick={({ currentTarget }) => {
          isOpen.value = true;
          placeBelow(currentTarget, document.getElementById(id)!);
        }}
      >
        {sign}
      </button>
      <div
        id={id}
        popover="auto"
        class={`axis-menu ${kind}`}
        role="dialog"
        aria-label={title}
        onToggle={({ newState }) => {
          isOpen.value = newState === 'open';
        }}
      >
        {isOpen.value && children()}
      </div>
    </>
  );
}
