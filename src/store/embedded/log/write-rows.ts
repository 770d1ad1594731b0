import { NumericRows } from '../../../domain/numeric-rows.ts';
import { type Column, Kind, type Rows } from '../../../domain/parameter-data.ts';
import { noTags } from '../../../domain/tags.ts';
import { type Steps, whole } from '../../../turns/steps.ts';
import { directoryEntryBytes, flagAscending, flagTagIndex, headBytes, presenceFlag } from './rows-section.ts';
import { type SectionDraft, SectionType } from './sections.ts';
import { align, type Slab } from './slab.ts';

/** Rows of a step, and bytes of one. */
const stepRows = 32 * 1024;
const stepBytes = 8 * stepRows;

/** A section of rows, with everything that has to be known before they can be written. */
export class RowsDraft implements SectionDraft {
  readonly type = SectionType.Rows;
  readonly bytes: number;
  readonly #rows: Rows;
  readonly #stream: number;
  readonly #parameters: readonly number[];
  readonly #tagDictionary: Buffer | undefined;

  /** @param parameters numbers of the columns */
  constructor(rows: Rows, stream: number, parameters: readonly number[]) {
    const { count, tagSets, tagIndex } = rows;
    const isUntagged = tagSets.length === 1 && tagSets[0]!.key === noTags.key;
    const tagDictionary = isUntagged ? undefined : Buffer.from(JSON.stringify(tagSets.map((set) => set.key)));
    let bytes = headBytes + 8 * count + directoryEntryBytes * parameters.length;
    if (tagIndex !== undefined) bytes += align(4 * count, 8);
    if (tagDictionary !== undefined) bytes += align(tagDictionary.length, 8);
    if (rows instanceof NumericRows) bytes += 8 * count * parameters.length;
    else for (const column of rows.columns) bytes += columnBytes(column, count);
    this.bytes = bytes;
    this.#rows = rows;
    this.#stream = stream;
    this.#parameters = parameters;
    this.#tagDictionary = tagDictionary;
  }

  /** Writes the section's body at `start`, a multiple of 8; it takes `bytes` bytes. */
  write(slab: Slab, start: number): void {
    if (this.bytes > stepBytes) {
      whole(this.steps(slab, start));
      return;
    }
    const { count, offsets, tagIndex } = this.#rows;
    const times = new WrittenTimes();
    times.copy(slab, (start + headBytes) >> 3, offsets, 0, count);
    let at = this.#writeHead(slab, start, times);
    if (tagIndex !== undefined) {
      slab.u32.set(tagIndex.length === count ? tagIndex : tagIndex.subarray(0, count), at >> 2);
      at += align(4 * count, 8);
    }
    const dictionary = this.#tagDictionary;
    if (dictionary !== undefined) {
      slab.bytes.set(dictionary, at);
      at += align(dictionary.length, 8);
    }
    if (this.#rows instanceof NumericRows) {
      this.#writeNumbers(slab, start, at, this.#rows);
      return;
    }
    let entry = this.#directoryAt(start);
    for (const [i, column] of this.#rows.columns.entries()) {
      this.#writeEntry(slab, entry, i, column, at - start);
      entry += 4;
      at = writeColumn(slab, at, column, count);
    }
  }

  /** The same in steps. The rows must stay as they are until the last one. */
  *steps(slab: Slab, start: number): Steps<void> {
    const { count, offsets, tagIndex, columns } = this.#rows;
    const times = new WrittenTimes();
    for (let i = 0; i < count; i += stepRows) {
      if (i > 0) yield;
      times.copy(slab, ((start + headBytes) >> 3) + i, offsets, i, Math.min(count, i + stepRows));
    }
    let at = this.#writeHead(slab, start, times);
    if (tagIndex !== undefined) {
      yield* copySteps(slab.u32, at >> 2, tagIndex, count);
      at += align(4 * count, 8);
    }
    const dictionary = this.#tagDictionary;
    if (dictionary !== undefined) {
      yield* copySteps(slab.bytes, at, dictionary, dictionary.length);
      at += align(dictionary.length, 8);
    }
    let entry = this.#directoryAt(start);
    for (let i = 0, rested = at; i < columns.length; i++) {
      if (at - rested >= stepBytes) {
        rested = at;
        yield;
      }
      const column = columns[i]!;
      this.#writeEntry(slab, entry, i, column, at - start);
      entry += 4;
      if (columnBytes(column, count) <= stepBytes) at = writeColumn(slab, at, column, count);
      else at = yield* columnSteps(slab, at, column, count);
    }
  }

  /** Gives where what follows the directory stands. */
  #writeHead(slab: Slab, start: number, { span, isAscending }: WrittenTimes): number {
    const { count, base, tagSets, tagIndex } = this.#rows;
    const { u32 } = slab;
    const word = start >> 2;
    const dictionary = this.#tagDictionary;
    u32[word] = this.#stream;
    u32[word + 1] = count;
    u32[word + 2] = this.#parameters.length;
    u32[word + 3] = dictionary === undefined ? 0 : tagSets.length;
    slab.i64[(start + 16) >> 3] = base;
    slab.f64[(start + 24) >> 3] = span;
    u32[word + 8] = (isAscending ? flagAscending : 0) | (tagIndex === undefined ? 0 : flagTagIndex);
    u32[word + 9] = dictionary?.length ?? 0;
    return start + headBytes + 8 * count + directoryEntryBytes * this.#parameters.length;
  }

  /** In words. */
  #directoryAt(start: number): number {
    return (start + headBytes + 8 * this.#rows.count) >> 2;
  }

  #writeEntry({ u32 }: Slab, entry: number, place: number, column: Column, at: number): void {
    const { count } = this.#rows;
    u32[entry] = this.#parameters[place]!;
    u32[entry + 1] = column.kind | (column.present === undefined ? 0 : presenceFlag);
    u32[entry + 2] = at;
    u32[entry + 3] = column.kind === Kind.Numeric ? 0 : (column.ends[count - 1] ?? 0);
  }

  #writeNumbers({ u32, f64 }: Slab, start: number, at: number, { values, from, count }: NumericRows): void {
    const parameters = this.#parameters;
    const columns = parameters.length;
    for (
      let i = 0, entry = this.#directoryAt(start), to = at - start;
      i < columns;
      i++, entry += 4, to += 8 * count
    ) {
      u32[entry] = parameters[i]!;
      u32[entry + 1] = Kind.Numeric;
      u32[entry + 2] = to;
      u32[entry + 3] = 0;
    }
    copyDoubles(f64, at >> 3, values, from, count * columns);
  }
}

/** Copies times, and finds out what the head says of them. */
class WrittenTimes {
  span = 0;
  isAscending = true;
  #before = -1;

  copy({ f64 }: Slab, at: number, offsets: Float64Array, from: number, end: number): void {
    let { span, isAscending } = this;
    let before = this.#before;
    for (let i = from, to = at; i < end; i++, to++) {
      const offset = offsets[i]!;
      f64[to] = offset;
      if (offset > span) span = offset;
      if (offset < before) isAscending = false;
      before = offset;
    }
    this.span = span;
    this.isAscending = isAscending;
    this.#before = before;
  }
}

function columnBytes(column: Column, count: number): number {
  const presence = column.present === undefined ? 0 : align((count + 7) >> 3, 8);
  if (column.kind === Kind.Numeric) return presence + 8 * count;
  return presence + align(4 * count, 8) + align(column.ends[count - 1] ?? 0, 8);
}

function* columnSteps(slab: Slab, start: number, column: Column, count: number): Steps<number> {
  let at = start;
  if (column.present !== undefined) {
    const length = (count + 7) >> 3;
    yield* copySteps(slab.bytes, at, column.present, length);
    at += align(length, 8);
  }
  if (column.kind === Kind.Numeric) {
    yield* copySteps(slab.f64, at >> 3, column.values, count);
    return at + 8 * count;
  }
  yield* copySteps(slab.u32, at >> 2, column.ends, count);
  at += align(4 * count, 8);
  const length = column.ends[count - 1] ?? 0;
  yield* copySteps(slab.bytes, at, column.bytes, length);
  return at + align(length, 8);
}

/** Copies the first `count` elements of `from` to `at`. */
function* copySteps<Elements extends Uint8Array | Uint32Array | Float64Array>(
  to: Elements,
  at: number,
  from: Elements,
  count: number,
): Steps<void> {
  const step = stepBytes / from.BYTES_PER_ELEMENT;
  for (let done = 0; done < count; done += step) {
    if (done > 0) yield;
    to.set(from.subarray(done, Math.min(count, done + step)), at + done);
  }
}

function writeColumn(slab: Slab, start: number, column: Column, count: number): number {
  let at = start;
  if (column.present !== undefined) {
    const length = (count + 7) >> 3;
    slab.bytes.set(column.present.subarray(0, length), at);
    at += align(length, 8);
  }
  if (column.kind === Kind.Numeric) {
    copyDoubles(slab.f64, at >> 3, column.values, 0, count);
    return at + 8 * count;
  }
  slab.u32.set(column.ends.subarray(0, count), at >> 2);
  at += align(4 * count, 8);
  const length = column.ends[count - 1] ?? 0;
  slab.bytes.set(column.bytes.subarray(0, length), at);
  return at + align(length, 8);
}

/** For a few values a loop is several times faster than `set`. */
function copyDoubles(to: Float64Array, at: number, values: Float64Array, from: number, count: number): void {
  if (count <= 64) for (let i = 0; i < count; i++) to[at + i] = values[from + i]!;
  else to.set(values.subarray(from, from + count), at);
}
