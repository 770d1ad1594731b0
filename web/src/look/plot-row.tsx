import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { plots, show, streams } from '../state/view.ts';
import type { TimeRange } from '../state/view-text.ts';
import { without } from './arrange.ts';
import { drawnWidth, unitOf } from './axes.ts';
import { openStreams } from './catalogue.ts';
import { colourOf } from './colours.ts';
import { cursorTime, reachPixels } from './cursor.ts';
import { marks } from './mark-load.ts';
import { noMarks } from './marks.ts';
import { MovePlot } from './move-plot.tsx';
import { Plot } from './plot.tsx';
import { readingAt } from './reading.ts';
import { PixelTime, Readings } from './readings.tsx';
import { isStream } from './same-stream.ts';
import { secondsFrom, type Trace, type TraceLoad } from './traces.ts';
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
  const { origin } = load;
  const isInOneStream = streams.value.length === 1;
  const colours = load.traces.map((trace) => colourOf(streams.value, plots.value, trace));
  const units = load.traces.map(({ parameter }) => unitOf(parameter));
  const { traces, lines } = useMemo(() => {
    const own = load.traces.flatMap((trace, i) =>
      parameters.includes(trace.parameter)
        ? [{ trace, line: { points: trace.points, colour: colours[i]!, unit: units[i]! } }]
        : [],
    );
    return { traces: own.map(({ trace }) => trace), lines: own.map(({ line }) => line) };
  }, [load, parameters, colours.join(), JSON.stringify(units)]);
  const reach = (Number(shown.to - shown.from) / 1e9 / drawnWidth.value) * reachPixels;
  const readings = useMemo(
    () =>
      computed(() => {
        const time = cursorTime.value;
        if (time === undefined) return [];
        return traces.map(({ points }) => readingAt(points, secondsFrom(origin, time), reach));
      }),
    [traces, origin, reach],
  );
  return (
    <div class="plot-row">
      <header>
        {parameters.map((name) => (
          <span key={name} class="chip">
            {parameters.length > 1 && isInOneStream && (
              <span
                class="swatch"
                style={{ background: lines[traces.findIndex(({ parameter }) => parameter === name)]?.colour }}
              />
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
        <Readings
          lines={traces.map((trace, i) => ({
            key: `${trace.stream.topic}/${trace.stream.streamId}/${trace.parameter}`,
            // In one stream the headings before have the names, and the colours.
            label: isInOneStream ? '' : nameOf(trace),
            colour: traces.length > 1 ? lines[i]!.colour : undefined,
          }))}
          readings={readings}
        />
        <PixelTime lines={lines} />
      </header>
      <Plot
        title={parameters.join(', ')}
        lines={lines}
        origin={origin}
        shown={shown}
        readings={readings}
        height={plots.value.length > 3 ? 150 : 210}
        width={plotWidth.value}
        marks={marks.value.value ?? noMarks}
      />
    </div>
  );
}

function nameOf({ parameter, stream }: Trace): string {
  const info = openStreams.value.value?.find((open) => isStream(open, stream));
  return `${parameter} of ${info?.name ?? stream.streamId}`;
}
