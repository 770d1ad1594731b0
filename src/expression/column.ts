import type { Presence } from '../domain/parameter-data.ts';

/** Values of rows, one double a row; meaningless where the row is not present. */
export interface NumberColumn {
  readonly values: Float64Array;
  readonly present: Presence;
}

/** Rows that both have; undefined means all. Bitmaps of the same number of rows. */
export function bothPresent(left: Presence, right: Presence): Presence {
  if (left === undefined || left === right) return right;
  if (right === undefined) return left;
  const both = new Uint8Array(left.length);
  for (let i = 0; i < both.length; i++) both[i] = left[i]! & right[i]!;
  return both;
}
