import { isStream } from '../state/same-stream.ts';
import { streams } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';
import { nameAmong } from './name-among.ts';
import { openStreams } from './open-streams.ts';

/** What an open run is called, so that no other open one is called that; by its id where its name is not known. */
export function streamName(stream: StreamRef): string {
  return nameAmong(withName(stream), streams.value.map(withName));
}

function withName(stream: StreamRef): StreamRef & { readonly name: string } {
  const known = openStreams.value.value?.find((info) => isStream(info, stream));
  return { ...stream, name: known?.name ?? stream.streamId };
}
