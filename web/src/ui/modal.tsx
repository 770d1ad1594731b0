import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A dialog above the page, with a title; what is in it is there while it is open. Escape closes it, too. */
export function Modal({
  id,
  kind,
  title,
  isOpen,
  onClose,
  children,
}: {
  /** Of the title. */
  id: string;
  kind?: string;
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen && !dialog.current?.open) dialog.current?.showModal();
    if (!isOpen) dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} class={kind} aria-labelledby={id} onClose={onClose}>
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
