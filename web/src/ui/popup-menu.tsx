import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { placeBelow } from './place-below.ts';

/** A button with a menu below it. Escape closes it, and so do a click elsewhere and a dialog that opens. */
export function PopupMenu({
  title,
  sign,
  kind,
  button,
  disabled,
  isKept = false,
  onToggle,
  children,
}: {
  title: string;
  /** On the button. */
  sign: string;
  /** The classes of the menu. */
  kind: string;
  /** The class of the button. */
  button?: string;
  disabled?: boolean;
  /** Whether what is in it goes on while it is closed; else it is made when the menu is opened. */
  isKept?: boolean;
  onToggle?: (isOpen: boolean) => void;
  /** What is in it; what is done with the menu then closes it. */
  children: (close: () => void) => ComponentChildren;
}) {
  const id = useId();
  const isOpen = useSignal(false);
  const close = () => document.getElementById(id)!.hidePopover();
  return (
    <>
      <button
        type="button"
        class={button}
        aria-label={title}
        title={title === sign ? undefined : title}
        disabled={disabled}
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
        class={`popup ${kind}`}
        role="dialog"
        aria-label={title}
        onToggle={({ newState }) => {
          isOpen.value = newState === 'open';
          onToggle?.(isOpen.value);
        }}
      >
        {(isKept || isOpen.value) && children(close)}
      </div>
    </>
  );
}
