import { signal } from '@preact/signals';

/** Whether the dialog of saved views is open: the list is read then. */
export const isListed = signal(false);
/** Whether the dialog that shares what is seen is open: it is read then too. */
export const isSharing = signal(false);
/** Whether the menu of exports is open. */
export const isExporting = signal(false);
/** Whether there are rows to be taken away; undefined until what says it exactly is loaded. */
export const hasShownRows = signal<boolean | undefined>(undefined);
