import { computed, type ReadonlySignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Bounds } from '../lines/bounds.ts';
import type { Reading } from '../lines/reading.ts';
import { drawnPixels } from '../plots/axes.ts';
import { reachPixels } from '../plots/cursor.ts';
import { plotWidth } from '../plots/width.ts';
import { cursorPlace } from './across.ts';

/**
 * What stands at the cursor, line by line; none without a cursor.
 * @param read what a line says at a place, and `reach` around it; the same function at each call
 */
export function useReadings<Line>(
  lines: readonly Line[],
  [low, high]: Bounds,
  read: (line: Line, at: number, reach: number) => Reading | undefined,
): ReadonlySignal<readonly (Reading | undefined)[]> {
  const reach = ((high - low) / drawnPixels(plotWidth.value, false)) * reachPixels;
  return useMemo(
    () =>
      computed(() => {
        const at = cursorPlace.value;
        return at === undefined ? [] : lines.map((line) => read(line, at, reach));
      }),
    [lines, reach, read],
  );
}
