import { effect, signal } from '@preact/signals';
import { takeWarning } from '../session.ts';
import type { ParameterEntry } from './parameter-entry.ts';

/** The calculated channel that is being edited, or a new one; undefined where none is. */
export const edited = signal<{ readonly entry?: ParameterEntry } | undefined>(undefined);

// What the service said of the names that were typed was said in the form. What it said before anything was edited stays.
let wasEdited = false;
effect(() => {
  const isEdited = edited.value !== undefined;
  if (wasEdited && !isEdited) takeWarning();
  wasEdited = isEdited;
});
