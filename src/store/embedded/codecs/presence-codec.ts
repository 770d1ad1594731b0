import { isPresent, type Presence } from '../../../domain/parameter-data.ts';
import { countPresent, setPresent, startsAbsentByte } from '../../../domain/presence.ts';
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
