import { signal } from '@preact/signals';
import type { Zone } from '../state/view-text.ts';

/** Whose clock times are told by: the view says it. */
export const zone = signal<Zone>('utc');

/** Whose clock it is, in words. */
export function clockWords(): string {
  return zone.value === 'utc' ? 'UTC' : 'local time';
}

/** `UTC`, or how far the clock is from it at a time, ms since the Unix epoch: `UTC+02:00`. */
export function zoneName(millis: number): string {
  if (zone.value === 'utc') return 'UTC';
  const shift = zoneShift(millis);
  const clock = new Date(Math.abs(shift)).toISOString().slice(11, 19);
  return `UTC${shift < 0 ? '−' : '+'}${clock.endsWith(':00') ? clock.slice(0, 5) : clock}`;
}

const dayMs = 86_400_000;

/** Milliseconds that the zone is ahead of UTC where its clock says a time, ms as if it were UTC; or why it does not say which. */
export function shiftOfLocal(clock: number): number | string {
  // No clock is changed twice in two days.
  const shifts = new Set([zoneShift(clock - dayMs), zoneShift(clock + dayMs)]);
  const [shift, other] = [...shifts].filter((one) => zoneShift(clock - one) === one);
  if (shift === undefined) return 'Local clocks leave this time out: they go forward there';
  return other === undefined
    ? shift
    : `Local clocks show this time twice: put ${[shift, other].map(offsetText).join(' or ')} behind it`;
}

function offsetText(shift: number): string {
  return `${shift < 0 ? '-' : '+'}${new Date(Math.abs(shift)).toISOString().slice(11, 16)}`;
}

/** Milliseconds that the clock of the zone is ahead of UTC at a time, ms since the Unix epoch. */
export function zoneShift(millis: number): number {
  if (zone.value === 'utc') return 0;
  const date = new Date(millis);
  // The offset that a browser tells has no seconds, which clocks of earlier times had.
  const clock = Date.UTC(
    date.getFullYear(),
    date.getMonth(),
    date.getDate(),
    date.getHours(),
    date.getMinutes(),
    date.getSeconds(),
    date.getMilliseconds(),
  );
  return Number.isNaN(clock) ? 0 : clock - date.getTime();
}
