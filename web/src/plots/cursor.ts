import { effect, signal } from '@preact/signals';
import { chosenCursors, show } from '../state/view.ts';
import type { TimeRange } from '../state/view-text.ts';
import { settled } from '../ui/settled.ts';

/** The time under the pointer, or where keys have put it, ns; undefined where it is over no plot. */
export const cursorTime = signal<bigint | undefined>(undefined);

/** A hand rests when it has not moved for so long, ms: rows are read then, not one for each pixel. */
export const handRestMs = 80;
/** The time where the hand rests. */
export const restedCursor = settled(cursorTime, handRestMs);

/** Where keys have put it: the plots draw it there. */
export const keyTime = signal<bigint | undefined>(undefined);

let last: bigint | undefined;
effect(() => {
  last = cursorTime.value ?? last;
});

/** Where keys begin: at the cursor, or else at A or where the cursor was last, if that is seen. */
export function keysBegin({ from, to }: TimeRange): bigint | undefined {
  const isSeen = (time: bigint | undefined) => time !== undefined && time >= from && time <= to;
  return cursorTime.peek() ?? [chosenCursors.peek().a, last].find(isSeen);
}

export function moveCursor(time: bigint): void {
  cursorTime.value = time;
  keyTime.value = time;
}

/** So many pixels from a point one still means it. */
export const reachPixels = 4;

/**
 * Sets one of the cursors that stay; the second one only where there is a first. Fingers do not say which (undefined):
 * they set the first, then the second, then begin anew.
 */
export function setCursor(time: bigint | undefined, isOther: boolean | undefined): void {
  if (time === undefined) return;
  const { a, b } = chosenCursors.peek();
  if (isOther === undefined && b !== undefined) show({ a: time, b: undefined }, 'replace');
  else show(isOther === false || a === undefined ? { a: time } : { b: time }, 'replace');
}

export function clearCursors(): void {
  show({ a: undefined, b: undefined }, 'replace');
}
