import { useMemo } from 'preact/hooks';
import { secondsFrom, timeAt } from '../lines/traces.ts';
import { zone, zoneName } from '../lines/zone.ts';
import { chosenCursors, streams } from '../state/view.ts';
import type { TimeRange } from '../state/view-text.ts';
import { mayWrite } from '../ui/permission.ts';
import { drawnPixels, leftSize, rightScales } from './axes.ts';
import { Axis, onAxis } from './axis.tsx';
import { cursorTime } from './cursor.ts';
import { TimeText } from './cursor-time.tsx';
import { drawnRange } from './drawn.ts';
import { beginNote } from './note.ts';
import { notes } from './note-load.ts';
import { pan, zoom } from './range.ts';
import { SpokenValues } from './spoken-values.tsx';
import { timeTicks } from './time-ticks.ts';
import { plotWidth } from './width.ts';

/** The one axis of time below all plots, with the time at the cursor. */
export function TimeAxis() {
  const shown = drawnRange.value;
  return shown === undefined ? null : <AxisOf range={shown} />;
}

function AxisOf({ range: { from, to } }: { range: TimeRange }) {
  const clock = zone.value;
  // Texts are those of the zone.
  const ticks = useMemo(() => timeTicks({ from, to }, from), [from, to, clock]);
  return (
    <Axis
      bounds={[0, secondsFrom(from, to)]}
      ticks={ticks}
      width={plotWidth.value}
      rightScales={rightScales.value}
      gestures={{ pan, zoom: (place, factor) => zoom(timeAt(from, place), factor) }}
    >
      <NoteButton range={{ from, to }} />
      <CursorTime range={{ from, to }} />
      <SpokenValues />
    </Axis>
  );
}

/** At the cursor A: writes a note there. */
function NoteButton({ range: { from, to } }: { range: TimeRange }) {
  const { a } = chosenCursors.value;
  if (a === undefined || a < from || a > to || !mayWrite.value) return null;
  const drawn = drawnPixels(plotWidth.value, rightScales.value);
  return (
    <button
      type="button"
      class="note-button"
      aria-label="Write a note at A"
      style={{ left: `${leftSize + (secondsFrom(from, a) / secondsFrom(from, to)) * drawn}px` }}
      onClick={() => beginNote(streams.peek()[0], a, notes.peek())}
    >
      ✎ note
    </button>
  );
}

/** The time at the cursor, below it. */
function CursorTime({ range: { from, to } }: { range: TimeRange }) {
  const time = cursorTime.value;
  const drawn = drawnPixels(plotWidth.value, rightScales.value);
  const share = time === undefined ? 0 : secondsFrom(from, time) / secondsFrom(from, to);
  const left = leftSize + Math.min(1, Math.max(0, share)) * drawn;
  return (
    <output class="cursor-time" aria-label="Time at the cursor" style={onAxis(left, plotWidth.value)}>
      {time !== undefined && <TimeText time={time} pixel={Number(to - from) / drawn} />}
      {time !== undefined && zone.value === 'local' && ` ${zoneName(Number(time / 1_000_000n))}`}
    </output>
  );
}
