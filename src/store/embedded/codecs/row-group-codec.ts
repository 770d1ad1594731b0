import { crc32 } from 'node:zlib';
import { Kind } from '../../../domain/parameter-data.ts';
import type { Runs } from '../../../query/runs.ts';
import { decodeStored } from '../files/damage.ts';
import type { GroupColumn, RowGroup } from '../rows/row-group.ts';
import type { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { decodeValues, type EncodedColumn, encodeColumn } from './column-codec.ts';
import { decodeStatistics, type FrameStatistics } from './frame-statistics.ts';
import { sumRuns } from './frame-sums.ts';
import { type FrameTable, readExtremes, readFrames } from './frame-table.ts';
import { decodeNumbers } from './number-codec.ts';
import { PresenceForm } from './presence-codec.ts';
import type { GroupHandle } from './row-group-directory.ts';
import {
  type Block,
  type ColumnEntry,
  decodeDirectory,
  encodeDirectory,
  placeColumns,
} from './row-group-directory.ts';
import type { StoredBytes } from './stored-bytes.ts';
import { decodeTags, encodeTags, type RowTags } from './tags-codec.ts';
import { decodeTimes, encodeTimes, type TimesForm } from './times-codec.ts';

/**
 * A row group in a part file:
 *
 *   head       directory, times (times-codec.ts), tags (tags-codec.ts), [columns], uint32 CRC-32 of all that
 *   [columns]
 *
 * Columns (column-codec.ts) stand inside the head while times, tags and columns have at most 64 KiB together:
 * one read and one checksum for all. Beyond that they stand after the head, each block with a checksum of
 * its own, so that a query reads only what it wants. The directory:
 *
 *   byte    bit 0 the form of the times; bits 1..2 the form of the tags; bit 3 the columns are after the head
 *   varint  length of the times, unless they are regular
 *   varint  length of the tags, unless there are none
 *   varint  number of columns; then each of them (row-group-directory.ts)
 */
const wholeLimit = 64 * 1024;
const apartFlag = 8;

/** A row group as it goes into a part. */
export interface WrittenGroup {
  /** Valid until the next group is encoded. */
  readonly bytes: Buffer;
  readonly headLength: number;
  /** Those that have a value. */
  readonly columns: readonly EncodedColumn[];
}

/** A function that encodes groups one after another, reusing its buffers. */
export function createGroupEncoder(): (group: RowGroup) => WrittenGroup {
  const axes = new ByteWriter();
  const body = new ByteWriter(wholeLimit);
  const out = new ByteWriter(wholeLimit);
  return (group) => {
    axes.length = 0;
    body.length = 0;
    out.length = 0;
    const timesForm = encodeTimes(axes, group.offsets);
    const timesLength = axes.length;
    const tagsForm = encodeTags(axes, group, group.count);
    const columns: EncodedColumn[] = [];
    for (const column of group.columns) {
      const encoded = encodeColumn(body, column, group.count);
      if (encoded !== undefined) columns.push(encoded);
    }
    const apart = axes.length + body.length > wholeLimit;
    out.byte(timesForm | (tagsForm << 1) | (apart ? apartFlag : 0));
    if (timesForm !== 0) out.varint(timesLength);
    if (tagsForm !== 0) out.varint(axes.length - timesLength);
    encodeDirectory(out, columns, apart ? body.bytes : undefined);
    out.append(axes.written());
    if (!apart) out.append(body.written());
    out.uint32(crc32(out.written()));
    const headLength = out.length;
    if (apart) out.append(body.written());
    return { bytes: out.written(), headLength, columns };
  };
}

/** What the directory of a group says. Times and tags are decoded when they are asked for. */
export interface GroupLayout {
  readonly timesForm: TimesForm;
  readonly times: Block;
  readonly tagsForm: number;
  readonly tags: Block;
  readonly columns: readonly ColumnEntry[];
}

export interface GroupHead extends RowTags {
  readonly offsets: Float64Array;
  readonly columns: readonly ColumnEntry[];
}

/**
 * Decodes the directory of a group from bytes that begin with the group, with the columns of `wanted` parameters
 * (undefined: all). Throws DamagedError.
 *
 * @param isChecked whether the head has met its checksum
 */
export function decodeLayout(
  file: string,
  handle: GroupHandle,
  stored: StoredBytes,
  wanted?: ReadonlySet<number>,
  isChecked = false,
): GroupLayout {
  const { headLength, rows } = handle;
  return decodeInHead(file, handle, () => {
    const end = headLength - 4;
    const { bytes } = stored;
    if (!isChecked) verifyChecksum(bytes.subarray(0, end), bytes.readUInt32LE(end));
    const reader = stored.reader(0, end);
    const forms = reader.byte();
    const timesForm = (forms & 1) as TimesForm;
    const tagsForm = (forms >> 1) & 3;
    const apart = (forms & apartFlag) !== 0;
    const timesLength = timesForm === 0 ? 0 : reader.varint();
    const tagsLength = tagsForm === 0 ? 0 : reader.varint();
    const directory = decodeDirectory(reader, rows, apart, wanted);
    const times = { position: reader.skip(timesLength), length: timesLength, checksum: undefined };
    const tags = { position: reader.skip(tagsLength), length: tagsLength, checksum: undefined };
    const columns = placeColumns(
      directory,
      apart ? headLength : reader.position,
      apart ? handle.length : end,
    );
    return { timesForm, times, tagsForm, tags, columns };
  });
}

/** The offsets of a group's rows; `stored` as above. Throws DamagedError. */
export function decodeOffsets(
  file: string,
  handle: GroupHandle,
  { timesForm, times }: GroupLayout,
  stored: StoredBytes,
  into?: Float64Array,
): Float64Array {
  const { rows, minOffset, maxOffset } = handle;
  return decodeInHead(file, handle, () => {
    const reader = stored.reader(times.position, times.position + times.length);
    return decodeTimes(reader, timesForm, rows, minOffset, maxOffset, into);
  });
}

/** The tags of a group's rows; `stored` as above. Throws DamagedError. */
export function decodeGroupTags(
  file: string,
  handle: GroupHandle,
  { tagsForm, tags }: GroupLayout,
  stored: StoredBytes,
): RowTags {
  return decodeInHead(file, handle, () =>
    decodeTags(stored.reader(tags.position, tags.position + tags.length), tagsForm, handle.rows),
  );
}

/** Decodes the whole head of a group; `wanted` as above. Throws DamagedError. */
export function decodeHead(
  file: string,
  handle: GroupHandle,
  stored: StoredBytes,
  wanted?: ReadonlySet<number>,
): GroupHead {
  const layout = decodeLayout(file, handle, stored, wanted);
  const offsets = decodeOffsets(file, handle, layout, stored);
  return { offsets, ...decodeGroupTags(file, handle, layout, stored), columns: layout.columns };
}

function decodeInHead<T>(file: string, { position, headLength }: GroupHandle, decode: () => T): T {
  return decodeStored(file, position, position + headLength, 'the head of a row group', decode);
}

/**
 * Decodes a column from bytes that hold its blocks; numbers go to `into` where that is given, and stay there until it is
 * used again. Throws DamagedError.
 */
export function decodeColumn(
  file: string,
  handle: GroupHandle,
  entry: ColumnEntry,
  stored: StoredBytes,
  into?: Float64Array,
): GroupColumn {
  return decodeBlock(file, handle, entry.values, `parameter ${entry.parameter}`, stored, (reader) =>
    decodeValues(reader, entry, handle.rows, into),
  );
}

/**
 * The values of a column of numbers that every row has, in the frames that are marked; what stands in the others
 * means nothing. `stored` as above.
 */
export function decodeColumnFrames(
  file: string,
  handle: GroupHandle,
  entry: ColumnEntry,
  stored: StoredBytes,
  marks: Uint8Array,
  into: Float64Array,
): Float64Array {
  return decodeBlock(file, handle, entry.values, `parameter ${entry.parameter}`, stored, (reader) => {
    const values = decodeNumbers(reader, handle.rows, into, marks);
    reader.position = reader.end;
    return values;
  });
}

/**
 * The sums of runs of a column of numbers that every row has, to `sums`; false where nothing stored gives them
 * (`sumRuns`). `stored` as above.
 */
export function decodeRunSums(
  file: string,
  handle: GroupHandle,
  entry: ColumnEntry,
  stored: StoredBytes,
  runs: Runs,
  sums: Float64Array,
): boolean {
  const { statistics, values } = entry;
  if (statistics === undefined) return false;
  return decodeBlock(file, handle, values, `parameter ${entry.parameter}`, stored, (ofValues) => {
    const what = `statistics of parameter ${entry.parameter}`;
    return decodeBlock(file, handle, statistics, what, stored, (ofStatistics) => {
      const areThere = sumRuns(ofValues, ofStatistics, handle.rows, runs, sums);
      ofValues.position = ofValues.end;
      ofStatistics.position = ofStatistics.end;
      return areThere;
    });
  });
}

/** Frames of a column that were read to a table. */
export interface TakenFrames {
  readonly scale: number;
  /** All bytes of the values; positions in the table are in the same memory, in which these begin at `from`. */
  readonly bytes: Buffer;
  readonly from: number;
}

/**
 * Reads the frames of a column of numbers that every row has to a table, from the place `at` on; undefined where it has none
 * of which all is known (`readFrames`). `stored` as above.
 */
export function decodeFrameTable(
  file: string,
  handle: GroupHandle,
  entry: ColumnEntry,
  stored: StoredBytes,
  table: FrameTable,
  at: number,
): TakenFrames | undefined {
  const { statistics, values } = entry;
  if (statistics === undefined || entry.presenceForm !== PresenceForm.All || entry.kind !== Kind.Numeric)
    return undefined;
  return decodeBlock(file, handle, values, `parameter ${entry.parameter}`, stored, (ofValues) => {
    const what = `statistics of parameter ${entry.parameter}`;
    const from = ofValues.position;
    const bytes = ofValues.bytes.subarray(from, ofValues.end);
    const scale = decodeBlock(file, handle, statistics, what, stored, (ofStatistics) => {
      const start = ofStatistics.position;
      const found = readFrames(ofValues, ofStatistics, handle.rows, table, at);
      ofStatistics.position = start;
      if (found !== undefined) readExtremes(ofStatistics, handle.rows, table, at);
      ofStatistics.position = ofStatistics.end;
      return found;
    });
    ofValues.position = ofValues.end;
    return scale === undefined ? undefined : { scale, bytes, from };
  });
}

/** The statistics of a column, or undefined where it has none; `stored` as above. */
export function decodeColumnStatistics(
  file: string,
  handle: GroupHandle,
  entry: ColumnEntry,
  stored: StoredBytes,
  into?: FrameStatistics,
): FrameStatistics | undefined {
  if (entry.statistics === undefined) return undefined;
  const what = `statistics of parameter ${entry.parameter}`;
  return decodeBlock(file, handle, entry.statistics, what, stored, (reader) =>
    decodeStatistics(reader, entry.present, into),
  );
}

function decodeBlock<T>(
  file: string,
  handle: GroupHandle,
  { position, length, checksum }: Block,
  what: string,
  stored: StoredBytes,
  decode: (reader: ByteReader) => T,
): T {
  const start = handle.position + position;
  return decodeStored(file, start, start + length, what, () => {
    const reader = stored.reader(position, position + length);
    if (checksum !== undefined) verifyChecksum(stored.bytes.subarray(reader.position, reader.end), checksum);
    const decoded = decode(reader);
    if (reader.position !== reader.end) throw new RangeError('bytes are left over');
    return decoded;
  });
}

export function verifyChecksum(bytes: Uint8Array, checksum: number): void {
  if (crc32(bytes) !== checksum) throw new RangeError('the checksum does not match');
}
