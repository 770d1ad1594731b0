import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { timeText } from '../lines/time-text.ts';
import { type Note, noteAt, openNote } from '../plots/note.ts';
import { noteKey } from '../plots/note-list.tsx';
import { noteLoad, notes } from '../plots/note-load.ts';
import { streamName } from '../runs/stream-name.ts';
import { isShared } from '../session.ts';
import { isStream } from '../state/same-stream.ts';
import { streams } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';
import { Modal } from '../ui/modal.tsx';
import { isReadOnly, readOnlyText } from '../ui/permission.ts';
import { problemText } from '../ui/problem-text.ts';
import { NoteChanged, writeNote } from './write-note.ts';

/** Makes, changes and removes the note that is open. */
export function NoteDialog() {
  const note = openNote.value;
  const close = () => {
    openNote.value = undefined;
  };
  return (
    <Modal
      id="note-title"
      kind="note"
      title={note === undefined || note.text === '' ? 'Note' : 'Change a note'}
      isOpen={note !== undefined}
      onClose={close}
    >
      {note !== undefined && (
        <>
          <p class="soft">{timeText(note.time)}</p>
          {isReadOnly.value ? (
            <>
              <p class="note-text">{note.text}</p>
              <p>{isShared ? 'This link is to read only: it cannot write notes.' : readOnlyText}</p>
              <p class="buttons">
                <button type="button" onClick={close}>
                  Close
                </button>
              </p>
            </>
          ) : (
            // Also before it is known: who types at once must not be typing to the button that closes.
            <Writing key={noteKey(note)} note={note} onDone={close} />
          )}
        </>
      )}
    </Modal>
  );
}

function Writing({ note, onDone }: { note: Note; onDone: () => void }) {
  const text = useSignal(note.text);
  /** The note as it was seen last. */
  const seen = useSignal(note);
  const problem = useSignal('');
  const isBusy = useSignal(false);
  const isChanged = text.value.trim() !== seen.value.text;
  const sent = useRef<readonly string[]>([]);
  const write = async (next: string) => {
    isBusy.value = true;
    problem.value = '';
    try {
      const before = sent.current;
      sent.current = [...before, next];
      await writeNote(seen.peek(), next, before);
      noteLoad.peek().retry();
      onDone();
    } catch (error) {
      if (error instanceof NoteChanged) seen.value = { ...seen.peek(), text: error.now };
      noteLoad.peek().retry();
      problem.value = problemText(error);
    }
    isBusy.value = false;
  };
  const save = () => {
    if (text.value.trim() !== '' && !isBusy.value) write(text.value.trim());
  };
  return (
    <form
      data-unsaved={isChanged}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      {note.text === '' && (
        <RunChoice
          chosen={seen.value.stream}
          onChoose={(stream) => {
            const there = noteAt(notes.peek(), stream, note.time);
            seen.value = there ?? { ...note, stream, text: '' };
            problem.value =
              there !== undefined && isChanged ? `Save replaces “${there.text}” of this run.` : '';
            if (!isChanged) text.value = seen.value.text;
          }}
        />
      )}
      <textarea
        aria-label="Text"
        rows={4}
        maxLength={4000}
        // biome-ignore lint/a11y/noAutofocus: who opens it wants to write
        autoFocus
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          save();
        }}
      />
      <p class="problem" role="alert">
        {problem.value}
      </p>
      <p class="buttons">
        <button type="submit" class="primary" disabled={isBusy.value || text.value.trim() === ''}>
          Save
        </button>
        <button type="button" onClick={onDone}>
          Cancel
        </button>
        {seen.value.text !== '' && (
          <button type="button" disabled={isBusy.value} onClick={() => write('')}>
            Remove
          </button>
        )}
      </p>
      <p class="soft">All who see the run see it. Enter saves, Shift + Enter begins a line.</p>
    </form>
  );
}

/** Whose note it is, where several runs are open. */
function RunChoice({ chosen, onChoose }: { chosen: StreamRef; onChoose: (stream: StreamRef) => void }) {
  const open = streams.value;
  if (open.length < 2) return null;
  return (
    <label>
      Run{' '}
      <select
        value={open.findIndex((stream) => isStream(stream, chosen))}
        onChange={(event) => onChoose(open[Number(event.currentTarget.value)]!)}
      >
        {open.map((stream, i) => (
          <option key={`${stream.topic}/${stream.streamId}`} value={i}>
            {streamName(stream)}
          </option>
        ))}
      </select>
    </label>
  );
}
