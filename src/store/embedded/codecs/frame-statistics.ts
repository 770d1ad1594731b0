import { isPresent, type Presence } from '../../../domain/parameter-data.ts';
import { countPresent } from '../../../domain/presence.ts';
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import type { ColumnTotals } from './column-totals.ts';
import { powersOfTen, type Scaled } from './decimal.ts';
import { decodeIntegers, encodeIntegers, frameSize, skipIntegers } from './integer-frames.ts';
import { divide } from './integer-run.ts';

/**
 * What a query may know of a numeric column without unpacking it: for each frame of 128 present values (the
 * last may be shorter) the first, the smallest and the largest value and the sum. Stored apart from the values:
 *
 *   byte   bit 0 decimal: whole numbers over 10^exponent; else doubles
 *          bit 1 some frames have no statistics; bits 4..7 the exponent
 *   bitmap only with bit 1: one bit per frame, set where it has statistics
 *   decimal: four runs of integer frames, over the frames that have statistics:
 *            first; first - min; max - first; sum - first * values in the frame
 *   double:  first, min, max, sum of each such frame, 8 bytes each
 *
 * A frame with a NaN or an infinity has none (aggregations skip a NaN), nor has a decimal frame with an
 * exception or with numbers so large that their sum might not be exact.
 */
export interface FrameStatistics {
  /** One entry per frame, NaN in all four where the frame has no statistics. */
  readonly first: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly sum: Float64Array;
  /** Whether the sums of the values as decimals are exact, rounded once to a double; others are plain additions. */
  readonly hasExactSums: boolean;
}

const decimalFlag = 1;
const gapsFlag = 2;
/** The largest size of whole numbers of which 128, their differences and their sum all stay below 2^52. */
const exactLimit = 2 ** 44;

/**
 * Appends the statistics of a run of values; `scaled` is their scaling if they are stored as decimals. Returns the totals
 * of all, where every frame has statistics.
 */
export function encodeStatistics(
  out: ByteWriter,
  values: Float64Array,
  count: number,
  scaled: Scaled | undefined,
): ColumnTotals | undefined {
  const frames = Math.ceil(count / frameSize);
  const statistics = measure(scaled?.mantissas ?? values, count, frames);
  if (scaled !== undefined) dropInexact(statistics, frames, scaled);
  const { first, min, max, sum } = statistics;
  const known: number[] = [];
  for (let frame = 0; frame < frames; frame++) if (!Number.isNaN(first[frame]!)) known.push(frame);
  const gaps = known.length < frames;
  out.byte((scaled === undefined ? 0 : decimalFlag | (scaled.exponent << 4)) | (gaps ? gapsFlag : 0));
  if (gaps) {
    const bitmap = new Uint8Array(Math.ceil(frames / 8));
    for (const frame of known) bitmap[frame >> 3]! |= 1 << (frame & 7);
    out.append(bitmap);
  }
  if (scaled === undefined) {
    for (const frame of known) for (const of of [first, min, max, sum]) out.float64(of[frame]!);
    return gaps ? undefined : totalsOf(statistics, frames, values, count, scaled);
  }
  const run = (value: (frame: number) => number) => {
    for (let i = 0; i < known.length; i++) told[i] = value(known[i]!);
    encodeIntegers(out, told, known.length);
  };
  run((frame) => first[frame]!);
  run((frame) => first[frame]! - min[frame]!);
  run((frame) => max[frame]! - first[frame]!);
  run((frame) => sum[frame]! - first[frame]! * valuesInFrame(frame, count));
  return gaps ? undefined : totalsOf(statistics, frames, values, count, scaled);
}

function totalsOf(
  { min, max, sum }: FrameStatistics,
  frames: number,
  values: Float64Array,
  count: number,
  scaled: Scaled | undefined,
): ColumnTotals {
  const scale = scaled === undefined ? 1 : powersOfTen[scaled.exponent]!;
  let [least, greatest, total] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  let isExact = scaled !== undefined;
  for (let frame = 0; frame < frames; frame++) {
    least = Math.min(least, min[frame]!);
    greatest = Math.max(greatest, max[frame]!);
    total += sum[frame]!;
    // Each is a whole number of at most 2^51, so the first sum that is rounded lies beyond; later ones may come back.
    if (Math.abs(total) >= 2 ** 52) isExact = false;
  }
  return {
    count,
    first: values[0]!,
    last: values[count - 1]!,
    min: least / scale,
    max: greatest / scale,
    sum: total / scale,
    isExact,
  };
}

/**
 * Reads the statistics of a run of `count` values, into arrays of their own or to the beginning of those of `into`.
 *
 * @param withSums without them the sums mean nothing
 */
export function decodeStatistics(
  reader: ByteReader,
  count: number,
  withSums = true,
  into?: FrameStatistics,
): FrameStatistics {
  const head = reader.byte();
  const frames = Math.ceil(count / frameSize);
  const known = (head & gapsFlag) === 0 ? undefined : reader.take(Math.ceil(frames / 8));
  const knownCount = countPresent(known, frames);
  const hasExactSums = (head & decimalFlag) !== 0;
  const { first, min, max, sum } = into ?? emptyStatistics(frames);
  const statistics = { first, min, max, sum, hasExactSums };
  if (hasExactSums) {
    const scale = powersOfTen[head >> 4];
    if (scale === undefined) throw new RangeError(`there is no decimal exponent ${head >> 4}`);
    // Only the last frame of all may be short, and if it is known it is the last one that is.
    const lastSize = isPresent(known, frames - 1) ? valuesInFrame(frames - 1, count) : frameSize;
    decodeScaled(reader, statistics, knownCount, scale);
    if (withSums) decodeScaledSums(reader, statistics, knownCount, scale, lastSize);
    else skipIntegers(reader, knownCount);
    divide(statistics.first, 0, knownCount, scale);
  } else {
    for (let i = 0; i < knownCount; i++) for (const of of [first, min, max, sum]) of[i] = reader.float64();
  }
  if (known !== undefined) for (const of of [first, min, max, sum]) spread(of, known, frames, knownCount);
  return statistics;
}

/**
 * Reads only the sums, as whole numbers times a scale, to the beginning of `totals`. Gives the scale; undefined where
 * sums of frames are not known or not decimal. The reader may stop before the end.
 */
export function decodeFrameTotals(
  reader: ByteReader,
  count: number,
  totals: Float64Array,
): number | undefined {
  const head = reader.byte();
  if ((head & gapsFlag) !== 0 || (head & decimalFlag) === 0) return undefined;
  const frames = Math.ceil(count / frameSize);
  if (firsts.length < frames) firsts = new Float64Array(frames);
  decodeIntegers(reader, frames, firsts);
  skipIntegers(reader, frames);
  skipIntegers(reader, frames);
  decodeIntegers(reader, frames, totals);
  for (let i = 0; i < frames; i++) totals[i]! += firsts[i]! * valuesInFrame(i, count);
  return powersOfTen[head >> 4];
}

let firsts = new Float64Array(64);

/** Reads three runs of integer frames and makes them, in their places, what they stand for; but the first values stay whole numbers. */
function decodeScaled(
  reader: ByteReader,
  { first, min, max }: FrameStatistics,
  count: number,
  scale: number,
): void {
  decodeIntegers(reader, count, first);
  decodeIntegers(reader, count, min);
  decodeIntegers(reader, count, max);
  for (let i = 0; i < count; i++) {
    const origin = first[i]!;
    min[i] = (origin - min[i]!) / scale;
    max[i] = (origin + max[i]!) / scale;
  }
}

/** Reads the fourth run, the sums, which stand beside the first values as whole numbers. */
function decodeScaledSums(
  reader: ByteReader,
  { first, sum }: FrameStatistics,
  count: number,
  scale: number,
  lastSize: number,
): void {
  decodeIntegers(reader, count, sum);
  for (let i = 0; i < count; i++)
    sum[i] = (sum[i]! + first[i]! * (i < count - 1 ? frameSize : lastSize)) / scale;
}

/** Moves the first `count` values to the frames that are known, the others become NaN. */
function spread(values: Float64Array, known: Presence, frames: number, count: number): void {
  let next = count;
  for (let frame = frames - 1; frame >= 0; frame--) {
    values[frame] = isPresent(known, frame) ? values[--next]! : Number.NaN;
  }
}

/** Columns are measured one after another: the memory is used again. */
let measured = emptyStatistics(64);
let told = new Float64Array(64);

/** What it gives is valid until the next call. A frame that is not finite has NaN for its first value. */
function measure(values: Float64Array, count: number, frames: number): FrameStatistics {
  if (told.length < frames) {
    measured = emptyStatistics(frames);
    told = new Float64Array(frames);
  }
  const statistics = measured;
  for (let frame = 0; frame < frames; frame++) {
    const at = frame * frameSize;
    const end = at + valuesInFrame(frame, count);
    const first = values[at]!;
    let [min, max, sum, finite] = [first, first, 0, true];
    for (let i = at; i < end; i++) {
      const value = values[i]!;
      if (value < min) min = value;
      if (value > max) max = value;
      sum += value;
      // True for NaN and the infinities only.
      if (value - value !== 0) finite = false;
    }
    statistics.first[frame] = finite ? first : Number.NaN;
    statistics.min[frame] = min;
    statistics.max[frame] = max;
    statistics.sum[frame] = sum;
  }
  return statistics;
}

function dropInexact(statistics: FrameStatistics, frames: number, { exceptions }: Scaled): void {
  for (const index of exceptions) statistics.first[Math.floor(index / frameSize)] = Number.NaN;
  for (let frame = 0; frame < frames; frame++) {
    if (statistics.min[frame]! < -exactLimit || statistics.max[frame]! > exactLimit) {
      statistics.first[frame] = Number.NaN;
    }
  }
}

/** Statistics of frames of which nothing is known. */
export function emptyStatistics(frames: number): FrameStatistics {
  const empty = () => new Float64Array(frames).fill(Number.NaN);
  return { first: empty(), min: empty(), max: empty(), sum: empty(), hasExactSums: false };
}

function valuesInFrame(frame: number, count: number): number {
  return Math.min(frameSize, count - frame * frameSize);
}
