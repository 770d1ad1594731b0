import type { RowsAlong } from './stream-state.ts';
import { maxWindowValues } from './value-queue.ts';

/** The fewest rows that are worth a way of their own. */
const fewRows = 64;

/**
 * The first row behind one whose window (t - width, t] lies within these rows, so that the queue has nothing else: from there on
 * the values of windows are at hand without it. `to` where there is none, and where rows are few or more than a window may have.
 */
export function firstWithin({ from, to, times }: RowsAlong, width: number): number {
  if (to - from < fewRows || to - from > maxWindowValues) return to;
  let row = from;
  while (row < to && times[row]! - width < times[from]!) row++;
  return Math.min(row + 1, to);
}

/** Whether no value is NaN or an infinity. */
export function areFinite({ from, to, values }: RowsAlong): boolean {
  let odd = 0;
  for (let row = from; row < to; row++) odd += values[row]! - values[row]!;
  return odd === 0;
}
