import { computed, type ReadonlySignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type uPlot from 'uplot';
import type { Bounds } from '../lines/bounds.ts';
import type { Reading } from '../lines/reading.ts';
import { secondsFrom, timeAt } from '../lines/traces.ts';
import { chosenCursors } from '../state/view.ts';
import type { TimeRange } from '../state/view-text.ts';
import { rightScales } from './axes.ts';
import { Chart } from './chart.tsx';
import { cursorTime, keyTime, setCursor } from './cursor.ts';
import { drawMarks } from './draw-marks.ts';
import type { DrawnLine } from './draw-points.ts';
import type { Strip } from './draw-strips.ts';
import { flagsOf } from './flags.ts';
import type { Gestures } from './gestures.ts';
import type { Marks } from './marks.ts';
import { notes } from './note-load.ts';
import { pan, showAll, showRange, zoom } from './range.ts';
import { timeTicks } from './time-ticks.ts';

export interface PlotProps {
  readonly title: string;
  /** Drawn at seconds from the origin. */
  readonly lines: readonly DrawnLine[];
  readonly strips: readonly Strip[];
  readonly scales: ReadonlyMap<string, Bounds>;
  readonly onResetScale: (unit: string) => void;
  readonly origin: bigint;
  readonly shown: TimeRange;
  readonly readings: ReadonlySignal<readonly (Reading | undefined)[]>;
  readonly height: number;
  readonly width: number;
  readonly marks: Marks;
  readonly hasNoteTexts: boolean;
}

/** Lines over time, the cursor in step with all others of the page. */
export function Plot(props: PlotProps) {
  const { title, lines, strips, origin, shown, readings, height, width, marks, hasNoteTexts } = props;
  const { from, to } = shown;
  const ticks = useMemo(() => timeTicks({ from, to }, origin), [from, to, origin]);
  const gestures = useMemo(() => timeGestures(origin), [origin]);
  const { a, b } = chosenCursors.value;
  const flags = useMemo(() => {
    const placeOf = (time: bigint | undefined) =>
      time === undefined ? undefined : secondsFrom(origin, time);
    return flagsOf(placeOf(a), placeOf(b));
  }, [origin, a, b]);
  const noteFlags = useMemo(
    () => notes.value.map((note) => ({ note, place: secondsFrom(origin, note.time) })),
    [origin, notes.value],
  );
  const keyPlace = useMemo(
    () => computed(() => (keyTime.value === undefined ? undefined : secondsFrom(origin, keyTime.value))),
    [origin],
  );
  const behind = useMemo(
    () => (chart: uPlot, ink: string) => drawMarks(chart, origin, marks, ink),
    [origin, marks],
  );
  return (
    <Chart
      title={title}
      lines={lines}
      strips={strips}
      scales={props.scales}
      onResetScale={props.onResetScale}
      bounds={[secondsFrom(origin, from), secondsFrom(origin, to)]}
      ticks={ticks}
      rightScales={rightScales.value}
      width={width}
      height={height}
      group="time"
      readings={readings}
      onCursor={(place) => {
        cursorTime.value = place === undefined ? undefined : timeAt(origin, place);
        keyTime.value = undefined;
      }}
      gestures={gestures}
      keyPlace={keyPlace}
      flags={flags}
      notes={noteFlags}
      hasNoteTexts={hasNoteTexts}
      behind={behind}
    />
  );
}

function timeGestures(origin: bigint): Gestures {
  return {
    select: (from, to) => showRange({ from: timeAt(origin, from), to: timeAt(origin, to) }, 'push'),
    zoom: (around, factor) => zoom(timeAt(origin, around), factor),
    pan,
    all: showAll,
    pick: (place, isOther) => setCursor(timeAt(origin, place), isOther),
  };
}
