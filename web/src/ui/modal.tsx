import type { ComponentChildren, TargetedEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** A dialog above the page, with a title; what is in it is there while it is open. Escape closes it, too. */
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
      onCancel={onCancel}
      onClose={({ currentTarget }) => {
        // What the page itself has closed tells it later, when the dialog may be wanted again.
        if (isShown.current && !currentTarget.open) onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {isOpen && children}
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
