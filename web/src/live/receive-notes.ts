import type { Live } from '../../../src/client/client.ts';
import { noteId } from '../plots/note-id.ts';
import { noteLoad } from '../plots/note-load.ts';
import type { StreamRef } from '../state/view-text.ts';

/** Whoever writes a note, it is read at once. */
export async function receiveNotes(live: Live, { topic, streamId }: StreamRef): Promise<void> {
  try {
    for await (const _ of live.events({ topic, streamId, id: noteId })) noteLoad.peek().retry();
  } catch {
    // Following tells why it ended.
  }
}
