import { computed } from '@preact/signals';
import { Empty } from '../ui/notice.tsx';
import { openParameters } from './parameters.ts';

/** Whether the open runs have no channel at all. */
export const hasNoChannels = computed(() => openParameters.value.value?.length === 0);

/** A run was named, and nothing was written to it. */
export function NoChannelsYet() {
  return (
    <Empty title="No data yet">
      <p>What is written to this run appears here by itself.</p>
    </Empty>
  );
}
