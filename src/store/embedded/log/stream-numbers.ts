import type { Slab } from './slab.ts';

/**
 * Many stream numbers in a log record, from a position that is a multiple of 4 on: as a list, or as a bitmap where that
 * is shorter. Numbers are distinct and ascend.
 *
 *   list    u32 per number
 *   bitmap  a bit per number from the first one on: number n is bit (n - first) mod 8 of byte (n - first) / 8
 *
 * Which form it is, how many bytes it has, and the first number are said elsewhere.
 */
export interface NumbersForm {
  readonly isBitmap: boolean;
  readonly first: number;
  readonly bytes: number;
}

export function formOfNumbers(numbers: Uint32Array): NumbersForm {
  const first = numbers[0] ?? 0;
  const last = numbers[numbers.length - 1] ?? 0;
  const bitmapBytes = Math.floor((last - first) / 8) + 1;
  const listBytes = 4 * numbers.length;
  const isBitmap = bitmapBytes < listBytes;
  return { isBitmap, first, bytes: isBitmap ? bitmapBytes : listBytes };
}

export function writeNumbers(slab: Slab, at: number, numbers: Uint32Array, form: NumbersForm): void {
  if (!form.isBitmap) {
    slab.u32.set(numbers, at >> 2);
    return;
  }
  const bits = slab.bytes.subarray(at, at + form.bytes).fill(0);
  for (const number of numbers) {
    const bit = number - form.first;
    bits[bit >>> 3]! |= 1 << (bit & 7);
  }
}

/** A copy, which may outlive the slab. */
export function readNumbers(slab: Slab, at: number, { isBitmap, first, bytes }: NumbersForm): Uint32Array {
  if (!isBitmap) return slab.u32.slice(at >> 2, (at + bytes) >> 2);
  const numbers: number[] = [];
  for (let i = 0; i < bytes; i++) {
    const byte = slab.bytes[at + i]!;
    if (byte === 0) continue;
    for (let bit = 0; bit < 8; bit++) if (((byte >> bit) & 1) === 1) numbers.push(first + 8 * i + bit);
  }
  return Uint32Array.from(numbers);
}
