import { computed } from '@preact/signals';
import type { Flag } from '../plots/flags.ts';
import { beacons, sectors } from '../state/view.ts';
import { isAlongWay } from './sector-marks.ts';

const none: readonly Flag[] = [];

/** Sectors on plots over distance. */
export const sectorFlags = computed<readonly Flag[]>(() => {
  const marks = sectors.value;
  if (marks.length === 0 || beacons.value !== '' || !isAlongWay()) return none;
  // The last one ends at the line.
  const ends = [...marks, Number.POSITIVE_INFINITY];
  return ends.map((place, i) => ({ name: `S${i + 1}`, place, begin: marks[i - 1] ?? 0 }));
});
