import { fold, foldedLength, unfold, unfoldedWidth } from './base-three.ts';
import type { ByteWriter } from './byte-writer.ts';

/**
 * Whole numbers of a fixed width in bits, one after another, lowest bit first.
 *
 *   width 0        nothing
 *   width 1..25    the numbers, padded to a whole byte
 *   width 26..41   the low 16 bits of each number (2 bytes each), then the rest as width - 16
 *   width 42..53   the low 32 bits of each number (4 bytes each), then the rest as width - 32
 *   width 54       numbers below 3, five in a byte (base-three.ts)
 *
 * Up to 25 bits, a number that begins anywhere in a byte lies within one 32-bit load: no branches, and
 * every eight numbers begin at a byte again, so eight loads with fixed shifts make the kernel.
 */
export const widestLoad = 25;
export const maxBits = 53;
/** The width that stands for numbers below 3, five in a byte. */
export const baseThree = 54;
export const maxWidth = baseThree;

/**
 * The lowest `width` bits, at most `widestLoad`. It is worked out in 32-bit integers, as all in the kernels is: of a double the engine
 * makes an integer again at each use, which took a third of their time.
 */
export function maskOf(width: number): number {
  return (1 << width) - 1;
}

/** Bits that a whole number in [0, 2^53) needs. */
export function bitWidth(value: number): number {
  return value < 2 ** 32 ? 32 - Math.clz32(value) : 64 - Math.clz32(value / 2 ** 32);
}

/** The width in which `count` whole numbers from 0 to `largest` take least. */
export function narrowestWidth(largest: number, count: number): number {
  const width = bitWidth(largest);
  return largest === 2 && foldedLength(count) < packedLength(count, width) ? baseThree : width;
}

/** The bits of a number when it is loaded. */
export function loadWidth(width: number): number {
  return width === baseThree ? unfoldedWidth : width;
}

export function packedLength(count: number, width: number): number {
  if (width === baseThree) return foldedLength(count);
  const low = lowBits(width);
  return (count * low) / 8 + Math.ceil((count * (width - low)) / 8);
}

/** Appends `values[at + i] - base` for `count` values; each difference is in [0, 2^width). */
export function packBits(
  out: ByteWriter,
  values: Float64Array,
  at: number,
  count: number,
  base: number,
  width: number,
): void {
  if (width === 0) return;
  if (width === baseThree) {
    fold(out, values, at, count, base);
    return;
  }
  out.reserve(packedLength(count, width));
  const bytes = out.bytes;
  const low = lowBits(width);
  let position = out.length;
  const end = at + count;
  for (let i = at; low > 0 && i < end; i++) {
    const value = values[i]! - base;
    bytes[position++] = value;
    bytes[position++] = value / 2 ** 8;
    if (low === 32) {
      bytes[position++] = value / 2 ** 16;
      bytes[position++] = value / 2 ** 24;
    }
  }
  const scale = 2 ** -low;
  const highWidth = width - low;
  const { view } = out;
  let pending = 0;
  let bits = 0;
  for (let i = at; i < end; i++) {
    const high = ((values[i]! - base) * scale) | 0;
    pending |= high << bits;
    bits += highWidth;
    if (bits < 32) continue;
    view.setInt32(position, pending, true);
    position += 4;
    bits -= 32;
    pending = high >>> (highWidth - bits);
  }
  for (; bits > 0; bits -= 8) {
    bytes[position++] = pending;
    pending >>>= 8;
  }
  out.length = position;
}

/** Stores `base` plus each of `count` packed numbers, which begin at `position`, to `out` from `at` on. */
export function unpackBits(
  view: DataView,
  position: number,
  width: number,
  out: Float64Array,
  at: number,
  count: number,
  base: number,
): void {
  const low = lowBits(width);
  if (width === 0) {
    out.fill(base, at, at + count);
  } else if (width === baseThree) {
    unpackNarrow(unfold(view, position, count), 0, unfoldedWidth, out, at, count, base);
  } else if (low === 0) {
    unpackNarrow(view, position, width, out, at, count, base);
  } else {
    unpackNarrow(view, position + (count * low) / 8, width - low, out, at, count, 0);
    if (low === 16) {
      for (let i = at; i < at + count; i++, position += 2) {
        out[i] = base + (out[i]! * 2 ** 16 + view.getUint16(position, true));
      }
    } else {
      for (let i = at; i < at + count; i++, position += 4) {
        out[i] = base + (out[i]! * 2 ** 32 + view.getUint32(position, true));
      }
    }
  }
}

/** How many low bits of each number are stored apart. */
function lowBits(width: number): number {
  return width <= widestLoad ? 0 : width <= widestLoad + 16 ? 16 : 32;
}

function unpackNarrow(
  view: DataView,
  start: number,
  width: number,
  out: Float64Array,
  at: number,
  count: number,
  base: number,
): void {
  const mask = maskOf(width);
  const [byte1, byte2, byte3] = [width >> 3, (2 * width) >> 3, (3 * width) >> 3];
  const [byte4, byte5, byte6] = [(4 * width) >> 3, (5 * width) >> 3, (6 * width) >> 3];
  const byte7 = (7 * width) >> 3;
  const [bit1, bit2, bit3] = [width & 7, (2 * width) & 7, (3 * width) & 7];
  const [bit4, bit5, bit6] = [(4 * width) & 7, (5 * width) & 7, (6 * width) & 7];
  const bit7 = (7 * width) & 7;
  let position = start | 0;
  let i = at;
  const end = at + count;
  // The last load of eight reads up to 4 bytes from byte7 on: it must not leave the view.
  const lastStart = view.byteLength - byte7 - 4;
  for (; i + 8 <= end && position <= lastStart; i += 8, position = (position + width) | 0) {
    out[i] = base + (view.getInt32(position, true) & mask);
    out[i + 1] = base + ((view.getInt32((position + byte1) | 0, true) >>> bit1) & mask);
    out[i + 2] = base + ((view.getInt32((position + byte2) | 0, true) >>> bit2) & mask);
    out[i + 3] = base + ((view.getInt32((position + byte3) | 0, true) >>> bit3) & mask);
    out[i + 4] = base + ((view.getInt32((position + byte4) | 0, true) >>> bit4) & mask);
    out[i + 5] = base + ((view.getInt32((position + byte5) | 0, true) >>> bit5) & mask);
    out[i + 6] = base + ((view.getInt32((position + byte6) | 0, true) >>> bit6) & mask);
    out[i + 7] = base + ((view.getInt32((position + byte7) | 0, true) >>> bit7) & mask);
  }
  for (let bit = 0; i < end; i++, bit += width) {
    out[i] = base + ((loadNearEnd(view, position + (bit >> 3)) >>> (bit & 7)) & mask);
  }
}

/** Four bytes as one number, with zeros for those beyond the view. */
export function loadNearEnd(view: DataView, position: number): number {
  if (position + 4 <= view.byteLength) return view.getUint32(position, true);
  let value = 0;
  for (let k = 0; position + k < view.byteLength; k++) value |= view.getUint8(position + k) << (8 * k);
  return value >>> 0;
}

const unpacked = new Float64Array(128);

/** The sum of the first `to` of `count` packed numbers, 128 at the most, which begin at `position`. */
export function sumPacked(
  view: DataView,
  position: number,
  width: number,
  count: number,
  to: number,
): number {
  if (width === 0) return 0;
  if (width === baseThree) return sumPacked(unfold(view, position, to), 0, unfoldedWidth, to, to);
  let sum = 0;
  let i = 0;
  if (width <= widestLoad) {
    const mask = maskOf(width);
    const last = view.byteLength - width - 4;
    for (let at = position | 0; i + 8 <= to && at <= last; i += 8, at = (at + width) | 0) {
      const a = view.getInt32(at, true) & mask;
      const b = (view.getInt32((at + (width >> 3)) | 0, true) >>> (width & 7)) & mask;
      const c = (view.getInt32((at + ((2 * width) >> 3)) | 0, true) >>> ((2 * width) & 7)) & mask;
      const d = (view.getInt32((at + ((3 * width) >> 3)) | 0, true) >>> ((3 * width) & 7)) & mask;
      const e = (view.getInt32((at + ((4 * width) >> 3)) | 0, true) >>> ((4 * width) & 7)) & mask;
      const f = (view.getInt32((at + ((5 * width) >> 3)) | 0, true) >>> ((5 * width) & 7)) & mask;
      const g = (view.getInt32((at + ((6 * width) >> 3)) | 0, true) >>> ((6 * width) & 7)) & mask;
      const h = (view.getInt32((at + ((7 * width) >> 3)) | 0, true) >>> ((7 * width) & 7)) & mask;
      // At most 8 x 2^25.
      sum += (((a + b) | 0) + ((c + d) | 0) + (((e + f) | 0) + ((g + h) | 0))) | 0;
    }
    for (let bit = i * width; i < to; i++, bit += width)
      sum += (loadNearEnd(view, position + (bit >> 3)) >>> (bit & 7)) & mask;
    return sum;
  }
  unpackBits(view, position, width, unpacked, 0, count, 0);
  for (; i < to; i++) sum += unpacked[i]!;
  return sum;
}

/**
 * The same of numbers that are packed as differences: each is the sum of those up to its place, without the first, which
 * means nothing.
 */
export function sumPackedDifferences(
  view: DataView,
  position: number,
  width: number,
  count: number,
  to: number,
): number {
  if (width === 0) return 0;
  if (width === baseThree) return sumPackedDifferences(unfold(view, position, to), 0, unfoldedWidth, to, to);
  let sum = 0;
  let value = 0;
  if (width > widestLoad) {
    unpackBits(view, position, width, unpacked, 0, count, 0);
    for (let i = 1; i < to; i++) {
      value += unpacked[i]!;
      sum += value;
    }
    return sum;
  }
  const mask = maskOf(width);
  let i = 0;
  // The first number, which means nothing, is taken away beforehand.
  value = -(loadNearEnd(view, position) & mask);
  const last = view.byteLength - width - 4;
  for (let at = position | 0; i + 8 <= to && at <= last; i += 8, at = (at + width) | 0) {
    const a = view.getInt32(at, true) & mask;
    const b = (a + ((view.getInt32((at + (width >> 3)) | 0, true) >>> (width & 7)) & mask)) | 0;
    const c = (b + ((view.getInt32((at + ((2 * width) >> 3)) | 0, true) >>> ((2 * width) & 7)) & mask)) | 0;
    const d = (c + ((view.getInt32((at + ((3 * width) >> 3)) | 0, true) >>> ((3 * width) & 7)) & mask)) | 0;
    const e = (d + ((view.getInt32((at + ((4 * width) >> 3)) | 0, true) >>> ((4 * width) & 7)) & mask)) | 0;
    const f = (e + ((view.getInt32((at + ((5 * width) >> 3)) | 0, true) >>> ((5 * width) & 7)) & mask)) | 0;
    const g = (f + ((view.getInt32((at + ((6 * width) >> 3)) | 0, true) >>> ((6 * width) & 7)) & mask)) | 0;
    const h = (g + ((view.getInt32((at + ((7 * width) >> 3)) | 0, true) >>> ((7 * width) & 7)) & mask)) | 0;
    // At most 36 x 2^25.
    sum += 8 * value + ((((a + b) | 0) + ((c + d) | 0) + (((e + f) | 0) + ((g + h) | 0))) | 0);
    value += h;
  }
  for (let bit = i * width; i < to; i++, bit += width) {
    value += (loadNearEnd(view, position + (bit >> 3)) >>> (bit & 7)) & mask;
    sum += value;
  }
  return sum;
}
