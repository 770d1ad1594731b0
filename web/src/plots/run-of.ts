import { isStream } from '../state/same-stream.ts';
import { streams } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';

/** Which of the open runs a stream is. */
export function runOf(stream: StreamRef): number {
  return streams.value.findIndex((open) => isStream(open, stream));
}
