import { computed } from '@preact/signals';
import { streams } from '../state/view.ts';
import { streamName } from './stream-name.ts';

export const openNames = computed(() => streams.value.map(streamName));

/** The name of the first open run, and how many others are open. */
export function RunName() {
  const names = openNames.value;
  if (names.length === 0) return null;
  return (
    <span class="run-name" title={names.join(', ')}>
      <span>{names[0]}</span>
      {names.length > 1 && <span class="soft">+{names.length - 1}</span>}
    </span>
  );
}
