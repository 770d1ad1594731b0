import type { DbcSignal } from './dbc.ts';

/** Bits of a signal that stand in one byte. */
interface Part {
  readonly byte: number;
  readonly shift: number;
  readonly mask: number;
  /** The place of its lowest bit in the value. */
  readonly bit: number;
}

/** Returns the bytes of data that a frame needs to have a signal. */
export function bytesOfSignal(signal: DbcSignal): number {
  return Math.max(...partsOf(signal).map(({ byte }) => byte)) + 1;
}

/** Reads the raw number of a signal; of more than 53 bits it is rounded. The frame is long enough. */
export function rawReader(signal: DbcSignal): (data: Uint8Array) => number {
  const { length, isSigned, isFloat } = signal;
  if (length > 53 || (isFloat && length === 64)) {
    const exact = exactReader(signal);
    if (!isFloat) return (data) => Number(exact(data));
    const view = new DataView(new ArrayBuffer(8));
    return (data) => {
      view.setBigUint64(0, exact(data));
      return view.getFloat64(0);
    };
  }
  const parts = partsOf(signal).map(({ byte, shift, mask, bit }) => ({
    byte,
    shift,
    mask,
    weight: 2 ** bit,
  }));
  const read = (data: Uint8Array): number => {
    let value = 0;
    for (const { byte, shift, mask, weight } of parts) value += ((data[byte]! >> shift) & mask) * weight;
    return value;
  };
  if (isFloat) {
    const view = new DataView(new ArrayBuffer(4));
    return (data) => {
      view.setUint32(0, read(data));
      return view.getFloat32(0);
    };
  }
  if (!isSigned) return read;
  const [half, whole] = [2 ** (length - 1), 2 ** length];
  return (data) => {
    const value = read(data);
    return value < half ? value : value - whole;
  };
}

/** Reads the raw number with all its digits; of a floating-point one its bits. */
export function exactReader(signal: DbcSignal): (data: Uint8Array) => bigint {
  const { length, isSigned, isFloat } = signal;
  const parts = partsOf(signal);
  return (data) => {
    let value = 0n;
    for (const { byte, shift, mask, bit } of parts)
      value |= BigInt((data[byte]! >> shift) & mask) << BigInt(bit);
    return isSigned && !isFloat ? BigInt.asIntN(length, value) : value;
  };
}

/**
 * Where the bits of a signal stand. Intel: from its first bit upwards. Motorola: its first bit is the most significant one, from which it
 * goes down, and on at the top of the next byte.
 */
function partsOf({ startBit, length, isIntel }: DbcSignal): Part[] {
  const parts: Part[] = [];
  let byte = startBit >> 3;
  if (isIntel) {
    let low = startBit & 7;
    for (let bit = 0; bit < length; byte++, low = 0) {
      const count = Math.min(8 - low, length - bit);
      parts.push({ byte, shift: low, mask: (1 << count) - 1, bit });
      bit += count;
    }
    return parts;
  }
  let high = startBit & 7;
  for (let left = length; left > 0; byte++, high = 7) {
    const count = Math.min(high + 1, left);
    left -= count;
    parts.push({ byte, shift: high + 1 - count, mask: (1 << count) - 1, bit: left });
  }
  return parts;
}
