import { useComputed } from '@preact/signals';
import { followed } from '../live/follow.ts';
import { client } from '../session.ts';
import { isLive, plots, show, streams, view } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';
import { Empty, Problem } from '../ui/notice.tsx';
import { openParameters, openStreams } from './catalogue.ts';
import { colourOf } from './colours.ts';
import { cursorTime, valueAt } from './cursor.ts';
import { onPlotKey } from './keys.ts';
import { marks } from './mark-load.ts';
import { noMarks } from './marks.ts';
import { without } from './parameter-tree.tsx';
import { Plot } from './plot.tsx';
import { range } from './range.ts';
import { timeText } from './time-text.ts';
import { loadTraces, type Trace, type TraceLoad } from './traces.ts';
import { plotWidth } from './width.ts';

const load = loaded<TraceLoad>(() => {
  const service = client.value;
  const shown = range.value;
  const open = streams.value;
  const parameters = [...new Set(plots.value.flat())];
  const pixels = plotWidth.value;
  // While live data is followed, the plots are drawn from what comes.
  if (isLive.value || service === undefined || shown === undefined || parameters.length === 0)
    return undefined;
  return (signal) => loadTraces(service, open, parameters, shown, pixels, signal);
});

/** The plots, one below the other, on one axis of time. */
export function Plots() {
  const { error, busy } = load.value;
  const value = followed.value ?? load.value.value;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys that move and zoom the plots need a place to be pressed in
    <section class="plots" aria-label="Plots" aria-busy={busy} tabIndex={0} onKeyDown={onPlotKey}>
      {error !== undefined && <Problem error={error} onRetry={() => show({ ...view.value }, 'replace')} />}
      {streams.value.length > 0 && plots.value.length === 0 && (
        <Empty title="Choose a parameter">
          <p>Tick parameters on the left; each gets a plot, all of them on one axis of time.</p>
        </Empty>
      )}
      {value !== undefined &&
        plots.value.map((parameters) => (
          <PlotRow key={parameters.join()} parameters={parameters} load={value} />
        ))}
    </section>
  );
}

function PlotRow({ parameters, load }: { parameters: readonly string[]; load: TraceLoad }) {
  const traces = load.traces.filter(({ parameter }) => parameters.includes(parameter));
  const units = (openParameters.value.value ?? [])
    .filter(({ id }) => parameters.includes(id))
    .map(({ unit }) => unit);
  const unit = new Set(units).size === 1 ? units[0]! : '';
  const colours = traces.map((trace) => colourOf(streams.value, plots.value, trace));
  return (
    <div class="plot-row">
      <header>
        <h3>{parameters.join(', ')}</h3>
        {unit !== '' && <span class="soft">{unit}</span>}
        <Readings traces={traces} load={load} colours={colours} />
        {parameters.map((name) => (
          <button
            key={name}
            type="button"
            class="quiet"
            aria-label={`Remove ${name}`}
            onClick={() => show({ plots: without(plots.value, name) })}
          >
            ✕
          </button>
        ))}
      </header>
      <Plot
        load={{ ...load, traces }}
        title={parameters.join(', ')}
        unit={unit}
        colours={colours}
        height={plots.value.length > 3 ? 150 : 210}
        width={plotWidth.value}
        marks={marks.value.value ?? noMarks}
      />
    </div>
  );
}

/** The values at the cursor, with the exact time of each. */
function Readings({
  traces,
  load,
  colours,
}: {
  traces: readonly Trace[];
  load: TraceLoad;
  colours: readonly string[];
}) {
  const readings = useComputed(() => {
    const time = cursorTime.value;
    return time === undefined ? [] : traces.map((trace) => valueAt(trace, load, time));
  });
  const names = new Map((openStreams.value.value ?? []).map(({ streamId, name }) => [streamId, name]));
  return (
    <dl class="readings">
      {traces.map((trace, i) => (
        <div key={`${trace.stream.topic}/${trace.stream.streamId}/${trace.parameter}`}>
          <dt style={{ color: colours[i] }}>
            {traces.length > 1 ? `${trace.parameter} ${names.get(trace.stream.streamId) ?? ''}` : ''}
          </dt>
          <dd>
            {readings.value[i]?.text ?? ''}
            {readings.value[i] !== undefined && <span class="soft"> {timeText(readings.value[i].time)}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
