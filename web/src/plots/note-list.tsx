import { streamName } from '../runs/stream-name.ts';
import { streams } from '../state/view.ts';
import type { TimeRange } from '../state/view-text.ts';
import { mayWrite } from '../ui/permission.ts';
import { TimeText } from './cursor-time.tsx';
import { type Note, openNote } from './note.ts';
import { bringToMiddle } from './range.ts';

/** Those within a range, ends included. */
export function notesWithin(notes: readonly Note[], { from, to }: TimeRange): Note[] {
  return notes.filter(({ time }) => time >= from && time <= to);
}

export function noteKey({ stream, time, tags }: Note): string {
  return JSON.stringify([stream, String(time), tags]);
}

/** Notes of what is measured; nothing where there are none. `onChoose` as of `NoteLine`. */
export function NoteSection({
  notes,
}: {
  notes: readonly { readonly note: Note; readonly onChoose?: () => void }[];
}) {
  if (notes.length === 0) return null;
  return (
    <section class="values">
      <h3>Notes</h3>
      <ul class="notes">
        {notes.map((one) => (
          <li key={noteKey(one.note)}>
            <NoteLine {...one} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A note in a list: choosing it brings it to the middle, of time unless told otherwise, and who may write can change it. */
export function NoteLine({
  note,
  onChoose = () => bringToMiddle(note.time),
}: {
  note: Note;
  onChoose?: () => void;
}) {
  return (
    <>
      <button type="button" class="quiet" onClick={onChoose}>
        <NoteText note={note} />
      </button>
      {mayWrite.value && (
        <button
          type="button"
          class="quiet"
          aria-label={`Change the note “${note.text}”`}
          title="Change"
          onClick={() => {
            openNote.value = note;
          }}
        >
          ✎
        </button>
      )}
    </>
  );
}

/** When, what, and where several runs are open of which one. */
export function NoteText({ note: { stream, time, text } }: { note: Note }) {
  return (
    <>
      <span class="swatch note-swatch" />{' '}
      <span class="soft">
        <TimeText time={time} />
        {streams.value.length > 1 && ` ${streamName(stream)}`}
      </span>{' '}
      <span>{text}</span>
    </>
  );
}
