import { crc32 } from 'node:zlib';
import type { TagSet } from '../../../domain/tags.ts';
import { decodeStored } from '../files/damage.ts';
import type { RowGroup } from '../rows/row-group.ts';
import { ByteWriter } from './byte-writer.ts';
import { verifyChecksum } from './checksum.ts';
import { type EncodedColumn, encodeColumn } from './column-codec.ts';
import type { GroupHandle } from './row-group-directory.ts';
import {
  type Block,
  type ColumnEntry,
  decodeDirectory,
  encodeDirectory,
  placeColumns,
} from './row-group-directory.ts';
import type { StoredBytes } from './stored-bytes.ts';
import { decodeTags, decodeTagsBetween, encodeTags, type RowTags, TagsForm, untagged } from './tags-codec.ts';
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
  /** The columns that have a value. */
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
  if (tagsForm === TagsForm.None) return untagged;
  return decodeInHead(file, handle, () =>
    decodeTags(stored.reader(tags.position, tags.position + tags.length), tagsForm, handle.rows),
  );
}

/** The distinct tag sets of rows `[first, end)` of a group, at least one; `stored` as above. Throws DamagedError. */
export function decodeGroupTagsBetween(
  file: string,
  handle: GroupHandle,
  { tagsForm, tags }: GroupLayout,
  stored: StoredBytes,
  first: number,
  end: number,
): readonly TagSet[] {
  return decodeInHead(file, handle, () => {
    const reader = stored.reader(tags.position, tags.position + tags.length);
    return decodeTagsBetween(reader, tagsForm, handle.rows, first, end);
  });
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
