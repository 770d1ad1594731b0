import type { Rows } from '../domain/parameter-data.ts';
import { offsetFrom, spanLimit } from '../domain/timestamp.ts';
import { type RowValues, selectRows } from './select-rows.ts';

/**
 * Splits the given rows of a payload that spans 2^53 ns (104 days) or more: as few `Rows` as possible, each
 * spanning less. Rows of one identity stay together, in their order. At most 2^64 / 2^53 parts come out.
 */
export function splitSpan(times: BigInt64Array, rows: Uint32Array, values: RowValues): Rows[] {
  const bases = partBases(BigInt64Array.from(rows, (row) => times[row]!).sort());
  const parts = bases.map((): number[] => []);
  for (const row of rows) parts[partOf(times[row]!, bases)]!.push(row);
  return parts.map((part, i) => {
    const selected = Uint32Array.from(part);
    const base = bases[i]!;
    const offsets = Float64Array.from(selected, (row) => offsetFrom(base, times[row]!));
    return { count: part.length, base, offsets, ...selectRows(values, selected) };
  });
}

/** The first time of each part. */
function partBases(sorted: BigInt64Array): bigint[] {
  const bases: bigint[] = [];
  let base: bigint | undefined;
  for (const time of sorted) {
    if (base !== undefined && time - base < spanLimit) continue;
    base = time;
    bases.push(time);
  }
  return bases;
}

/** The last part that does not begin after `time`. */
function partOf(time: bigint, bases: readonly bigint[]): number {
  let low = 0;
  let high = bases.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (bases[middle]! <= time) low = middle;
    else high = middle;
  }
  return low;
}
