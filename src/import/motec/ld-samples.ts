import type { FileBytes } from '../file-bytes.ts';
import { bytesOf, type LdChannel, type SampleForm } from './ld-channels.ts';

/** Values of a channel one after the other, read piece by piece. */
export interface SampleReader {
  /** The value of the next sample, null behind the last one. */
  next(): number | null;
  /** Whether `next` needs `fill` first. */
  isEmpty(): boolean;
  fill(): Promise<void>;
}

/** @param pieceSamples so many samples are in memory at one time */
export function createSampleReader(file: FileBytes, channel: LdChannel, pieceSamples: number): SampleReader {
  const { form, samples, offset, scale, places, shift, multiplier } = channel;
  const width = bytesOf[form];
  const read = readers[form];
  // A division by a whole number gives the double that is nearest to the decimal.
  const divisor = places > 0 ? scale * 10 ** places : scale;
  const factor = places < 0 ? 10 ** -places : 1;
  let piece: DataView | undefined;
  let inPiece = 0;
  let at = 0;
  let done = 0;

  return {
    isEmpty: () => at === inPiece && done < samples,
    async fill() {
      inPiece = Math.min(pieceSamples, samples - done);
      const bytes = await file.read(offset + done * width, inPiece * width);
      piece = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      at = 0;
    },
    next() {
      if (piece === undefined || at === inPiece) return null;
      const raw = read(piece, at * width);
      at++;
      done++;
      return ((raw * factor) / divisor + shift) * multiplier;
    },
  };
}

const readers: Readonly<Record<SampleForm, (view: DataView, offset: number) => number>> = {
  int16: (view, offset) => view.getInt16(offset, true),
  int32: (view, offset) => view.getInt32(offset, true),
  float16: (view, offset) => halfFloat(view.getUint16(offset, true)),
  float32: (view, offset) => view.getFloat32(offset, true),
};

/** A 16-bit floating number of IEEE 754: a sign, 5 bits of exponent, 10 of fraction. */
export function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
