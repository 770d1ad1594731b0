import { signal } from '@preact/signals';
import type { Zone } from '../state/view-text.ts';

/** Whose clock times are told by: the view says it. */
export const zone = signal<Zone>('utc');

/** `UTC`, or how far the clock is from it at a time, ms since the Unix epoch: `UTC+02:00`. */
export function zoneName(millis: number): string {
  const minutes = zoneShift(millis) / 60_000;
  if (zone.value === 'utc') return 'UTC';
  const two = (value: number) => String(value).padStart(2, '0');
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? '−' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** Milliseconds that the clock of the zone is ahead of UTC at a time, ms since the Unix epoch. */
export function zoneShift(millis: number): number {
  if (zone.value === 'utc') return 0;
  const minutes = new Date(millis).getTimezoneOffset();
  return Number.isNaN(minutes) ? 0 : -minutes * 60_000;
}
