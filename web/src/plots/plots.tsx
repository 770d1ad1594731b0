import { computed } from '@preact/signals';
import { isChoosing } from '../channels/choose.ts';
import { plotted } from '../channels/plotted.ts';
import { followed } from '../lines/followed.ts';
import { reader } from '../lines/reader.ts';
import { loadTraces, type TraceLoad } from '../lines/traces.ts';
import { isLive, mode, plots, states, streams } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';
import { Empty, Problem } from '../ui/notice.tsx';
import { restedDrawnWidth } from './axes.ts';
import { EventReading } from './event-list.tsx';
import { onTimeKey } from './keys.ts';
import './limit-load.ts';
import { PlotRow } from './plot-row.tsx';
import { range, restedRange } from './range.ts';
import { Stack } from './stack.tsx';
import { TimeAxis } from './time-axis.tsx';

/** A plot that has nothing but strips is less high. */
const stripShare = 0.25;

const load = loaded<TraceLoad>(() => {
  const service = reader.value;
  const shown = restedRange.value;
  const open = streams.value;
  const pixels = restedDrawnWidth.value;
  // While live data is followed, the plots are drawn from what comes.
  const names = plotted.value;
  const isSeen = mode.value === 'time' && !isLive.value && plots.value.length > 0;
  if (service === undefined || shown === undefined || names === undefined || !isSeen) return undefined;
  return (signal) => loadTraces(service, open, names, shown, pixels, signal);
});

/** What the plots draw. */
export const drawn = computed<TraceLoad | undefined>(() => followed.value ?? load.value.value);

/** The plots, one below the other, on one axis of time. */
export function Plots() {
  const { error, busy, retry } = load.value;
  const value = drawn.value;
  const isBehind = !isLive.value && range.value !== restedRange.value;
  // Until what was zoomed to has come, what is there is drawn at its place.
  const shown = isLive.value ? value?.range : range.value;
  return (
    <section
      class="plots"
      aria-label="Plots"
      aria-busy={busy || isBehind}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys that move and zoom the plots need a place to be pressed in
      tabIndex={0}
      onKeyDown={(event) => onTimeKey(event, value)}
    >
      {error !== undefined && <Problem error={error} onRetry={retry} />}
      {plots.value.length === 0 && isChoosing.value && <Empty title="Loading…" />}
      {plots.value.length === 0 && !isChoosing.value && (
        <Empty title="No channel is plotted">
          <p>Choose one under Channels: each gets a plot, all of them on one axis of time.</p>
        </Empty>
      )}
      {plots.value.length > 0 && value === undefined && error === undefined && (
        <Empty title={isLive.value ? 'Waiting for data' : busy ? 'Loading…' : 'No data yet'} />
      )}
      <EventReading />
      {value !== undefined && shown !== undefined && plots.value.length > 0 && (
        <>
          <Stack
            rows={plots.value.map((parameters) => ({
              name: parameters[0] ?? '',
              share: parameters.every((name) => states.value.includes(name)) ? stripShare : 1,
              draw: (height) => (
                <PlotRow parameters={parameters} load={value} shown={shown} height={height} />
              ),
            }))}
          />
          <TimeAxis range={shown} />
        </>
      )}
    </section>
  );
}
