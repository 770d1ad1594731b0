import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { decodeIntegers, encodeIntegers } from './integer-frames.ts';

/**
 * The ascending times of a row group, as whole nanoseconds from the start of its window. The first and
 * the last stand in the part's index, the form in the group's directory:
 *
 *   Regular  equal steps from the first to the last: nothing is stored
 *   Frames   a varint, the unit: the greatest common divisor of all distances from the first time;
 *            integer frames of the distances in that unit (so clocks of microseconds or milliseconds do not
 *            pay for nanoseconds)
 */
export const TimesForm = { Regular: 0, Frames: 1 } as const;
export type TimesForm = (typeof TimesForm)[keyof typeof TimesForm];

/** Appends `offsets`, of which there is at least one. */
export function encodeTimes(out: ByteWriter, offsets: Float64Array): TimesForm {
  if (isRegular(offsets)) return TimesForm.Regular;
  const unit = commonUnit(offsets);
  const first = offsets[0]!;
  const distances = new Float64Array(offsets.length);
  for (let i = 0; i < offsets.length; i++) distances[i] = (offsets[i]! - first) / unit;
  out.varint(unit);
  encodeIntegers(out, distances, distances.length);
  return TimesForm.Frames;
}

/** Reads the times of `count` rows, into an array of their own or to the beginning of `into`. */
export function decodeTimes(
  reader: ByteReader,
  form: TimesForm,
  count: number,
  first: number,
  last: number,
  into?: Float64Array,
): Float64Array {
  if (form === TimesForm.Regular) {
    const step = regularStep(count, first, last);
    const offsets = into ?? new Float64Array(count);
    for (let i = 0; i < count; i++) offsets[i] = first + i * step;
    return offsets;
  }
  const unit = reader.varint();
  const offsets = decodeIntegers(reader, count, into);
  for (let i = 0; i < count; i++) offsets[i] = first + offsets[i]! * unit;
  return offsets;
}

function isRegular(offsets: Float64Array): boolean {
  const first = offsets[0]!;
  const step = regularStep(offsets.length, first, offsets.at(-1)!);
  for (let i = 0; i < offsets.length; i++) if (offsets[i] !== first + i * step) return false;
  return true;
}

/** The distance of neighbours of a regular clock: whole nanoseconds. */
export function regularStep(count: number, first: number, last: number): number {
  return count === 1 ? 0 : (last - first) / (count - 1);
}

/** The first row of a regular clock, whose step is not 0, that is not before a time since its first row. */
export function rowOfClock(since: number, step: number, count: number): number {
  // The quotient may be rounded by less than one row.
  let row = Math.min(count, Math.max(0, Math.ceil(since / step)));
  while (row > 0 && (row - 1) * step >= since) row--;
  while (row < count && row * step < since) row++;
  return row;
}

function commonUnit(offsets: Float64Array): number {
  const first = offsets[0]!;
  let unit = offsets.at(-1)! - first;
  for (let i = 1; i < offsets.length && unit > 1; i++) {
    const distance = offsets[i]! - first;
    // A product is far cheaper than the remainder of two doubles, and the unit changes a few times at most.
    if (Math.floor(distance / unit) * unit !== distance) unit = greatestCommonDivisor(unit, distance);
  }
  return unit;
}

function greatestCommonDivisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}
