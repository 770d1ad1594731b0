import { isStream } from '../state/same-stream.ts';
import { streams } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';
import { openStreams } from './open-streams.ts';

/** What an open run is called: its id where its name is not known, and behind a name that another one has, too. */
export function streamName(stream: StreamRef): string {
  const name = knownName(stream);
  const isShared = streams.value.some((other) => !isStream(other, stream) && knownName(other) === name);
  return isShared && name !== stream.streamId ? `${name} (${stream.streamId})` : name;
}

function knownName(stream: StreamRef): string {
  return openStreams.value.value?.find((info) => isStream(info, stream))?.name ?? stream.streamId;
}
