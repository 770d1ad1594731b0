import { unpackBits } from './bit-packing.ts';
import type { ByteReader } from './byte-reader.ts';
import { ByteWriter, signedVarintLength } from './byte-writer.ts';
import {
  addUp,
  chooseForm,
  decodeIntegers,
  differenceFlag,
  encodeIntegers,
  type FrameForm,
  frameLength,
  frameSize,
  packFrame,
} from './integer-frames.ts';
import { areSmallSteps, unpackSteps } from './step-unpacking.ts';

/**
 * Whole numbers as in integer-frames.ts, but with the heads of all frames before the first one. Frames of a column are much
 * alike, so their heads take a few bits each when they stand together:
 *
 *   integer frames  per frame its byte: bits 0..5 width, bit 6 set for a frame of differences
 *   integer frames  per frame the smallest number; or the first one, where the frame holds differences
 *   integer frames  the smallest difference of each frame that holds differences
 *   packed bits     of one frame after another
 *
 * The count of numbers is kept by whoever writes the run.
 */
interface FrameHeads {
  readonly bytes: Float64Array;
  /** The smallest number, or the first one. */
  readonly origins: Float64Array;
  /** Of the frames with differences, one after another. */
  readonly steps: Float64Array;
}

/** The frames of a run before they are unpacked. */
export interface PlacedFrames extends FrameHeads {
  /** Where the packed bits of each begin. */
  readonly positions: Float64Array;
}

/** The fewest frames of a run: with fewer nothing is gained. */
const minFrames = 3;

/** Heads are written when all frames are known. */
const headWriter = new ByteWriter();

/** Appends the first `count` numbers of `values`; false, and nothing is written, where each head before its frame takes less. */
export function encodeIntegerRun(out: ByteWriter, values: Float64Array, count: number): boolean {
  const frames = Math.ceil(count / frameSize);
  if (frames < minFrames) return false;
  const { bytes, origins, steps } = headsFor(frames);
  const form: FrameForm = { head: 0, origin: 0, smallestStep: 0 };
  const differences = out.scratch(frameSize);
  const start = out.length;
  let stepCount = 0;
  let lengthApart = 0;
  for (let frame = 0; frame < frames; frame++) {
    const at = frame * frameSize;
    const size = Math.min(frameSize, count - at);
    chooseForm(values, at, size, differences, form);
    packFrame(out, values, at, size, differences, form);
    bytes[frame] = form.head;
    origins[frame] = form.origin;
    lengthApart += 1 + signedVarintLength(form.origin);
    if ((form.head & differenceFlag) === 0) continue;
    steps[stepCount++] = form.smallestStep;
    lengthApart += signedVarintLength(form.smallestStep);
  }
  headWriter.length = 0;
  encodeIntegers(headWriter, bytes, frames);
  encodeIntegers(headWriter, origins, frames);
  encodeIntegers(headWriter, steps, stepCount);
  if (headWriter.length >= lengthApart) {
    out.length = start;
    return false;
  }
  out.insert(start, headWriter.written());
  return true;
}

/**
 * Reads `count` numbers divided by `scale`, into an array of their own or to the beginning of `into`. With `marks`, only the
 * frames whose mark is not 0 are unpacked; what stands in the others means nothing.
 */
export function decodeIntegerRun(
  reader: ByteReader,
  count: number,
  scale: number,
  into?: Float64Array,
  marks?: Uint8Array,
): Float64Array {
  const values = into ?? new Float64Array(count);
  const frames = Math.ceil(count / frameSize);
  const { bytes, origins, steps, positions } = placeFrames(reader, count);
  for (let frame = 0, step = 0; frame < frames; frame++) {
    const hasSteps = (bytes[frame]! & differenceFlag) !== 0;
    const smallestStep = hasSteps ? steps[step++]! : 0;
    if (marks !== undefined && marks[frame] === 0) continue;
    const at = frame * frameSize;
    const size = Math.min(frameSize, count - at);
    const width = bytes[frame]! & 0x3f;
    const origin = origins[frame]!;
    if (!hasSteps) {
      unpackBits(reader.view, positions[frame]!, width, values, at, size, origin);
    } else if (areSmallSteps(origin, smallestStep, width, size)) {
      unpackSteps(reader.view, positions[frame]!, width, values, at, size, origin, smallestStep);
    } else {
      unpackBits(reader.view, positions[frame]!, width, values, at, size, smallestStep);
      addUp(values, at, at + size, origin);
    }
    if (scale !== 1) divide(values, at, at + size, scale);
  }
  return values;
}

export function divide(values: Float64Array, at: number, end: number, scale: number): void {
  for (let i = at; i < end; i++) values[i] = values[i]! / scale;
}

/** Runs of one column follow one another in a read: what heads are decoded to is used again. */
const scratch = headsOf(64);

function headsOf(frames: number): PlacedFrames {
  const array = () => new Float64Array(frames);
  return { bytes: array(), origins: array(), steps: array(), positions: array() };
}

/** Room for the heads of so many frames, valid until the next call. */
function headsFor(frames: number): FrameHeads {
  return frames <= scratch.bytes.length ? scratch : headsOf(frames);
}

function decodeHeads(reader: ByteReader, frames: number): FrameHeads {
  const { bytes, origins, steps } = headsFor(frames);
  decodeIntegers(reader, frames, bytes);
  let stepCount = 0;
  for (let frame = 0; frame < frames; frame++) if ((bytes[frame]! & differenceFlag) !== 0) stepCount++;
  decodeIntegers(reader, frames, origins);
  decodeIntegers(reader, stepCount, steps);
  return { bytes, origins, steps };
}

/**
 * Reads the heads of the frames of `count` numbers, and passes over the rest of the run. What it gives is valid until the
 * next run is read or written. Throws RangeError where there is no such frame, or no room for it.
 */
export function placeFrames(reader: ByteReader, count: number): PlacedFrames {
  const frames = Math.ceil(count / frameSize);
  const heads = decodeHeads(reader, frames);
  const { bytes } = heads;
  const positions = frames <= scratch.positions.length ? scratch.positions : new Float64Array(frames);
  let position = reader.position;
  for (let frame = 0; frame < frames; frame++) {
    positions[frame] = position;
    position += frameLength(bytes[frame]!, Math.min(frameSize, count - frame * frameSize));
  }
  reader.skip(position - reader.position);
  return { bytes, origins: heads.origins, steps: heads.steps, positions };
}
