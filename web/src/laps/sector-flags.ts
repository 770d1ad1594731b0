import { computed } from '@preact/signals';
import type { Flag } from '../plots/flags.ts';
import { beacons, sectors } from '../state/view.ts';
import { isAlongWay } from './sector-marks.ts';

const none: readonly Flag[] = [];

/** Where sectors end, on plots over distance. */
export const sectorFlags = computed<readonly Flag[]>(() => {
  const marks = sectors.value;
  if (marks.length === 0 || beacons.value !== '' || !isAlongWay()) return none;
  return marks.map((place, i) => ({ name: `S${i + 1}`, place, isSector: true }));
});
