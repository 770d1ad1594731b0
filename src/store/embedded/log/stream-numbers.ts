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
  slab.bytes.set(bitmapOf(numbers), at);
}

/** The bitmap of numbers. */
export function bitmapOf(numbers: Uint32Array): Uint8Array {
  const first = numbers[0] ?? 0;
  const last = numbers[numbers.length - 1] ?? 0;
  const bits = new Uint8Array(Math.floor((last - first) / 8) + 1);
  for (let i = 0; i < numbers.length; i++) {
    const bit = numbers[i]! - first;
    bits[bit >>> 3]! |= 1 << (bit & 7);
  }
  return bits;
}

/** A copy, which may outlive the slab. */
export function readNumbers(slab: Slab, at: number, { isBitmap, first, bytes }: NumbersForm): Uint32Array {
  if (!isBitmap) return slab.u32.slice(at >> 2, (at + bytes) >> 2);
  return numbersOfBitmap(slab.bytes.subarray(at, at + bytes), first);
}

/** The numbers of a bitmap that begins with `first`. */
export function numbersOfBitmap(bits: Uint8Array, first: number): Uint32Array {
  let count = 0;
  for (let i = 0; i < bits.length; i++) for (let left = bits[i]!; left !== 0; left &= left - 1) count++;
  const numbers = new Uint32Array(count);
  for (let i = 0, place = 0; place < count; i++) {
    for (let left = bits[i]!; left !== 0; left &= left - 1)
      numbers[place++] = first + 8 * i + 31 - Math.clz32(left & -left);
  }
  return numbers;
}
