import { computed, type ReadonlySignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Bounds } from '../lines/bounds.ts';
import type { Look } from '../lines/colours.ts';
import type { Reading } from '../lines/reading.ts';
import { type FlagRow, flagRow } from '../plots/flag-values.tsx';
import { chosenPlaces } from '../state/view.ts';
import { cursorPlace } from './across.ts';
import type { LapLine } from './overlay-load.ts';
import { reachOf, readLap } from './read-lap.ts';

/** What stands at the cursor, line by line; none without a cursor. `lines` are the same until they are others. */
export function useReadings(
  lines: readonly LapLine[],
  bounds: Bounds,
): ReadonlySignal<readonly (Reading | undefined)[]> {
  const reach = reachOf(bounds);
  return useMemo(
    () =>
      computed(() => {
        const at = cursorPlace.value;
        return at === undefined ? [] : lines.map((line) => readLap(line, at, reach));
      }),
    [lines, reach],
  );
}

/** What stands at A and B, line by line. */
export function flagRowsOf(
  lines: readonly LapLine[],
  looks: readonly Look[],
  labels: readonly string[],
  bounds: Bounds,
): FlagRow[] {
  const reach = reachOf(bounds);
  return lines.map((line, i) =>
    flagRow(
      { key: String(i), look: looks[i], label: looks[i] === undefined ? labels[i]! : '' },
      (place: number) => readLap(line, place, reach),
      chosenPlaces.value,
    ),
  );
}
