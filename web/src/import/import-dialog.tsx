import { signal } from '@preact/signals';
import { Modal } from '../ui/modal.tsx';
import { problemText } from '../ui/problem-text.ts';
import { closeDialog, isImporting, openWith, takeWaiting } from './open-dialog.ts';

/** What is in the dialog: loaded with the first files, for few who open the page import some. */
const room = signal<typeof import('./room.tsx') | undefined>(undefined);
const problem = signal('');

/** Opens the dialog with files, or puts them behind those that are in it. */
export async function importFiles(files: readonly File[]): Promise<void> {
  if (files.length === 0) return;
  openWith(files);
  problem.value = '';
  try {
    const loaded = await import('./room.tsx');
    await loaded.styled;
    room.value = loaded;
    loaded.addFiles(takeWaiting());
  } catch (error) {
    problem.value = problemText(error);
  }
}

export function ImportDialog() {
  const { Room, queue, phase, closeQueue = closeDialog, stopWriting } = room.value ?? {};
  const files = queue?.value ?? [];
  const what = files.length === 1 ? files[0]!.chosen.file.name : files.length > 1 && `${files.length} files`;
  return (
    <Modal
      id="import-title"
      kind="import"
      title={what ? `Import ${what}` : 'Import'}
      isOpen={isImporting.value}
      onClose={closeQueue}
      onCancel={(event) => {
        // What is being written is stopped first, and says how far it came.
        if (phase?.value !== 'writing') return;
        event.preventDefault();
        stopWriting?.();
      }}
    >
      {problem.value !== '' && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {Room !== undefined && <Room />}
    </Modal>
  );
}
