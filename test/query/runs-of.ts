import { noTags } from '../../src/domain/tags.ts';
import type { QueryMemory } from '../../src/query/bounds/query-memory.ts';
import type { DecodedRows, NumberValues } from '../../src/query/runs/rows-to-aggregate.ts';
import type { Runs } from '../../src/query/runs/runs.ts';

/** Memory without an end. */
export const endless: QueryMemory = { bytes: () => 0, take() {}, release() {}, apart: () => endless };

/** Runs of `length` rows for each slot in turn. */
export function runsOf(...runs: readonly (readonly [slot: number, length: number])[]): Runs {
  let end = 0;
  return {
    count: runs.length,
    slots: Uint32Array.from(runs, ([slot]) => slot),
    ends: Uint32Array.from(runs, ([, length]) => {
      end += length;
      return end;
    }),
  };
}

/** A column; null is no value. */
export function numbers(values: readonly (number | null)[]): NumberValues {
  const present = new Uint8Array((values.length + 7) >> 3);
  values.forEach((value, row) => {
    if (value !== null) present[row >> 3]! |= 1 << (row & 7);
  });
  return {
    // What stands in the place of nothing must not count.
    values: Float64Array.from(values, (value) => value ?? 12345),
    present: values.includes(null) ? present : undefined,
  };
}

/** Rows without tags at these times (ns). */
export function rowsAt(times: readonly bigint[], columns: DecodedRows['columns'] = []): DecodedRows {
  const base = times[0]!;
  return {
    count: times.length,
    base,
    offsets: Float64Array.from(times, (time) => Number(time - base)),
    tagSets: [noTags],
    tagIndex: undefined,
    columns,
  };
}
