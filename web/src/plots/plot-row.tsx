import { useComputed, useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { channelType, together } from '../channels/arrange.ts';
import { statesWith } from '../channels/plotted.ts';
import type { Bounds } from '../lines/bounds.ts';
import { secondsFrom, type TraceLoad } from '../lines/traces.ts';
import { chosenCursors, isLive, plots, show } from '../state/view.ts';
import type { TimeRange } from '../state/view-text.ts';
import { axesOf, resetScale } from './axis-scales.ts';
import { cursorTime } from './cursor.ts';
import { drawn, drawnRange } from './drawn.ts';
import { type FlagRow, flagRow } from './flag-values.tsx';
import { drawnMarks } from './mark-load.ts';
import { numberless } from './no-numbers.tsx';
import { NowValues } from './now-values.tsx';
import { Plot } from './plot.tsx';
import { PlotFrame } from './plot-frame.tsx';
import { PlotHeading } from './plot-heading.tsx';
import { usePlotParts } from './plot-parts.ts';
import { showAll } from './range.ts';
import { readTrace } from './read-trace.ts';
import { PixelTime } from './readings.tsx';
import { scaleRange } from './unit-range.ts';
import { plotWidth } from './width.ts';

/** Nothing is read. */
const none: readonly undefined[] = [];
const noFlags: readonly FlagRow[] = [];

/** A plot with its heading and the values of now. */
export function PlotRow({ parameters, height }: { parameters: readonly string[]; height: number }) {
  const load = drawn.value;
  const shown = drawnRange.value;
  return load === undefined || shown === undefined ? null : (
    <DrawnRow {...{ parameters, height, load, shown }} />
  );
}

/** Whether a line has a point within bounds. */
function hasPlaces(x: Float64Array, [low, high]: Bounds): boolean {
  return x.some((place) => place >= low && place <= high);
}

/** Says that nothing is here, and leads back. */
function NoRows() {
  return (
    <span class="no-rows">
      No rows in this range{' '}
      <button type="button" onClick={showAll}>
        Show all
      </button>
    </span>
  );
}

function DrawnRow({
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
  const { traces, lines, strips, mayBeStates } = usePlotParts(load, parameters);
  const axes = axesOf(parameters[0]!);
  const scales = useMemo(
    () =>
      new Map(axes.flatMap(({ unit, bounds }) => (bounds === undefined ? [] : [[unit, bounds] as const]))),
    [JSON.stringify(axes)],
  );
  const seen = [secondsFrom(origin, shown.from), secondsFrom(origin, shown.to)] as const;
  const isEmpty = traces.length > 0 && traces.every(({ points }) => !hasPlaces(points.x, seen));
  const odd = numberless(traces.slice(0, lines.length), seen);
  // The same while one zooms or moves: else each frame would read, and lay the page out, anew.
  const shownNow = useMemo(() => ({ traces, origin, lines }), [traces, origin, lines]);
  const now = useSignal(shownNow);
  now.value = shownNow;
  const readings = useComputed(() => {
    const time = cursorTime.value;
    if (time === undefined) return none;
    const own = now.value;
    return own.traces.map((trace) => readTrace(trace, own.origin, time));
  });
  const latest = useRef({ lines, bounds: seen, height, strips, scales });
  latest.current = { lines, bounds: seen, height, strips, scales };
  // The heading stays as it is while live data comes.
  const looks = lines.map(({ colour, dash, isBold = false, width }) => ({
    colour,
    dash,
    isBold,
    ...(width && { width }),
  }));
  const told = JSON.stringify([
    traces.map(({ stream, parameter, points }) => [stream, parameter, points.bucket !== undefined]),
    looks,
    mayBeStates,
    odd,
  ]);
  const flagRows = useComputed(() => {
    const { a, b } = chosenCursors.value;
    // Live data moves on from where they are.
    if (isLive.value || (a === undefined && b === undefined)) return noFlags;
    const own = now.value;
    return own.traces.map((trace, i) =>
      flagRow(
        {
          key: String(i),
          look: own.traces.length > 1 ? own.lines[i] : undefined,
          label: own.traces.length > 1 && own.lines[i] === undefined ? trace.parameter : '',
        },
        (time: bigint) => readTrace(trace, own.origin, time),
        { a, b },
      ),
    );
  });
  const heading = useMemo(
    () => (
      <PlotHeading
        {...{ parameters, looks, mayBeStates, odd, readings, flagRows }}
        traces={traces.map(({ stream, parameter, points }) => ({
          stream,
          parameter,
          isBanded: points.bucket !== undefined,
        }))}
        seen={(unit) => scaleRange(latest.current, unit)}
      />
    ),
    [parameters, told, readings, flagRows],
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is dropped here has a menu as well
    <div
      class={`plot-row ${lines.length === 0 ? 'of-strips' : ''}`}
      onDragOver={(event) => {
        if (event.dataTransfer?.types.includes(channelType)) event.preventDefault();
      }}
      onDrop={(event) => {
        const channel = event.dataTransfer?.getData(channelType) ?? '';
        if (channel === '') return;
        // A browser that opens what is dropped would leave the page.
        event.preventDefault();
        show({ plots: together(plots.value, channel, parameters[0]!), states: statesWith(channel) });
      }}
    >
      <PlotFrame
        shape={`${told} ${isLive.value} ${isEmpty}`}
        height={height}
        head={
          <>
            {heading}
            {isLive.value && <NowValues traces={traces} looks={lines} />}
            <PixelTime lines={traces} />
            {isEmpty && <NoRows />}
          </>
        }
        draw={(drawnHeight) => {
          latest.current = { ...latest.current, height: drawnHeight };
          return (
            <Plot
              title={parameters.join(', ')}
              lines={lines}
              strips={strips}
              scales={scales}
              onResetScale={(unit) => resetScale(parameters[0]!, unit)}
              origin={origin}
              shown={shown}
              readings={readings}
              height={drawnHeight}
              width={plotWidth.value}
              marks={drawnMarks.value}
              hasNoteTexts={plots.value[0]?.[0] === parameters[0]}
            />
          );
        }}
      />
    </div>
  );
}
