import { computed } from '@preact/signals';
import { extentOf, openStreams } from '../runs/open-streams.ts';
import { Empty } from '../ui/notice.tsx';
import { openParameters } from './parameters.ts';

/** Whether the open runs have no channel at all. */
export const hasNoChannels = computed(() => openParameters.value.value?.length === 0);

/** A run was named that has nothing to plot. */
export function NoChannelsYet() {
  const known = openStreams.value.value;
  if (known?.length === 0)
    return (
      <Empty title="There is no such run">
        <p>It may have been deleted. If it is written, it appears here by itself.</p>
      </Empty>
    );
  if (hasNoChannels.value && known !== undefined && extentOf(known) !== undefined)
    return (
      <Empty title="No channels">
        <p>What this run has stands under Events.</p>
      </Empty>
    );
  return (
    <Empty title="No data yet">
      <p>What is written to this run appears here by itself.</p>
    </Empty>
  );
}
