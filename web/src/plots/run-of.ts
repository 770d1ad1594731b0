import { isStream } from '../state/same-stream.ts';
import { streams } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';

/** Which of the open runs a stream is. Lines of a run that was closed stay until others have come: they look as the first one's. */
export function runOf(stream: StreamRef): number {
  return Math.max(
    0,
    streams.value.findIndex((open) => isStream(open, stream)),
  );
}
