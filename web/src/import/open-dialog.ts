import { signal } from '@preact/signals';

/** Whether files are being imported: the dialog is open. */
export const isImporting = signal(false);

export function closeDialog(): void {
  isImporting.value = false;
}
