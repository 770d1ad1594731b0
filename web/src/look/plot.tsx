import type { ReadonlySignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type uPlot from 'uplot';
import { show } from '../state/view.ts';
import type { TimeRange } from '../state/view-text.ts';
import { hasRightScale } from './axes.ts';
import { Chart, type Ticks } from './chart.tsx';
import { cursorTime } from './cursor.ts';
import { drawMarks } from './draw-marks.ts';
import type { DrawnLine } from './draw-points.ts';
import type { Gestures } from './gestures.ts';
import type { Marks } from './marks.ts';
import { pan, showRange, zoom } from './range.ts';
import type { Reading } from './reading.ts';
import { roundTimes } from './round-times.ts';
import { tickTexts } from './time-text.ts';
import { secondsFrom, timeAt } from './traces.ts';

export interface PlotProps {
  readonly title: string;
  /** Drawn at seconds from the origin. */
  readonly lines: readonly DrawnLine[];
  readonly origin: bigint;
  readonly shown: TimeRange;
  readonly readings: ReadonlySignal<readonly (Reading | undefined)[]>;
  readonly height: number;
  readonly width: number;
  readonly marks: Marks;
}

/** Lines over time, the cursor in step with all others of the page. */
export function Plot({ title, lines, origin, shown, readings, height, width, marks }: PlotProps) {
  const { from, to } = shown;
  const ticks = useMemo(() => timeTicks({ from, to }, origin), [from, to, origin]);
  const gestures = useMemo(() => timeGestures(origin), [origin]);
  const behind = useMemo(
    () => (chart: uPlot, ink: string) => drawMarks(chart, origin, marks, ink),
    [origin, marks],
  );
  return (
    <Chart
      title={title}
      lines={lines}
      bounds={[secondsFrom(origin, from), secondsFrom(origin, to)]}
      ticks={ticks}
      hasRightScale={hasRightScale.value}
      width={width}
      height={height}
      group="time"
      readings={readings}
      onCursor={(place) => {
        cursorTime.value = place === undefined ? undefined : timeAt(origin, place);
      }}
      gestures={gestures}
      behind={behind}
    />
  );
}

/** Pixels from one tick to the next, at least. */
const tickPixels = 110;

/** Ticks at round times of the clock, whatever the origin is. */
function timeTicks(range: TimeRange, origin: bigint): Ticks {
  return {
    splits: (width) =>
      roundTimes(range, Math.max(2, Math.floor(width / tickPixels))).map((time) => secondsFrom(origin, time)),
    texts: (splits) => {
      const times = splits.map((split) => timeAt(origin, split));
      const step = times.length > 1 ? times[1]! - times[0]! : 1_000_000_000n;
      return tickTexts(times, step);
    },
  };
}

function timeGestures(origin: bigint): Gestures {
  return {
    select: (from, to) => showRange({ from: timeAt(origin, from), to: timeAt(origin, to) }, 'push'),
    zoom: (around, factor) => zoom(timeAt(origin, around), factor),
    pan,
    all: () => show({ range: undefined }),
  };
}
