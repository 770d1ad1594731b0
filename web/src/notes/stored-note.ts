import type { Client, StreamInfo } from '../../../src/client/client.ts';
import type { Note } from '../plots/note.ts';
import { noteId } from '../plots/note-id.ts';
import { isStream } from '../state/same-stream.ts';
import type { StreamRef } from '../state/view-text.ts';

/** The run as the service knows it; undefined where it is not there. */
export async function runNow(service: Client, stream: StreamRef): Promise<StreamInfo | undefined> {
  const found = await service.streams({ topic: stream.topic, streamIds: [stream.streamId] });
  return found.find((info) => isStream(info, stream));
}

/** What stands in the place of a note; empty where nothing does, or the note was removed. */
export async function textNow(
  service: Client,
  { stream, time, tags }: Pick<Note, 'stream' | 'time' | 'tags'>,
): Promise<string> {
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
