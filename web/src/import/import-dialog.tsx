import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { closeImport, file } from './import-state.ts';

/** What is in the dialog: loaded with the first file, for few who open the page import one. */
const stages = signal<typeof import('./stages.tsx') | undefined>(undefined);

/** From a dropped file to a stream: what is in it, what is wrong with it, how far it is. */
export function ImportDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  /** Whether the page closes it: that is told later, when the next file may be open already. */
  const isClosing = useRef(false);
  const chosen = file.value;
  useEffect(() => {
    if (chosen !== undefined && !dialog.current?.open) dialog.current?.showModal();
    if (chosen === undefined && dialog.current?.open) {
      isClosing.current = true;
      dialog.current.close();
    }
    if (chosen === undefined || stages.value !== undefined) return;
    import('./stages.tsx').then((loaded) => {
      stages.value = loaded;
    });
  }, [chosen]);
  const Stage = stages.value?.Stage;
  const onClose = () => {
    if (!isClosing.current) closeImport();
    isClosing.current = false;
  };
  return (
    <dialog ref={dialog} class="import" aria-labelledby="import-title" onClose={onClose}>
      <h2 id="import-title">Import {chosen?.name}</h2>
      {chosen !== undefined && Stage !== undefined && <Stage />}
    </dialog>
  );
}
