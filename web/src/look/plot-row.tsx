import { useComputed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { plots, show, streams } from '../state/view.ts';
import type { TimeRange } from '../state/view-text.ts';
import { without } from './arrange.ts';
import { openParameters, openStreams } from './catalogue.ts';
import { colourOf } from './colours.ts';
import { cursorTime, valueAt } from './cursor.ts';
import { marks } from './mark-load.ts';
import { noMarks } from './marks.ts';
import { MovePlot } from './move-plot.tsx';
import { Plot } from './plot.tsx';
import { isStream } from './same-stream.ts';
import { timeText } from './time-text.ts';
import type { Trace, TraceLoad } from './traces.ts';
import { plotWidth } from './width.ts';

/** A plot with its heading: what it shows, values at the cursor, and controls to move and remove a parameter. */
export function PlotRow({
  parameters,
  load,
  shown,
}: {
  parameters: readonly string[];
  load: TraceLoad;
  shown: TimeRange;
}) {
  const own = useMemo(
    () => ({ ...load, traces: load.traces.filter(({ parameter }) => parameters.includes(parameter)) }),
    [load, parameters],
  );
  const { traces } = own;
  const unitOf = (id: string) => openParameters.value.value?.find((entry) => entry.id === id)?.unit ?? '';
  const colours = traces.map((trace) => colourOf(streams.value, plots.value, trace));
  return (
    <div class="plot-row">
      <header>
        {parameters.map((name) => (
          <span key={name} class="chip">
            {parameters.length > 1 && streams.value.length === 1 && (
              <span class="swatch" style={{ background: colours[parameters.indexOf(name)] }} />
            )}
            <h3>{name}</h3>
            {unitOf(name) !== '' && <span class="soft">{unitOf(name)}</span>}
            <MovePlot parameter={name} />
            <button
              type="button"
              class="quiet"
              aria-label={`Remove ${name}`}
              onClick={() => show({ plots: without(plots.value, name) })}
            >
              ✕
            </button>
          </span>
        ))}
        <Readings traces={traces} load={load} colours={colours} />
      </header>
      <Plot
        load={own}
        shown={shown}
        title={parameters.join(', ')}
        units={traces.map(({ parameter }) => unitOf(parameter))}
        hasRightScale={plots.value.some((names) => new Set(names.map(unitOf)).size > 1)}
        colours={colours}
        height={plots.value.length > 3 ? 150 : 210}
        width={plotWidth.value}
        marks={marks.value.value ?? noMarks}
      />
    </div>
  );
}

/** The values at the cursor, with the exact time of each: once, where it is the same. */
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
  const infos = openStreams.value.value ?? [];
  // In one stream the headings before have the names, and the colours.
  const nameOf = ({ parameter, stream }: Trace) =>
    streams.value.length > 1 &&
    `${parameter} of ${infos.find((info) => isStream(info, stream))?.name ?? stream.streamId}`;
  const times = new Set(readings.value.map((reading) => reading?.time));
  const shared = traces.length > 1 && times.size === 1 ? readings.value[0]?.time : undefined;
  return (
    <dl class="readings">
      {traces.map((trace, i) => (
        <div key={`${trace.stream.topic}/${trace.stream.streamId}/${trace.parameter}`} class="reading">
          <dt>
            {traces.length > 1 && (
              <>
                <span class="swatch" style={{ background: colours[i] }} />
                {nameOf(trace)}
              </>
            )}
          </dt>
          <dd>
            {readings.value[i]?.text ?? ''}
            {shared === undefined && readings.value[i] !== undefined && (
              <span class="soft"> {timeText(readings.value[i].time)}</span>
            )}
          </dd>
        </div>
      ))}
      {shared !== undefined && (
        <div class="reading soft">
          <dt>at</dt>
          <dd>{timeText(shared)}</dd>
        </div>
      )}
    </dl>
  );
}
