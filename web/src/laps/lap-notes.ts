import { beginNote, type Note } from '../plots/note.ts';
import type { NoteFlag } from '../plots/note-flags.ts';
import { notesWithin } from '../plots/note-list.tsx';
import { isStream } from '../state/same-stream.ts';
import type { Lap } from './course-load.ts';

/** Notes of laps, each where its lap was on the way then. */
export function noteFlagsOf(laps: readonly Lap[], notes: readonly Note[]): NoteFlag[] {
  return laps
    .flatMap(({ stream, range, course }) =>
      notesWithin(notes, range).flatMap((note) => {
        const place = isStream(note.stream, stream) ? course.placeAt(note.time) : undefined;
        return place === undefined ? [] : [{ note, place }];
      }),
    )
    .sort((a, b) => a.place - b.place);
}

/** Opens the note of the first lap at a place, or a new one: at the time of its row there, or of the one before. */
export function beginLapNote(laps: readonly Lap[], place: number | undefined, known: readonly Note[]): void {
  const [first] = laps;
  const time = place === undefined ? undefined : first?.course.spanOf([place, place])?.from;
  if (first !== undefined) beginNote(first.stream, time, known);
}
