import { type Column, Kind, type Rows } from '../../domain/parameter-data.ts';
import { noTags, type TagSet, tagSetOfKey } from '../../domain/tags.ts';
import type { Steps } from '../../turns/steps.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';

/**
 * Rows as nodes send them to each other, exact to the bit (primitives: `bytes.ts`).
 *
 *   varint count, i64 base
 *   offsets: numbers (below)
 *   varint number of tag sets, for each its canonical text; where there are several, per row
 *     the index of its own as numbers
 *   varint number of columns, for each:
 *     u8 kind, text name, u8 1 and the bitmap (count + 7 >> 3 bytes) where not every row has a value, else u8 0
 *     kind 0: numbers; others: the length of every value as numbers, then the values one after another
 *
 *   numbers, of `count` values: u8 form, then
 *     0  an arithmetic sequence: f64 first, f64 step
 *     1  int8    2  int16    3  int32    4  float32    5  float64: the narrowest that holds all exactly
 *     6  int8    7  int16    8  int32: u8 digits, f64 first, and `count - 1` differences of one to the next, all of them
 *        of the values times ten to the power of the digits. Where that is shorter
 */
export function* writeRows(to: ByteWriter, rows: Rows): Steps<void> {
  const { count } = rows;
  to.varint(count);
  to.i64(rows.base);
  writeNumbers(to, rows.offsets, count);
  to.varint(rows.tagSets.length);
  for (const { key } of rows.tagSets) to.text(key);
  if (rows.tagSets.length > 1) writeNumbers(to, rows.tagIndex ?? new Uint32Array(count), count);
  to.varint(rows.columns.length);
  for (const column of rows.columns) {
    yield;
    writeColumn(to, column, count);
  }
}

function writeColumn(to: ByteWriter, column: Column, count: number): void {
  to.u8(column.kind);
  to.text(column.name);
  to.u8(column.present === undefined ? 0 : 1);
  if (column.present !== undefined) to.raw(column.present.subarray(0, (count + 7) >> 3));
  if (column.kind === Kind.Numeric) {
    writeNumbers(to, column.values, count);
    return;
  }
  const { ends, bytes } = column;
  const lengths = new Float64Array(count);
  for (let row = 0; row < count; row++) lengths[row] = ends[row]! - (row === 0 ? 0 : ends[row - 1]!);
  writeNumbers(to, lengths, count);
  to.raw(bytes.subarray(0, count === 0 ? 0 : ends[count - 1]));
}

/** Where the numbers of rows go that are read. */
export interface NumberRoom {
  /**
   * How many values sequences may have together: a few bytes can claim any number of them. No node sends more in one package
   * (`split.ts`), so more is not believed, and nothing is allocated for it.
   */
  left: number;
  /** An array of so many numbers, whatever they are. */
  array(count: number): Float64Array;
}

/** Throws a RangeError where the bytes are no rows, before memory is taken for what is not there. */
export function readRows(from: ByteReader, room: NumberRoom): Rows {
  const count = from.varint();
  if (count > maxRows) throw new RangeError(`a message of another node with ${count} rows`);
  const base = from.i64();
  const offsets = readNumbers(from, count, room);
  const tagSets: TagSet[] = Array.from({ length: readCount(from) }, () => tagSetOfKey(from.text()));
  if (tagSets.length === 0) tagSets.push(noTags);
  const tagIndex = tagSets.length > 1 ? Uint32Array.from(readNumbers(from, count, room)) : undefined;
  if (tagIndex?.some((index) => index >= tagSets.length)) {
    throw new RangeError('a message of another node names a tag set that it does not have');
  }
  const columns = Array.from({ length: readCount(from) }, () => readColumn(from, count, room));
  return { count, base, offsets, tagSets, tagIndex, columns };
}

/** How many things follow: each takes a byte at least. */
export function readCount(from: ByteReader): number {
  const count = from.varint();
  if (count > from.left()) throw new RangeError('a message of another node claims more than it has');
  return count;
}

function readColumn(from: ByteReader, count: number, room: NumberRoom): Column {
  const kind = from.u8() as Kind;
  if (kind > Kind.Event) throw new RangeError(`a column of the unknown kind ${kind}`);
  const name = from.text();
  const present = from.u8() === 1 ? new Uint8Array(from.raw((count + 7) >> 3)) : undefined;
  if (kind === Kind.Numeric) return { kind, name, values: readNumbers(from, count, room), present };
  const lengths = readNumbers(from, count, room);
  const ends = new Uint32Array(count);
  let end = 0;
  for (let row = 0; row < count; row++) {
    end += lengths[row]!;
    // A length that is negative or no number is none that a node sent.
    if (!(lengths[row]! >= 0 && end <= from.left())) {
      throw new RangeError('a message of another node claims more than it has');
    }
    ends[row] = end;
  }
  return { kind, name, bytes: new Uint8Array(from.raw(end)), ends, present };
}

const sequence = 0;
/** The fewest values that are written as a sequence: of fewer the values themselves are no longer. */
const shortestSequence = 4;
/** The end of the counts of rows that a node sends. */
const maxRows = 1 << 27;
const widths = [undefined, Int8Array, Int16Array, Int32Array, Float32Array, Float64Array] as const;
type Form = 1 | 2 | 3 | 4 | 5;
/** What stands before the form of differences. */
const differences = 5;

function writeNumbers(to: ByteWriter, values: Float64Array | Uint32Array, count: number): void {
  const step = count > 1 ? values[1]! - values[0]! : 0;
  if (isSequence(values, count, step)) {
    to.u8(sequence);
    to.f64(values[0]!);
    to.f64(step);
    return;
  }
  const form = narrowest(values, count);
  const found = form === 1 ? undefined : differencesOf(values, count);
  if (found !== undefined && found.array.byteLength + 9 < count * widths[form].BYTES_PER_ELEMENT) {
    to.u8(differences + found.form);
    to.u8(found.digits);
    to.f64(found.first);
    to.raw(found.array);
    return;
  }
  to.u8(form);
  const whole = values.subarray(0, count);
  to.raw(form === 5 && whole instanceof Float64Array ? whole : new widths[form](whole));
}

function readNumbers(from: ByteReader, count: number, room: NumberRoom): Float64Array {
  const form = from.u8();
  if (form === sequence) {
    const first = from.f64();
    const step = from.f64();
    room.left -= count;
    if (room.left < 0) throw new RangeError('a message of another node claims more than any node sends');
    const values = room.array(count);
    for (let i = 0; i < count; i++) values[i] = first + i * step;
    return values;
  }
  const isOfDifferences = form > differences;
  const Width = widths[isOfDifferences ? form - differences : form];
  if (Width === undefined || form > differences + 3)
    throw new RangeError(`numbers of the unknown form ${form}`);
  if (!isOfDifferences) {
    const given = aligned(from, count * Width.BYTES_PER_ELEMENT);
    const values = room.array(count);
    values.set(new Width(given, 0, count));
    return values;
  }
  const scale = 10 ** from.u8();
  let sum = from.f64();
  const given = new Width(aligned(from, Math.max(0, count - 1) * Width.BYTES_PER_ELEMENT), 0, count - 1);
  const values = room.array(count);
  values[0] = sum / scale;
  for (let i = 1; i < count; i++) {
    sum += given[i - 1]!;
    values[i] = sum / scale;
  }
  return values;
}

let alignedBytes = new Uint8Array(1 << 16);

/** The next bytes, where typed arrays may begin; until the next call. */
function aligned(from: ByteReader, byteLength: number): ArrayBuffer {
  const given = from.raw(byteLength);
  if (byteLength > alignedBytes.length) alignedBytes = new Uint8Array(byteLength);
  alignedBytes.set(given);
  return alignedBytes.buffer;
}

/** More digits than measured values have. */
const mostDigits = 9;
let stepsFound = new Int32Array(1024);

/**
 * The differences between values, in the narrowest form, as whole numbers with so many digits behind the point left away. Undefined where
 * not all values can be had from them again to the bit. The array is good until the next call.
 */
function differencesOf(
  values: Float64Array | Uint32Array,
  count: number,
):
  | { digits: number; first: number; form: 1 | 2 | 3; array: Int8Array | Int16Array | Int32Array }
  | undefined {
  if (stepsFound.length < count) stepsFound = new Int32Array(count);
  let [digits, scale] = [0, 1];
  let [before, first, bits] = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    const value = values[i]!;
    const whole = Math.round(value * scale);
    if (whole / scale !== value || (whole === 0 && Object.is(value, -0))) {
      if (digits === mostDigits || !Number.isFinite(value) || value === 0) return undefined;
      // Values before have as many digits, with zeros behind them.
      scale = 10 ** ++digits;
      i = -1;
      bits = 0;
      continue;
    }
    if (i === 0) first = whole;
    else {
      const step = whole - before;
      if ((step | 0) !== step) return undefined;
      stepsFound[i - 1] = step;
      // As many bits as the largest one has, of negative ones those of the complement.
      bits |= step ^ (step >> 31);
    }
    before = whole;
  }
  const form = bits < 0x80 ? 1 : bits < 0x8000 ? 2 : 3;
  const steps = stepsFound.subarray(0, count - 1);
  return { digits, first, form, array: form === 3 ? steps : new widths[form](steps) };
}

function isSequence(values: Float64Array | Uint32Array, count: number, step: number): boolean {
  if (count < shortestSequence) return false;
  const first = values[0]!;
  for (let i = 0; i < count; i++) if (!Object.is(values[i], first + i * step)) return false;
  return true;
}

function narrowest(values: Float64Array | Uint32Array, count: number): Form {
  let form: Form = 1;
  for (let i = 0; i < count; i++) {
    const value = values[i]!;
    if ((value | 0) === value && !Object.is(value, -0)) {
      if (form === 1 && (value < -0x80 || value > 0x7f)) form = 2;
      if (form === 2 && (value < -0x8000 || value > 0x7fff)) form = 3;
      // Integers beyond 24 bits do not all fit a float32.
      if (form === 4 && Math.fround(value) !== value) return 5;
      continue;
    }
    // A NaN has bits of its own, which only a float64 is sure to keep.
    if (Number.isNaN(value) || !Object.is(Math.fround(value), value)) return 5;
    if (form === 3) return 5;
    form = 4;
  }
  return form;
}
