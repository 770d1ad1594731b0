import type { Presence } from '../domain/parameter-data.ts';

/** The presence of a column of `count` rows without those in `nulls` (ascending, not all of them). */
export function presenceWithout(nulls: readonly number[], count: number): Presence {
  if (nulls.length === 0) return undefined;
  const present = allPresent(count);
  for (const row of nulls) present[row >> 3]! &= ~(1 << (row & 7));
  return present;
}

/** A bitmap of `count` rows that are all there; the bits behind the last row are zero. */
export function allPresent(count: number): Uint8Array {
  const present = new Uint8Array((count + 7) >> 3).fill(255);
  if ((count & 7) !== 0) present[count >> 3] = (1 << (count & 7)) - 1;
  return present;
}
