import type { Reading } from './reading.ts';
import { numberText } from './reading.ts';

/** How much larger a reading is than another one: `12.5` between rows, `11 … 14` where one of them stands for several. */
export function differenceText(a: Reading | undefined, b: Reading | undefined, toText = numberText): string {
  if (a === undefined || b === undefined || a.text !== undefined) return '';
  const [least, most] = [b.low - a.high, b.high - a.low];
  return least === most ? toText(least) : `${toText(least)} … ${toText(most)}`;
}

/** The same for each second between the rows that were read, which cursors stand beside as a rule: whatever the axis is. */
export function slopeText(a: Reading | undefined, b: Reading | undefined): string {
  if (a === undefined || b === undefined) return '';
  if (a.text !== undefined || a.low !== a.high || b.low !== b.high) return '';
  const seconds = Number(twiceMiddle(b) - twiceMiddle(a)) / 2e9;
  return seconds === 0 ? '' : numberText(Number(((b.low - a.low) / seconds).toPrecision(6)));
}

/** Of the time of a row, or of the times of several. */
function twiceMiddle({ span }: Reading): bigint {
  return span.from + span.to;
}
