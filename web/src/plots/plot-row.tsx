import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { channelType, together, without } from '../channels/arrange.ts';
import { Swatch } from '../lines/swatch.tsx';
import { secondsFrom, type Trace, type TraceLoad } from '../lines/traces.ts';
import { isLive, plots, show, streams } from '../state/view.ts';
import type { TimeRange } from '../state/view-text.ts';
import { drawnWidth, edgeSize, hasRightScale, rightSize, unitOf } from './axes.ts';
import { AxisMenu } from './axis-menu.tsx';
import { axesOf, resetScale } from './axis-scales.ts';
import { cursorTime, reachPixels } from './cursor.ts';
import { marks } from './mark-load.ts';
import { noMarks } from './marks.ts';
import { MovePlot } from './move-plot.tsx';
import { NowValues } from './now-values.tsx';
import { OutsideMark } from './outside-mark.tsx';
import { Plot } from './plot.tsx';
import { type PlotParts, runName, usePlotParts } from './plot-parts.ts';
import { readTrace } from './read-trace.ts';
import { PixelTime, Readings } from './readings.tsx';
import { scaleRange } from './unit-range.ts';
import { plotWidth } from './width.ts';

/** Pixels that "1 px = 0.4 s" takes at most, in the line of the heading. */
const pixelTextRoom = 90;

/** A plot with its heading: what it shows, values at the cursor, and controls to move and remove a parameter. */
export function PlotRow({
  parameters,
  load,
  shown,
  height,
}: {
  parameters: readonly string[];
  load: TraceLoad;
  shown: TimeRange;
  height: number;
}) {
  const { origin } = load;
  const isInOneStream = streams.value.length === 1;
  const { traces, lines, strips, mayBeStates } = usePlotParts(load, parameters);
  const axes = axesOf(parameters[0]!);
  const scales = useMemo(
    () =>
      new Map(axes.flatMap(({ unit, bounds }) => (bounds === undefined ? [] : [[unit, bounds] as const]))),
    [JSON.stringify(axes)],
  );
  const right = edgeSize + (hasRightScale.value ? rightSize : 0);
  const isOfSeveral = traces.some(({ points }) => points.bucket !== undefined);
  const seen = [secondsFrom(origin, shown.from), secondsFrom(origin, shown.to)] as const;
  const reach = (Number(shown.to - shown.from) / 1e9 / drawnWidth.value) * reachPixels;
  const readings = useMemo(
    () =>
      computed(() => {
        const time = cursorTime.value;
        if (time === undefined) return [];
        const place = secondsFrom(origin, time);
        return traces.map((trace) => readTrace(trace, place, reach));
      }),
    [traces, origin, reach],
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is dropped here has a menu as well
    <div
      class="plot-row"
      onDragOver={(event) => {
        if (event.dataTransfer?.types.includes(channelType)) event.preventDefault();
      }}
      onDrop={(event) => {
        const channel = event.dataTransfer?.getData(channelType) ?? '';
        if (channel !== '') show({ plots: together(plots.value, channel, parameters[0]!) });
      }}
    >
      <header style={{ '--pixel-room': isOfSeveral ? `${right + pixelTextRoom}px` : '0px' }}>
        {parameters.map((name) => (
          <span key={name} class="chip">
            {parameters.length > 1 && isInOneStream && <LineSwatch {...{ traces, lines, name }} />}
            <h2>{name}</h2>
            {unitOf(name) !== '' && <span class="soft">{unitOf(name)}</span>}
            <OutsideMark parameter={name} load={load} />
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
        <AxisMenu
          parameters={parameters}
          mayBeStates={mayBeStates}
          seen={(unit) => scaleRange({ lines, bounds: seen, height, strips, scales }, unit)}
        />
        <Readings
          lines={traces.map((trace, i) => ({
            key: `${trace.stream.topic}/${trace.stream.streamId}/${trace.parameter}`,
            // In one stream the headings before have the names, and the colours.
            label: isInOneStream ? '' : nameOf(trace),
            look: traces.length > 1 ? lines[i] : undefined,
          }))}
          readings={readings}
        />
      </header>
      <PixelTime lines={traces} right={right} />
      {isLive.value && <NowValues traces={traces} looks={lines} />}
      <Plot
        title={parameters.join(', ')}
        lines={lines}
        strips={strips}
        scales={scales}
        onResetScale={(unit) => resetScale(parameters[0]!, unit)}
        origin={origin}
        shown={shown}
        readings={readings}
        height={height}
        width={plotWidth.value}
        marks={marks.value.value ?? noMarks}
        hasNoteTexts={plots.value[0]?.[0] === parameters[0]}
      />
    </div>
  );
}

function LineSwatch({ traces, lines, name }: Pick<PlotParts, 'traces' | 'lines'> & { name: string }) {
  const line = lines[traces.findIndex(({ parameter }) => parameter === name)];
  return line === undefined ? null : <Swatch look={line} />;
}

function nameOf(trace: Trace): string {
  return `${trace.parameter} of ${runName(trace)}`;
}
