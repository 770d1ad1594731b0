import { isStream } from '../state/same-stream.ts';
import { streams } from '../state/view.ts';
import { openStreams } from './open-streams.ts';

/** Names of the open runs. */
export function RunName() {
  const names = streams.value.map(
    (open) => openStreams.value.value?.find((info) => isStream(info, open))?.name ?? open.streamId,
  );
  if (names.length === 0) return null;
  return (
    <span class="run-name" title={names.join(', ')}>
      {names.join(', ')}
    </span>
  );
}
