import { computed, signal } from '@preact/signals';
import { isStream } from '../state/same-stream.ts';
import { chosenCursors } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';
import { cursorTime } from './cursor.ts';

/** A text at a moment of a run. Time and tags say which one it is: writing there again replaces its text. */
export interface Note {
  readonly stream: StreamRef;
  /** ns since the Unix epoch. */
  readonly time: bigint;
  readonly text: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** The note that is written or changed; its text is what was there before, empty of a new one. */
export const openNote = signal<Note | undefined>(undefined);

/** Where a note would be made: at the cursor, or at A. */
export const noteTime = computed(() => cursorTime.value ?? chosenCursors.value.a);

/** Opens the note of a run at a time, or a new one. */
export function beginNote(
  stream: StreamRef | undefined,
  time: bigint | undefined,
  known: readonly Note[],
): void {
  if (time === undefined || stream === undefined) return;
  openNote.value = noteAt(known, stream, time) ?? { stream, time, text: '', tags: {} };
}

export function noteAt(known: readonly Note[], stream: StreamRef, time: bigint): Note | undefined {
  return known.find((note) => note.time === time && isStream(note.stream, stream));
}
