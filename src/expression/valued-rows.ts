import { isPresent } from '../domain/parameter-data.ts';
import type { NumberColumn } from './column.ts';
import type { ValueMemory } from './value-memory.ts';

/** The rows of a column that have a value, one after another. */
export interface ValuedRows {
  readonly count: number;
  /** Their places among all rows. */
  readonly rows: Uint32Array;
  readonly times: Float64Array;
  readonly values: Float64Array;
}

/** Gathers the rows of columns that have a value, so that loops along them ask no row whether it has one. */
export function valuedRowsOf(
  memory: ValueMemory,
): (column: NumberColumn, times: Float64Array, count: number) => ValuedRows {
  const timesOut = memory.output();
  const valuesOut = memory.output();
  return ({ values, present }, times, count) => {
    const rows = new Uint32Array(count);
    const [ownTimes, ownValues] = [timesOut(count), valuesOut(count)];
    let found = 0;
    for (let row = 0; row < count; row++) {
      if (!isPresent(present, row)) continue;
      rows[found] = row;
      ownTimes[found] = times[row]!;
      ownValues[found] = values[row]!;
      found++;
    }
    return { count: found, rows, times: ownTimes, values: ownValues };
  };
}

/** Puts what was made of valued rows into the places of these among `count` rows, in the same memory. */
export function inPlaces({ values, present }: NumberColumn, valued: ValuedRows, count: number): NumberColumn {
  const placed = new Uint8Array((count + 7) >> 3);
  // From the last one on: no place is before its row.
  for (let i = valued.count - 1; i >= 0; i--) {
    if (!isPresent(present, i)) continue;
    const row = valued.rows[i]!;
    values[row] = values[i]!;
    placed[row >> 3]! |= 1 << (row & 7);
  }
  return { values, present: placed };
}
