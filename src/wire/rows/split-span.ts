import type { Rows } from '../../domain/parameter-data.ts';
import { offsetFrom, spanLimit } from '../../domain/timestamp.ts';
import { type Steps, whole } from '../../turns/steps.ts';
import { type RowValues, selectSteps } from './select-rows.ts';

/**
 * Splits the given rows of a payload that spans 2^53 ns (104 days) or more: as few `Rows` as possible, each
 * spanning less. Rows of one identity stay together, in their order. At most 2^64 / 2^53 parts come out.
 */
export function splitSpan(times: BigInt64Array, rows: Uint32Array, values: RowValues): Rows[] {
  return whole(splitSteps(times, rows, values));
}

const span = BigInt(spanLimit);

/** Large integers are slow: a step of so many takes about a millisecond. */
const rowsOfStep = 8192;

/** Splits rows in steps. */
export function* splitSteps(times: BigInt64Array, rows: Uint32Array, values: RowValues): Steps<Rows[]> {
  const sorted: BigInt64Array[] = [];
  for (let from = 0; from < rows.length; from += rowsOfStep) {
    if (from > 0) yield;
    sorted.push(BigInt64Array.from(rows.subarray(from, from + rowsOfStep), (row) => times[row]!).sort());
  }
  const bases = partBases(sorted);
  const parts = bases.map((): number[] => []);
  for (let from = 0; from < rows.length; from += rowsOfStep) {
    if (from > 0) yield;
    for (const row of rows.subarray(from, from + rowsOfStep)) parts[partOf(times[row]!, bases)]!.push(row);
  }
  const split: Rows[] = [];
  for (const [i, part] of parts.entries()) {
    const selected = Uint32Array.from(part);
    const base = bases[i]!;
    const offsets = new Float64Array(part.length);
    for (let row = 0; row < part.length; row++) {
      if (row > 0 && row % rowsOfStep === 0) yield;
      offsets[row] = offsetFrom(base, times[selected[row]!]!);
    }
    split.push({ count: part.length, base, offsets, ...(yield* selectSteps(values, selected)) });
  }
  return split;
}

/** The first time of each part, of times that are sorted piece by piece. */
function partBases(sorted: readonly BigInt64Array[]): bigint[] {
  const bases: bigint[] = [];
  for (let base = firstFrom(sorted, undefined); base !== undefined; base = firstFrom(sorted, base + span))
    bases.push(base);
  return bases;
}

/** The first time from `from` on. */
function firstFrom(sorted: readonly BigInt64Array[], from: bigint | undefined): bigint | undefined {
  let first: bigint | undefined;
  for (const piece of sorted) {
    const time = piece[from === undefined ? 0 : placeOf(piece, from)];
    if (time !== undefined && (first === undefined || time < first)) first = time;
  }
  return first;
}

/** Where the first time from `from` on stands in a piece; its length where none does. */
function placeOf(piece: BigInt64Array, from: bigint): number {
  let low = 0;
  let high = piece.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (piece[middle]! < from) low = middle + 1;
    else high = middle;
  }
  return low;
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
