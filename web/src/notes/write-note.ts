import type { Note } from '../plots/note.ts';
import { noteId } from '../plots/note-id.ts';
import { client, onceClient } from '../session.ts';
import { closeAgain, closeNow, inTurn, isRefused } from './close-again.ts';
import { begin, closingFailed, endOf, forget, wasSent } from './left-open.ts';
import { runNow, textNow } from './stored-note.ts';

/** Somebody else has written there meanwhile; nothing was written. */
export class NoteChanged extends Error {
  /** What stands there now; empty where it was removed. */
  readonly now: string;

  constructor(now: string) {
    super(
      now === ''
        ? 'Somebody else has removed this note meanwhile. Nothing was written: save again to write it anew.'
        : `Somebody else has written “${now}” here meanwhile. Nothing was written: save again to replace it.`,
    );
    this.now = now;
  }
}

/**
 * Writes a text in the place of a note's; an empty one removes it. A write opens a run that was closed: it is closed again,
 * as it was, at once or when the service can be reached. Throws NoteChanged where another text stands there
 * than the one that was seen.
 *
 * @param sent texts that were sent before, and of which it is not known whether they were written
 */
export function writeNote(note: Note, text: string, sent: readonly string[]): Promise<void> {
  return inTurn(() => write(note, text, sent));
}

async function write(note: Note, text: string, sent: readonly string[]): Promise<void> {
  const { stream, time, tags } = note;
  const service = client.peek()!;
  // One that a note has left open is a closed one.
  await closeAgain(stream);
  const info = await runNow(service, stream);
  // A write would make it anew.
  if (info === undefined) throw new Error('This run is not there any more.');
  const now = await textNow(service, note);
  if (![note.text, text, ...sent].includes(now)) throw new NoteChanged(now);
  const endType = endOf(info.status);
  if (endType !== undefined) begin({ stream, time, tags, text }, endType);
  try {
    await onceClient
      .peek()!
      .writeEvents(stream.topic, stream.streamId, [{ id: noteId, timestamp: time, value: text, tags }]);
  } catch (error) {
    if (isRefused(error)) forget(stream);
    else wasSent(stream);
    throw error;
  }
  if (endType === undefined) return;
  wasSent(stream);
  // The note is written: what fails here is done later.
  await closeNow(stream).catch(() => closingFailed(stream));
}
