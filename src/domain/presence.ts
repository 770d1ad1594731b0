import { isPresent, type Presence } from './parameter-data.ts';

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

function setBit(bitmap: Uint8Array, row: number): void {
  bitmap[row >> 3]! |= 1 << (row & 7);
}

function bitsIn(byte: number): number {
  const pairs = byte - ((byte >> 1) & 0x55);
  const nibbles = (pairs & 0x33) + ((pairs >> 2) & 0x33);
  return (nibbles + (nibbles >> 4)) & 0x0f;
}
