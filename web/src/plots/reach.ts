import { computed } from '@preact/signals';
import { drawnWidth } from './axes.ts';
import { reachPixels } from './cursor.ts';
import { drawnRange } from './drawn.ts';

/** How far from a point one still means it on the axis of time, seconds. */
export const timeReach = computed(() => {
  const shown = drawnRange.value;
  return shown === undefined ? 0 : (Number(shown.to - shown.from) / 1e9 / drawnWidth.value) * reachPixels;
});
