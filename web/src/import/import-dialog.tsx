import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { problemText } from '../ui/problem-text.ts';
import { closeDialog, isImporting } from './open-dialog.ts';

/** What is in the dialog: loaded with the first files, for few who open the page import some. */
const room = signal<typeof import('./room.tsx') | undefined>(undefined);
const problem = signal('');

/** Opens the dialog with files, or puts them behind those that are in it. */
export async function importFiles(files: readonly File[]): Promise<void> {
  if (files.length === 0) return;
  isImporting.value = true;
  problem.value = '';
  try {
    const loaded = await import('./room.tsx');
    await loaded.styled;
    room.value = loaded;
    if (isImporting.value) loaded.addFiles(files);
  } catch (error) {
    problem.value = problemText(error);
  }
}

export function ImportDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = isImporting.value;
  useEffect(() => {
    if (isOpen) {
      if (!dialog.current?.open) dialog.current?.showModal();
      return;
    }
    room.value?.closeQueue();
    dialog.current?.close();
  }, [isOpen]);
  const { Room, queue, phase, stopWriting } = room.value ?? {};
  const files = queue?.value ?? [];
  return (
    <dialog
      ref={dialog}
      class="import"
      aria-labelledby="import-title"
      onCancel={(event) => {
        // What is being written is stopped first, and says how far it came.
        if (phase?.value !== 'writing') return;
        event.preventDefault();
        stopWriting?.();
      }}
      onClose={() => {
        // It is told later, when the next files may be there already.
        if (!dialog.current?.open) closeDialog();
      }}
    >
      <h2 id="import-title">
        Import {files.length === 1 ? files[0]!.chosen.file.name : files.length > 1 && `${files.length} files`}
      </h2>
      {problem.value !== '' && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {isOpen && Room !== undefined && <Room />}
    </dialog>
  );
}
