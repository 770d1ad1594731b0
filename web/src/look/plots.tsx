import { followed } from '../live/follow.ts';
import { client } from '../session.ts';
import { isLive, plots, streams } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';
import { Empty, Problem } from '../ui/notice.tsx';
import { restedDrawnWidth } from './axes.ts';
import { EventList, EventReading } from './event-list.tsx';
import { onTimeKey } from './keys.ts';
import { PlotRow } from './plot-row.tsx';
import { range, restedRange } from './range.ts';
import { loadTraces, type TraceLoad } from './traces.ts';

const load = loaded<TraceLoad>(() => {
  const service = client.value;
  const shown = restedRange.value;
  const open = streams.value;
  const parameters = [...new Set(plots.value.flat())];
  const pixels = restedDrawnWidth.value;
  // While live data is followed, the plots are drawn from what comes.
  if (isLive.value || service === undefined || shown === undefined || parameters.length === 0)
    return undefined;
  return (signal) => loadTraces(service, open, parameters, shown, pixels, signal);
});

/** The plots, one below the other, on one axis of time. */
export function Plots() {
  const { error, busy, retry } = load.value;
  const value = followed.value ?? load.value.value;
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
      onKeyDown={onTimeKey}
    >
      {error !== undefined && <Problem error={error} onRetry={retry} />}
      {plots.value.length === 0 && (
        <Empty title="Choose a parameter">
          <p>Tick parameters on the left; each gets a plot, all of them on one axis of time.</p>
        </Empty>
      )}
      {plots.value.length > 0 && value === undefined && error === undefined && (
        <Empty title={isLive.value ? 'Waiting for data' : busy ? 'Loading…' : 'No data yet'} />
      )}
      <EventReading />
      {value !== undefined &&
        shown !== undefined &&
        plots.value.map((parameters) => (
          <PlotRow key={parameters.join()} parameters={parameters} load={value} shown={shown} />
        ))}
      {plots.value.length > 0 && <EventList />}
    </section>
  );
}
