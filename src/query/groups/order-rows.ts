import type { Pace } from '../../turns/pace.ts';

/** A key for each row, a whole number from 0 to below `end`. */
export interface RowKeys {
  readonly of: (row: number) => number;
  readonly end: number;
}

/** The widest range of keys, as a multiple of the rows, that is sorted by counting; others are better compared. */
const widestRange = 2;
/** The fewest rows that are sorted by counting: fewer are as quick to compare. */
const fewestRows = 64;

/** Whether counting is quicker than comparing. */
export function isCountable(count: number, keys: readonly RowKeys[]): boolean {
  return count >= fewestRows && keys.every(({ end }) => end <= widestRange * count);
}

/** Steps between two calls of the pace: well below a millisecond of work. */
const stepsBetweenPauses = 32_768;

/**
 * The order of the rows 0 to `count` - 1 by the first key, among equals by the next, by counting: it takes a step for each row
 * and each value of a key. Many rows give up the thread on the way.
 */
export async function orderByCounting(
  count: number,
  keys: readonly RowKeys[],
  pace: Pace,
): Promise<Uint32Array<ArrayBuffer>> {
  let order = new Uint32Array(count);
  for (let row = 0; row < count; row++) order[row] = row;
  // From the last key to the first: each keeps the order of rows with the same key.
  for (const { of, end } of keys.toReversed()) {
    const places = new Uint32Array(end + 1);
    for (let from = 0; from < count; from += stepsBetweenPauses) {
      const to = Math.min(count, from + stepsBetweenPauses);
      for (let row = from; row < to; row++) places[of(row) + 1]!++;
      const turn = pace();
      if (turn !== undefined) await turn;
    }
    for (let key = 0; key < end; key++) places[key + 1]! += places[key]!;
    const next = new Uint32Array(count);
    for (let from = 0; from < count; from += stepsBetweenPauses) {
      const to = Math.min(count, from + stepsBetweenPauses);
      for (let i = from; i < to; i++) {
        const row = order[i]!;
        next[places[of(row)]!++] = row;
      }
      const turn = pace();
      if (turn !== undefined) await turn;
    }
    order = next;
  }
  return order;
}
