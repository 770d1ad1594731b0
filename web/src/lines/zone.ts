import { signal } from '@preact/signals';
import type { Zone } from '../state/view-text.ts';

/** Whose clock times are told by: the view says it. */
export const zone = signal<Zone>('utc');

/** Milliseconds that the clock of the zone is ahead of UTC at a time, ms since the Unix epoch. */
export function zoneShift(millis: number): number {
  if (zone.value === 'utc') return 0;
  const minutes = new Date(millis).getTimezoneOffset();
  return Number.isNaN(minutes) ? 0 : -minutes * 60_000;
}
