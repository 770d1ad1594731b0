import type { ByteWriter } from './byte-writer.ts';

/**
 * Whole numbers 0, 1 and 2, five in a byte: n0 + 3 n1 + 9 n2 + 27 n3 + 81 n4. They take 1.6 bits each and not 2. Steps of a channel
 * that hardly moves are such numbers. What the last byte has room for beside them is 0.
 */
const perByte = 5;

/** The bits of a number once it is unfolded. */
export const unfoldedWidth = 2;

/** The five numbers of each byte, two bits each, lowest first. */
const unfolded = Uint16Array.from({ length: 256 }, (_, byte) => {
  let numbers = 0;
  for (let i = 0, rest = byte; i < perByte; i++, rest = Math.floor(rest / 3))
    numbers |= (rest % 3) << (2 * i);
  return numbers;
});

/** Holds the frame that was unfolded last, 128 numbers of two bits, and what a load of four bytes reads behind it. */
const frame = new DataView(new ArrayBuffer(48));

export function foldedLength(count: number): number {
  return Math.ceil(count / perByte);
}

/** Appends `values[at + i] - smallest` for `count` values. */
export function fold(
  out: ByteWriter,
  values: Float64Array,
  at: number,
  count: number,
  smallest: number,
): void {
  out.reserve(foldedLength(count));
  const end = at + count;
  for (let from = at; from < end; from += perByte) {
    let byte = 0;
    for (let i = Math.min(end, from + perByte) - 1; i >= from; i--) byte = byte * 3 + (values[i]! - smallest);
    out.bytes[out.length++] = byte;
  }
}

/**
 * The first `count` numbers, 128 at the most, of those that begin at `position`: two bits each from the first byte on. They are
 * valid until the next call.
 */
export function unfold(view: DataView, position: number, count: number): DataView {
  const end = position + foldedLength(count);
  let at = position | 0;
  let to = 0;
  for (; at + 4 <= end; at += 4, to += perByte) {
    const bytes = view.getInt32(at, true);
    const last = unfolded[bytes >>> 24]!;
    frame.setInt32(
      to,
      unfolded[bytes & 0xff]! |
        (unfolded[(bytes >>> 8) & 0xff]! << 10) |
        (unfolded[(bytes >>> 16) & 0xff]! << 20) |
        (last << 30),
      true,
    );
    frame.setUint8(to + 4, last >>> 2);
  }
  let [numbers, bits] = [0, 0];
  for (; at < end; at++, bits += 2 * perByte) numbers |= unfolded[view.getUint8(at)]! << bits;
  frame.setInt32(to, numbers, true);
  return frame;
}
