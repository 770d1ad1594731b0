import { type WindowName, weightsOf } from './windows.ts';

/** How strong each frequency is. */
export interface Amplitudes {
  /** From one frequency to the next, as a share of the rate of the values. The first is 0. */
  readonly step: number;
  /** Of each frequency up to half the rate: a sine of so many units reads as so many. */
  readonly values: Float64Array;
}

/** Zeros make values so many times as long, to a power of two: what is strongest between two frequencies is found there. */
const padding = 4;
/** Of more values than a quarter of this the padding is less: nobody waits for it. */
const mostPadded = 2 ** 17;
/** As a share of it, what the rounding of sums leaves. */
const meanError = 2 ** -44;
/** Pieces lie over each other by a half. */
const overlap = 0.5;
/** Fewer values make no piece. */
const leastPiece = 8;

/**
 * Amplitudes of evenly spaced values under a window and without their mean, by the method of P. D. Welch (IEEE Trans. Audio
 * Electroacoust. 15, 1967): of several pieces that overlap by half, the root of the mean of the squares. Noise becomes
 * smooth by it, and a steady sine keeps its amplitude. Zeros behind each piece put frequencies between those that the
 * values tell apart.
 */
export function amplitudesOf(values: Float64Array, window: WindowName = 'hann', pieces = 1): Amplitudes {
  const each = pieceLength(values.length, pieces);
  const step = Math.max(1, Math.floor(each * (1 - overlap)));
  const weights = weightsOf(window, each);
  let sum: Float64Array | undefined;
  let count = 0;
  for (let begin = 0; begin + each <= values.length; begin += step) {
    const own = amplitudesOfPiece(values.subarray(begin, begin + each), weights);
    sum ??= new Float64Array(own.length);
    for (let i = 0; i < own.length; i++) sum[i]! += own[i]! * own[i]!;
    count++;
    if (pieces === 1) break;
  }
  const found = sum!.map((square) => Math.sqrt(square / count));
  return { step: 1 / (2 * (found.length - 1)), values: found };
}

/** So long that so many pieces, each half over the next one, fill all values. */
function pieceLength(length: number, pieces: number): number {
  const most = Math.max(1, Math.min(pieces, Math.floor((2 * length) / leastPiece) - 1));
  return Math.max(1, Math.floor(length / (1 + (most - 1) * (1 - overlap))));
}

function amplitudesOfPiece(values: Float64Array, weights: Float64Array): Float64Array {
  const { length } = values;
  const whole = 2 ** Math.ceil(Math.log2(Math.max(2, length)));
  const size = Math.max(whole, Math.min(padding * whole, mostPadded));
  const weight = weights.reduce((sum, own) => sum + own, 0);
  const mean = values.reduce((sum, value, i) => sum + value * weights[i]!, 0) / weight;
  // So much the mean may be off by: it is no swing.
  const off = Math.abs(mean) * meanError;
  const real = new Float64Array(size);
  for (let i = 0; i < length; i++) {
    const swing = values[i]! - mean;
    real[i] = Math.abs(swing) > off ? swing * weights[i]! : 0;
  }
  const imaginary = new Float64Array(size);
  transform(real, imaginary);
  const half = size / 2;
  const found = new Float64Array(half + 1);
  for (let i = 0; i <= half; i++) {
    // What is at a frequency is at its mirror too; only the first and the last one have none.
    const sides = i === 0 || i === half ? 1 : 2;
    found[i] = (sides * Math.hypot(real[i]!, imaginary[i]!)) / weight;
  }
  return found;
}

/** The Fourier transform in place (Cooley and Tukey, radix 2). The length is a power of two. */
export function transform(real: Float64Array, imaginary: Float64Array): void {
  const size = real.length;
  for (let i = 1, j = 0; i < size; i++) {
    let bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    [real[i], real[j]] = [real[j]!, real[i]!];
    [imaginary[i], imaginary[j]] = [imaginary[j]!, imaginary[i]!];
  }
  const cosines = Float64Array.from({ length: size / 2 }, (_, i) => Math.cos((2 * Math.PI * i) / size));
  const sines = Float64Array.from({ length: size / 2 }, (_, i) => -Math.sin((2 * Math.PI * i) / size));
  for (let part = 2; part <= size; part *= 2) {
    const half = part / 2;
    const stride = size / part;
    for (let begin = 0; begin < size; begin += part) {
      for (let i = 0; i < half; i++) {
        const [low, high] = [begin + i, begin + i + half];
        const cosine = cosines[i * stride]!;
        const sine = sines[i * stride]!;
        const a = real[high]! * cosine - imaginary[high]! * sine;
        const b = real[high]! * sine + imaginary[high]! * cosine;
        real[high] = real[low]! - a;
        imaginary[high] = imaginary[low]! - b;
        real[low] = real[low]! + a;
        imaginary[low] = imaginary[low]! + b;
      }
    }
  }
}
