import { streams } from '../state/view.ts';
import { streamName } from './stream-name.ts';

/** Names of the open runs. */
export function RunName() {
  const names = streams.value.map(streamName);
  if (names.length === 0) return null;
  return (
    <span class="run-name" title={names.join(', ')}>
      {names.join(', ')}
    </span>
  );
}
