import { useSignal } from '@preact/signals';
import type { ComponentChildren, TargetedEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { hasUnsaved } from './leaving.ts';

/**
 * A dialog above the page, with a title; what is in it is there while it is open. Escape closes it, too: where that loses
 * something, the second time.
 */
export function Modal({
  id,
  kind,
  title,
  isOpen,
  onClose,
  onCancel,
  children,
}: {
  /** Of the title. */
  id: string;
  kind?: string;
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** Escape: it does not close the dialog where the default is prevented. */
  onCancel?: (event: TargetedEvent<HTMLDialogElement>) => void;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isShown = useRef(false);
  const isWarned = useSignal(false);
  // After each drawing: it may have been closed and opened between two of them.
  useLayoutEffect(() => {
    const { current } = dialog;
    isShown.current = isOpen;
    if (isOpen && !current?.open) current?.showModal();
    if (!isOpen) current?.close();
  });
  return (
    <dialog
      ref={dialog}
      class={kind}
      aria-labelledby={id}
      onCancel={(event) => {
        onCancel?.(event);
        if (event.defaultPrevented || isWarned.value || !hasUnsaved(event.currentTarget)) return;
        event.preventDefault();
        isWarned.value = true;
      }}
      onInput={() => {
        isWarned.value = false;
      }}
      onClose={({ currentTarget }) => {
        isWarned.value = false;
        // What the page itself has closed tells it later, when the dialog may be wanted again.
        if (isShown.current && !currentTarget.open) onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {isOpen && children}
      {isWarned.value && (
        <p class="problem" role="alert">
          This is not saved yet. Escape again throws it away.
        </p>
      )}
    </dialog>
  );
}

/** At the end of a dialog. */
export function CloseButton() {
  return (
    <form method="dialog">
      <button type="submit">Close</button>
    </form>
  );
}
