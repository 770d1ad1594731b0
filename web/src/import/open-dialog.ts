import { signal } from '@preact/signals';

/** Whether files are being imported: the dialog is open. */
export const isImporting = signal(false);

/** Files that wait for the room to be loaded. */
let waiting: readonly File[] = [];

/** Opens the dialog with files, or puts them behind those that are in it. */
export function openWith(files: readonly File[]): void {
  isImporting.value = true;
  waiting = [...waiting, ...files];
}

/** The files that nobody has taken, once. */
export function takeWaiting(): readonly File[] {
  const files = waiting;
  waiting = [];
  return files;
}

export function closeDialog(): void {
  isImporting.value = false;
  waiting = [];
}
