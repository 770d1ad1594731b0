import type { Reading } from './reading.ts';
import { numberText } from './reading.ts';

/** How much larger a reading is than another one: `12.5` between rows, `11 … 14` where one of them stands for several. */
export function differenceText(a: Reading | undefined, b: Reading | undefined): string {
  if (a === undefined || b === undefined || a.text !== undefined) return '';
  const [least, most] = [b.low - a.high, b.high - a.low];
  return least === most ? numberText(least) : `${numberText(least)} … ${numberText(most)}`;
}

/** The same for each second between the rows that were read, which cursors stand beside as a rule. */
export function slopeText(a: Reading | undefined, b: Reading | undefined): string {
  if (a === undefined || b === undefined || a.x === b.x) return '';
  if (a.text !== undefined || a.low !== a.high || b.low !== b.high) return '';
  return numberText(Number(((b.low - a.low) / (b.x - a.x)).toPrecision(6)));
}
