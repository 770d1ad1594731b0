import { computed } from '@preact/signals';
import { isChoosing } from '../channels/choose.ts';
import { hasNoChannels, NoChannelsYet } from '../channels/no-channels.tsx';
import { isStates } from '../channels/plotted.ts';
import { openStreams } from '../runs/open-streams.ts';
import { isLive, plots } from '../state/view.ts';
import { Empty, Problem } from '../ui/notice.tsx';
import { drawing, drawn, drawnRange, isBehind } from './drawn.ts';
import { EventReading } from './event-list.tsx';
import { onTimeKey } from './keys.ts';
import './limit-load.ts';
import { PlotRow } from './plot-row.tsx';
import { Stack } from './stack.tsx';
import { TimeAxis } from './time-axis.tsx';

/** A plot that has nothing but strips is less high. */
const stripShare = 0.25;

const isAny = computed(() => drawn.value !== undefined && drawnRange.value !== undefined);

/** The plots, one below the other, on one axis of time. What they draw each of them reads by itself. */
export function Plots() {
  const { error, busy, retry } = drawing.value;
  return (
    <section
      class="plots"
      aria-label="Plots"
      aria-busy={busy || isBehind.value}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys that move and zoom the plots need a place to be pressed in
      tabIndex={0}
      onKeyDown={(event) => onTimeKey(event, drawn.peek())}
    >
      {error !== undefined && <Problem error={error} onRetry={retry} />}
      {plots.value.length === 0 && isChoosing.value && <Empty title="Loading…" />}
      {plots.value.length === 0 && !isChoosing.value && hasNoChannels.value && <NoChannelsYet />}
      {plots.value.length === 0 && !isChoosing.value && !hasNoChannels.value && (
        <Empty title="No channel is plotted">
          <p>Choose one under Channels: each gets a plot, all of them on one axis of time.</p>
        </Empty>
      )}
      {plots.value.length > 0 && !isAny.value && error === undefined && <NothingDrawn isComing={busy} />}
      <EventReading />
      {isAny.value && plots.value.length > 0 && (
        <>
          <Stack
            rows={plots.value.map((parameters) => ({
              name: parameters[0] ?? '',
              share: parameters.every(isStates) ? stripShare : 1,
              draw: (height) => <PlotRow parameters={parameters} height={height} />,
            }))}
          />
          <TimeAxis />
        </>
      )}
    </section>
  );
}

function NothingDrawn({ isComing }: { isComing: boolean }) {
  if (isLive.value && openStreams.value.value?.length !== 0) return <Empty title="Waiting for data" />;
  return isComing ? <Empty title="Loading…" /> : <NoChannelsYet />;
}
