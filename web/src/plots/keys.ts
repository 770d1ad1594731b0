import type { TraceLoad } from '../lines/traces.ts';
import { secondsFrom, timeAt } from '../lines/traces.ts';
import { streams } from '../state/view.ts';
import { clearCursors, cursorTime, keysBegin, setCursor } from './cursor.ts';
import { beginNote, noteTime } from './note.ts';
import { notes } from './note-load.ts';
import { goOutside } from './outside.ts';
import { goTo, pan, seenRange, showAll, zoom } from './range.ts';

/** What keys do to an axis. */
export interface KeyActions {
  /** Moves the cursor to the next row (1) or the one before (-1). */
  step(direction: 1 | -1): void;
  /** Moves by a share of what is shown. */
  pan(share: number): void;
  /** Zooms around the middle; a factor below 1 zooms in. */
  zoom(factor: number): void;
  /** Shows everything. */
  all(): void;
  /** Sets the first cursor that stays, or the other. */
  set?(isOther: boolean): void;
  /** Moves the cursor to the next place (1) outside of limits, or the one before (-1). */
  outside?(direction: 1 | -1): void;
  /** Takes both away. */
  clear?(): void;
  /** Makes a note at the cursor. */
  note?(): void;
  /** Sets a mark where a sector ends at the cursor, or takes it away. */
  sector?(): void;
}

/**
 * Keys on plots: arrows move the cursor, with Shift what is seen; + and - zoom, 0 shows everything, [ and ] set cursors,
 * N writes a note, M ends a sector, o goes to what is outside of limits.
 */
export function onPlotKey(
  event: KeyboardEvent,
  { step, pan, zoom, all, set, clear, note, outside, sector }: KeyActions,
): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const actions: Readonly<Record<string, (() => void) | undefined>> = {
    ArrowLeft: () => (event.shiftKey ? pan(-0.1) : step(-1)),
    ArrowRight: () => (event.shiftKey ? pan(0.1) : step(1)),
    PageUp: () => pan(-0.5),
    PageDown: () => pan(0.5),
    '+': () => zoom(0.7),
    '=': () => zoom(0.7),
    '-': () => zoom(1.4),
    '0': all,
    '[': set && (() => set(false)),
    ']': set && (() => set(true)),
    o: outside && (() => outside(1)),
    O: outside && (() => outside(-1)),
    Escape: clear,
    n: note,
    N: note,
    m: sector,
    M: sector,
  };
  const action = actions[event.key];
  if (action === undefined || event.target !== event.currentTarget) return;
  event.preventDefault();
  action();
}

/** Keys on plots over time. */
export function onTimeKey(event: KeyboardEvent, load: TraceLoad | undefined): void {
  const actions = timeKeys((direction) => stepRow(load, direction));
  if (actions !== undefined)
    onPlotKey(event, { ...actions, outside: (direction) => goOutside(load, direction) });
}

/** What keys do to the axis of time; undefined where nothing is seen. */
export function timeKeys(step: KeyActions['step']): KeyActions | undefined {
  const now = seenRange.value;
  if (now === undefined) return undefined;
  return {
    step,
    pan,
    zoom: (factor) => zoom(now.from + (now.to - now.from) / 2n, factor),
    all: showAll,
    set: (isOther) => setCursor(cursorTime.value, isOther),
    clear: clearCursors,
    note: () => beginNote(streams.peek()[0], noteTime.value, notes.value),
  };
}

/** To the next point of the first line that has one: the time of a row to the nanosecond, or the middle of a bucket. */
function stepRow(load: TraceLoad | undefined, direction: 1 | -1): void {
  const points = load?.traces.find((trace) => trace.points.x.length > 0)?.points;
  const seen = seenRange.value;
  if (load === undefined || points === undefined || seen === undefined) return;
  const now = keysBegin(seen) ?? seen.from + (seen.to - seen.from) / 2n;
  const next = nextPlace(points.x, secondsFrom(load.origin, now), direction);
  if (next < 0) return;
  const { from, to } = points.span(next);
  const time = from === to ? from : timeAt(load.origin, points.x[next]!);
  goTo(time);
}

/** Less than this apart, places are those of one time. */
const tolerance = 1e-9;

/** The first place behind another one, or the last before it; -1 where there is none. */
export function nextPlace(x: Float64Array, place: number, direction: 1 | -1): number {
  return direction === 1
    ? x.findIndex((own) => own > place + tolerance)
    : x.findLastIndex((own) => own < place - tolerance);
}
