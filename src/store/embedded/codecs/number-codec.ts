import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { powersOfTen, type Scaled, scaleToIntegers } from './decimal.ts';
import { decodeIntegers, encodeIntegers, frameSize } from './integer-frames.ts';
import { decodeIntegerRun, divide, encodeIntegerRun } from './integer-run.ts';

/**
 * A run of doubles, given back bit for bit (a NaN as a NaN, whatever its payload was). One byte says the form:
 *
 *   bits 0..1  0 decimal: [exceptions] integer frames (integer-frames.ts) of m; a value is m / 10^exponent
 *              1 single:  every value is a float32, 4 bytes each
 *              2 double:  8 bytes each
 *              3 split:   integer frames of the top 16 bits of every double, then the low 48 bits of each
 *   bit  2     decimal only: exceptions stand before the frames
 *   bit  3     decimal only: an integer run (integer-run.ts) in place of the frames
 *   bits 4..7  decimal only: the exponent, 0..9
 *
 * Exceptions are values without a decimal form among many that have one: a varint with their number, their
 * indexes (a varint each: the distance from the index before, the first from 0), their doubles.
 * The form is the smallest one; the count of values is kept by whoever writes the run.
 */
export const Form = { Decimal: 0, Single: 1, Double: 2, Split: 3 } as const;
const exceptionsFlag = 0x04;
/** The bit in the form of decimals that says that the heads of their frames stand together. */
export const runFlag = 0x08;

/** Appends the first `count` values. Returns their scaling where they were written as decimals. */
export function encodeNumbers(out: ByteWriter, values: Float64Array, count: number): Scaled | undefined {
  const start = out.length;
  const scaled = scaleToIntegers(values, count);
  if (scaled !== undefined) encodeDecimals(out, values, count, scaled);
  const decimalLength = scaled === undefined ? Number.POSITIVE_INFINITY : out.length - start;
  if (decimalLength > 1 + 4 * count && areSingles(values, count)) {
    out.length = start;
    encodeSingles(out, values, count);
    return undefined;
  }
  if (decimalLength <= 1 + 8 * count) return scaled;
  out.length = start;
  encodeDoubles(out, values, count);
  return undefined;
}

/**
 * Reads `count` values, into an array of their own or to the beginning of `into`. With `marks`, only the frames of
 * 128 values whose mark is not 0 are sure to be there; the reader may stop before the end of the run.
 */
export function decodeNumbers(
  reader: ByteReader,
  count: number,
  into?: Float64Array,
  marks?: Uint8Array,
): Float64Array {
  const head = reader.byte();
  switch (head & 3) {
    case Form.Decimal:
      return decodeDecimals(reader, count, head, into, marks);
    case Form.Single: {
      const values = into ?? new Float64Array(count);
      let position = reader.skip(4 * count);
      for (let i = 0; i < count; i++, position += 4) values[i] = reader.view.getFloat32(position, true);
      return values;
    }
    case Form.Double: {
      const values = into ?? new Float64Array(count);
      let position = reader.skip(8 * count);
      for (let i = 0; i < count; i++, position += 8) values[i] = reader.view.getFloat64(position, true);
      return values;
    }
    default:
      return decodeSplit(reader, count, into);
  }
}

function encodeDecimals(out: ByteWriter, values: Float64Array, count: number, scaled: Scaled): void {
  const { exponent, mantissas, exceptions } = scaled;
  const start = out.length;
  out.byte(Form.Decimal | (exceptions.length > 0 ? exceptionsFlag : 0) | (exponent << 4));
  if (exceptions.length > 0) {
    out.varint(exceptions.length);
    let previous = 0;
    for (const index of exceptions) {
      out.varint(index - previous);
      previous = index;
    }
    for (const index of exceptions) out.float64(values[index]!);
  }
  if (encodeIntegerRun(out, mantissas, count)) out.bytes[start]! |= runFlag;
  else encodeIntegers(out, mantissas, count);
}

function decodeDecimals(
  reader: ByteReader,
  count: number,
  head: number,
  into: Float64Array | undefined,
  marks: Uint8Array | undefined,
): Float64Array {
  const exceptions = (head & exceptionsFlag) === 0 ? noExceptions : readExceptions(reader, count);
  const exceptionsAt = reader.skip(8 * exceptions.length);
  const scale = powersOfTen[head >> 4];
  if (scale === undefined) throw new RangeError(`there is no decimal exponent ${head >> 4}`);
  const values =
    (head & runFlag) === 0
      ? decodeScaled(reader, count, scale, into, marks)
      : decodeIntegerRun(reader, count, scale, into, marks);
  for (let i = 0; i < exceptions.length; i++)
    values[exceptions[i]!] = reader.view.getFloat64(exceptionsAt + 8 * i, true);
  return values;
}

const noExceptions: readonly number[] = [];

/** Their indexes. */
function readExceptions(reader: ByteReader, count: number): number[] {
  const exceptionCount = reader.varint();
  const exceptions: number[] = [];
  let index = 0;
  while (exceptions.length < exceptionCount) {
    index += reader.varint();
    if (index >= count) throw new RangeError('an exception lies after the last value');
    exceptions.push(index);
  }
  return exceptions;
}

function decodeScaled(
  reader: ByteReader,
  count: number,
  scale: number,
  into: Float64Array | undefined,
  marks: Uint8Array | undefined,
): Float64Array {
  const values = decodeIntegers(reader, count, into, marks);
  if (scale === 1) return values;
  for (let at = 0, frame = 0; at < count; at += frameSize, frame++) {
    if (marks !== undefined && marks[frame] === 0) continue;
    divide(values, at, Math.min(count, at + frameSize), scale);
  }
  return values;
}

function areSingles(values: Float64Array, count: number): boolean {
  for (let i = 0; i < count; i++) {
    const value = values[i]!;
    if (Math.fround(value) !== value && !Number.isNaN(value)) return false;
  }
  return true;
}

function encodeSingles(out: ByteWriter, values: Float64Array, count: number): void {
  out.byte(Form.Single);
  out.reserve(4 * count);
  for (let i = 0; i < count; i++) out.float32(values[i]!);
}

function encodeDoubles(out: ByteWriter, values: Float64Array, count: number): void {
  const start = out.length;
  const halves = new DataView(new ArrayBuffer(8));
  const tops = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    halves.setFloat64(0, values[i]!, true);
    tops[i] = halves.getUint16(6, true);
  }
  out.byte(Form.Split);
  encodeIntegers(out, tops, count);
  out.reserve(8 * count);
  if (out.length - start + 6 * count < 1 + 8 * count) {
    for (let i = 0; i < count; i++) {
      // Six of the eight bytes stay: the next value, or the next field, is written over the top two.
      out.float64(values[i]!);
      out.length -= 2;
    }
  } else {
    out.length = start;
    out.byte(Form.Double);
    for (let i = 0; i < count; i++) out.float64(values[i]!);
  }
}

function decodeSplit(reader: ByteReader, count: number, into: Float64Array | undefined): Float64Array {
  const values = decodeIntegers(reader, count, into);
  let position = reader.skip(6 * count);
  const halves = new DataView(new ArrayBuffer(8));
  for (let i = 0; i < count; i++, position += 6) {
    halves.setUint32(0, reader.view.getUint32(position, true), true);
    halves.setUint16(4, reader.view.getUint16(position + 4, true), true);
    halves.setUint16(6, values[i]!, true);
    values[i] = halves.getFloat64(0, true);
  }
  return values;
}
