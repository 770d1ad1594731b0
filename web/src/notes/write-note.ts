import type { Client, StreamInfo } from '../../../src/client/client.ts';
import { type Note, noteId } from '../plots/note.ts';
import { isStream } from '../state/same-stream.ts';

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
 * as it was. Throws NoteChanged where the text is not the one that was seen.
 */
export async function writeNote(service: Client, note: Note, text: string): Promise<void> {
  const { stream, time, tags } = note;
  const info = await infoOf(service, note);
  // A write would make it anew.
  if (info === undefined) throw new Error('This run is not there any more.');
  const now = await textNow(service, note);
  if (now !== note.text && now !== text) throw new NoteChanged(now);
  await service.writeEvents(stream.topic, stream.streamId, [
    { id: noteId, timestamp: time, value: text, tags },
  ]);
  const { status } = info;
  if (status !== 'Closed' && status !== 'Aborted' && status !== 'Terminated') return;
  try {
    await service.closeStream(stream.topic, stream.streamId, status);
  } catch (error) {
    throw new Error(`The note is written, but the run is open now: ${(error as Error).message}`);
  }
}

async function infoOf(service: Client, { stream }: Note): Promise<StreamInfo | undefined> {
  const found = await service.streams({ topic: stream.topic, streamIds: [stream.streamId] });
  return found.find((info) => isStream(info, stream));
}

async function textNow(service: Client, { stream, time, tags }: Note): Promise<string> {
  const found = await service.eventData({
    topic: stream.topic,
    streamIds: [stream.streamId],
    eventIds: [noteId],
    from: time,
    to: time,
  });
  const own = found[noteId]?.find((row) => sortedTags(row.tags) === sortedTags(tags));
  return String(own?.value ?? '');
}

function sortedTags(tags: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(tags).sort(([a], [b]) => (a < b ? -1 : 1)));
}
