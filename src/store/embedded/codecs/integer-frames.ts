import { maxBits, maxWidth, narrowestWidth, packBits, packedLength, unpackBits } from './bit-packing.ts';
import type { ByteReader } from './byte-reader.ts';
import { type ByteWriter, signedVarintLength } from './byte-writer.ts';
import { areSmallSteps, unpackSteps } from './step-unpacking.ts';

/**
 * Runs of whole numbers below 2^52 in magnitude, so that every difference is exact in a double and fits the
 * widest packing. A run is cut into frames of 128 (the last may be shorter), one after another:
 *
 *   byte            bits 0..5 width (bit-packing.ts), bit 6 set for a frame of differences
 *   signed varint   the smallest number; or the first one, where the frame holds differences
 *   signed varint   the smallest difference, only where the frame holds differences
 *   packed bits     one per number: it less the smallest; or its difference from the one before less the
 *                   smallest difference (the first of these is 0 and means nothing)
 *
 * Each frame takes the form that makes it shorter. The count of numbers is kept by whoever writes the run.
 */
export const frameSize = 128;

/** The bit of the first byte of a frame that says that it holds differences. */
export const differenceFlag = 0x40;

/** How a frame is written. */
export interface FrameForm {
  /** The first byte of the frame. */
  head: number;
  /** The smallest number; the first one, where the frame holds differences. */
  origin: number;
  /** The smallest difference, where the frame holds differences. */
  smallestStep: number;
}

/** Appends the first `count` numbers of `values`. */
export function encodeIntegers(out: ByteWriter, values: Float64Array, count: number): void {
  const form: FrameForm = { head: 0, origin: 0, smallestStep: 0 };
  for (let at = 0; at < count; at += frameSize) {
    const size = Math.min(frameSize, count - at);
    const differences = out.scratch(frameSize);
    chooseForm(values, at, size, differences, form);
    out.byte(form.head);
    out.signedVarint(form.origin);
    if ((form.head & differenceFlag) !== 0) out.signedVarint(form.smallestStep);
    packFrame(out, values, at, size, differences, form);
  }
}

/**
 * Finds the shorter form of the frame of `count` numbers from `at` on, and stores it in `form`. In `differences`, which has
 * room for a frame, stands then how much each number but the first is above the one before.
 */
export function chooseForm(
  values: Float64Array,
  at: number,
  count: number,
  differences: Float64Array,
  form: FrameForm,
): void {
  const first = values[at]!;
  let previous = first;
  let smallest = first;
  let largest = first;
  let smallestStep = Number.POSITIVE_INFINITY;
  let largestStep = Number.NEGATIVE_INFINITY;
  for (let i = 1; i < count; i++) {
    const value = values[at + i]!;
    const step = value - previous;
    differences[i] = step;
    if (value < smallest) smallest = value;
    else if (value > largest) largest = value;
    if (step < smallestStep) smallestStep = step;
    if (step > largestStep) largestStep = step;
    previous = value;
  }
  const width = narrowestWidth(largest - smallest, count);
  const plainLength = packedLength(count, width) + signedVarintLength(smallest);
  const stepRange = largestStep - smallestStep;
  // A larger one is not exact, and wider than any range of numbers.
  if (count > 1 && stepRange < 2 ** maxBits) {
    const stepWidth = narrowestWidth(stepRange, count);
    const headLength = signedVarintLength(first) + signedVarintLength(smallestStep);
    if (packedLength(count, stepWidth) + headLength < plainLength) {
      form.head = stepWidth | differenceFlag;
      form.origin = first;
      form.smallestStep = smallestStep;
      return;
    }
  }
  form.head = width;
  form.origin = smallest;
  form.smallestStep = 0;
}

/** Appends the packed bits of a frame, for which `chooseForm` has made the differences. */
export function packFrame(
  out: ByteWriter,
  values: Float64Array,
  at: number,
  count: number,
  differences: Float64Array,
  { head, origin, smallestStep }: FrameForm,
): void {
  if ((head & differenceFlag) === 0) {
    packBits(out, values, at, count, origin, head);
  } else {
    differences[0] = smallestStep;
    packBits(out, differences, 0, count, smallestStep, head - differenceFlag);
  }
}

/**
 * Reads `count` numbers, into an array of their own or to the beginning of `into`. With `marks`, only the frames whose
 * mark is not 0 are unpacked; what stands in the others means nothing.
 */
export function decodeIntegers(
  reader: ByteReader,
  count: number,
  into?: Float64Array,
  marks?: Uint8Array,
): Float64Array {
  const values = into ?? new Float64Array(count);
  for (let at = 0, frame = 0; at < count; at += frameSize, frame++) {
    const size = Math.min(frameSize, count - at);
    if (marks === undefined || marks[frame] !== 0) decodeFrame(reader, values, at, size);
    else skipFrame(reader, size);
  }
  return values;
}

/** Passes over `count` numbers. */
export function skipIntegers(reader: ByteReader, count: number): void {
  for (let at = 0; at < count; at += frameSize) skipFrame(reader, Math.min(frameSize, count - at));
}

function skipFrame(reader: ByteReader, count: number): void {
  const head = reader.byte();
  reader.signedVarint();
  if ((head & differenceFlag) !== 0) reader.signedVarint();
  reader.skip(packedLength(count, head & 0x3f));
}

function decodeFrame(reader: ByteReader, values: Float64Array, at: number, count: number): void {
  const head = reader.byte();
  const length = frameLength(head, count);
  const origin = reader.signedVarint();
  const width = head & 0x3f;
  if ((head & differenceFlag) === 0) {
    unpackBits(reader.view, reader.skip(length), width, values, at, count, origin);
    return;
  }
  const step = reader.signedVarint();
  if (areSmallSteps(origin, step, width, count)) {
    unpackSteps(reader.view, reader.skip(length), width, values, at, count, origin, step);
  } else {
    unpackBits(reader.view, reader.skip(length), width, values, at, count, step);
    addUp(values, at, at + count, origin);
  }
}

/** Makes differences what they are of: the first one is `origin`, whatever stands in its place. */
export function addUp(values: Float64Array, at: number, end: number, origin: number): void {
  let value = origin;
  values[at] = value;
  for (let i = at + 1; i < end; i++) {
    value += values[i]!;
    values[i] = value;
  }
}

/** How many bytes the packed bits of a frame with this first byte take. Throws RangeError where there is no such frame. */
export function frameLength(head: number, count: number): number {
  const width = head & 0x3f;
  if (width > maxWidth || head >= 0x80) throw new RangeError(`there is no integer frame of form ${head}`);
  return count === frameSize && width <= maxBits ? (frameSize / 8) * width : packedLength(count, width);
}
