import type { ReadonlySignal } from '@preact/signals';
import type uPlot from 'uplot';
import type { Mark } from '../lines/reading.ts';
import { placeDots } from './dots.ts';
import type { DrawnLine } from './draw-points.ts';
import { type Flag, placeFlags } from './flags.ts';
import { type NoteFlag, placeNotes } from './note-flags.ts';

interface Placed {
  readonly lines: readonly DrawnLine[];
  readonly readings: ReadonlySignal<readonly (Mark | undefined)[]>;
  readonly flags?: readonly Flag[];
  readonly notes?: readonly NoteFlag[];
  readonly hasNoteTexts?: boolean;
}

/**
 * Places elements on a chart when all charts that are drawn in this turn are drawn: to draw text, browsers lay the page out
 * where it has changed, once for each of them. Nothing is placed on a chart that `latest` says is not there any more.
 */
export function placeOn(chart: uPlot, latest: () => Placed | undefined): void {
  queueMicrotask(() => {
    const now = latest();
    if (now === undefined) return;
    placeDots(chart, now.lines, now.readings.peek());
    placeFlags(chart, now.flags ?? []);
    placeNotes(chart, now.notes ?? [], now.hasNoteTexts ?? false);
  });
}

/** The same of the dots alone, also behind charts that are yet to be drawn in this turn. */
export function placeDotsOn(chart: uPlot, latest: () => Placed | undefined): void {
  const place = () => {
    const now = latest();
    if (now !== undefined) placeDots(chart, now.lines, now.readings.peek());
  };
  queueMicrotask(() => queueMicrotask(place));
}
