import { computed, type ReadonlySignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Bounds } from '../lines/bounds.ts';
import type { Look } from '../lines/colours.ts';
import type { Reading } from '../lines/reading.ts';
import { drawnPixels } from '../plots/axes.ts';
import { reachPixels } from '../plots/cursor.ts';
import { type FlagRow, flagRow } from '../plots/flag-values.tsx';
import { plotWidth } from '../plots/width.ts';
import { chosenPlaces } from '../state/view.ts';
import { cursorPlace } from './across.ts';

/** How far from a row one still means it, in units of the axis. */
export function reachOf([low, high]: Bounds): number {
  return ((high - low) / drawnPixels(plotWidth.value, false)) * reachPixels;
}

/**
 * What stands at the cursor, line by line; none without a cursor.
 * @param read what a line says at a place, and `reach` around it; the same function at each call
 */
export function useReadings<Line>(
  lines: readonly Line[],
  bounds: Bounds,
  read: (line: Line, at: number, reach: number) => Reading | undefined,
): ReadonlySignal<readonly (Reading | undefined)[]> {
  const reach = reachOf(bounds);
  return useMemo(
    () =>
      computed(() => {
        const at = cursorPlace.value;
        return at === undefined ? [] : lines.map((line) => read(line, at, reach));
      }),
    [lines, reach, read],
  );
}

/** What stands at A and B, line by line. */
export function flagRowsOf<Line>(
  lines: readonly Line[],
  looks: readonly Look[],
  labels: readonly string[],
  bounds: Bounds,
  read: (line: Line, at: number, reach: number) => Reading | undefined,
): FlagRow[] {
  const reach = reachOf(bounds);
  return lines.map((line, i) =>
    flagRow(
      { key: String(i), look: looks[i], label: looks[i] === undefined ? labels[i]! : '' },
      (place: number) => read(line, place, reach),
      chosenPlaces.value,
    ),
  );
}
