import { isPresent, type Presence } from '../../../domain/parameter-data.ts';
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';

/**
 * Which rows of a column have a value. How it is stored stands in the group's directory:
 *
 *   All     every row has one: nothing is stored
 *   Bitmap  a bit per row as in domain/parameter-data.ts, padded with zeros to a byte
 *   Runs    lengths of runs as varints, absent and present in turn, the first one absent; they add up to
 *           the number of rows
 */
export const PresenceForm = { All: 0, Bitmap: 1, Runs: 2 } as const;
export type PresenceForm = (typeof PresenceForm)[keyof typeof PresenceForm];

/** Appends the presence of `rows` rows in the shorter form. */
export function encodePresence(out: ByteWriter, present: Presence, rows: number): PresenceForm {
  if (present === undefined || countPresent(present, rows) === rows) return PresenceForm.All;
  const start = out.length;
  const bitmapLength = Math.ceil(rows / 8);
  let runStart = 0;
  let value = false;
  for (let row = 0; row < rows && out.length - start < bitmapLength; row++) {
    if (!value && startsAbsentByte(present, row)) row += 7;
    if (isPresent(present, row) === value) continue;
    out.varint(row - runStart);
    runStart = row;
    value = !value;
  }
  out.varint(rows - runStart);
  if (out.length - start < bitmapLength) return PresenceForm.Runs;
  out.length = start;
  out.append(present.subarray(0, bitmapLength));
  if ((rows & 7) !== 0) out.bytes[out.length - 1]! &= (1 << (rows & 7)) - 1;
  return PresenceForm.Bitmap;
}

export function decodePresence(reader: ByteReader, form: number, rows: number): Presence {
  if (form === PresenceForm.All) return undefined;
  const length = Math.ceil(rows / 8);
  if (form === PresenceForm.Bitmap) return Uint8Array.from(reader.take(length));
  if (form !== PresenceForm.Runs) throw new RangeError(`there is no presence of form ${form}`);
  const bitmap = new Uint8Array(length);
  let row = 0;
  for (let value = false; row < rows; value = !value) {
    const end = row + reader.varint();
    if (end > rows) throw new RangeError('a run of presence is longer than its group');
    if (value) setPresent(bitmap, row, end);
    row = end;
  }
  return bitmap;
}

/** Whether none of the eight rows from this one on has a value, as far as one look tells: most rows of a sparse column. */
export function startsAbsentByte(present: Presence, row: number): boolean {
  return (row & 7) === 0 && present !== undefined && present[row >> 3] === 0;
}

/** How many of `rows` rows have a value. */
export function countPresent(present: Presence, rows: number): number {
  if (present === undefined) return rows;
  let count = 0;
  const whole = rows >> 3;
  for (let i = 0; i < whole; i++) count += bitsIn(present[i]!);
  for (let row = whole << 3; row < rows; row++) if (isPresent(present, row)) count++;
  return count;
}

/** Sets the bits of the rows [from, to). */
export function setPresent(bitmap: Uint8Array, from: number, to: number): void {
  let row = from;
  while (row < to && (row & 7) !== 0) setBit(bitmap, row++);
  bitmap.fill(0xff, row >> 3, Math.max(row, to) >> 3);
  for (row = Math.max(row, to & ~7); row < to; row++) setBit(bitmap, row);
}

/** The presence of the rows [from, to) as rows from 0 on. */
export function slicePresence(present: Presence, from: number, to: number): Presence {
  if (present === undefined || from === 0) return present;
  if ((from & 7) === 0) return present.subarray(from >> 3, (to + 7) >> 3);
  const slice = new Uint8Array((to - from + 7) >> 3);
  const start = from >> 3;
  const shift = from & 7;
  for (let i = 0; i < slice.length; i++) {
    slice[i] = (present[start + i]! >> shift) | ((present[start + i + 1] ?? 0) << (8 - shift));
  }
  if (((to - from) & 7) !== 0) slice[slice.length - 1]! &= (1 << ((to - from) & 7)) - 1;
  return slice;
}

function setBit(bitmap: Uint8Array, row: number): void {
  bitmap[row >> 3]! |= 1 << (row & 7);
}

function bitsIn(byte: number): number {
  const pairs = byte - ((byte >> 1) & 0x55);
  const nibbles = (pairs & 0x33) + ((pairs >> 2) & 0x33);
  return (nibbles + (nibbles >> 4)) & 0x0f;
}
