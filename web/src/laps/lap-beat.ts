import { computed } from '@preact/signals';
import { beat } from '../live/news.ts';
import { isLive, mode } from '../state/view.ts';
import { laps } from './overlay-drawn.ts';

/**
 * Changes with each beat of live data and, where laps are compared, when what a beat brought to them is known: who reads the rows of
 * laps at the beat alone may have read them as they were before it, and the last beat has none behind it.
 */
export const lapBeat = computed(() => ({
  beat: beat.value,
  laps: isLive.value && mode.value === 'overlay' ? laps.value.value : undefined,
}));
