import { crc32 } from 'node:zlib';
import type { Kind } from '../../../domain/parameter-data.ts';
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { type ColumnSummary, type EncodedColumn, hasStatistics } from './column-codec.ts';

/** Where a row group stands in the file of its part. */
export interface GroupHandle {
  readonly stream: number;
  /** The parameters of all columns that it may have, ascending. */
  readonly parameters: Uint32Array;
  readonly rows: number;
  /** All its times lie in that one. */
  readonly window: number;
  /** Nanoseconds from the start of the window, both inclusive. */
  readonly minOffset: number;
  readonly maxOffset: number;
  /** Bytes in the file; the head is the first `headLength` of `length` bytes. */
  readonly position: number;
  readonly headLength: number;
  readonly length: number;
}

/** Where a block of a group lies, from the group's start; `checksum` where it has one of its own. */
export interface Block {
  readonly position: number;
  readonly length: number;
  readonly checksum: number | undefined;
}

export interface ColumnEntry extends ColumnSummary {
  readonly values: Block;
  readonly statistics: Block | undefined;
}

/**
 * The columns of a row group as its directory lists them (row-group-codec.ts), in order of parameters; each:
 *
 *   varint  the parameter's number less that of the column before (0 before the first)
 *   byte    bits 0..1 kind, bits 2..3 the form of presence
 *   varint  number of rows that have a value, unless all have one
 *   varint  length of the values; then uint32 CRC-32 of the values, if columns are after the head
 *   the same two of the statistics, where there are some
 */
export function encodeDirectory(
  out: ByteWriter,
  columns: readonly EncodedColumn[],
  body: Buffer | undefined,
): void {
  let [parameter, position] = [0, 0];
  const block = (length: number) => {
    out.varint(length);
    if (body !== undefined) out.uint32(crc32(body.subarray(position, position + length)));
    position += length;
  };
  out.varint(columns.length);
  for (const column of columns) {
    out.varint(column.parameter - parameter);
    parameter = column.parameter;
    out.byte(column.kind | (column.presenceForm << 2));
    if (column.presenceForm !== 0) out.varint(column.present);
    block(column.valuesLength);
    if (column.statisticsLength > 0) block(column.statisticsLength);
  }
}

/** The columns of a directory; their blocks are counted from the first column's. */
export interface Directory {
  readonly columns: readonly ColumnEntry[];
  /** Bytes that the blocks of all columns take. */
  readonly length: number;
}

/** Reads a directory, with the columns of `wanted` parameters (undefined: all). */
export function decodeDirectory(
  reader: ByteReader,
  rows: number,
  apart: boolean,
  wanted?: ReadonlySet<number>,
): Directory {
  let [parameter, position] = [0, 0];
  const count = reader.varint();
  const columns: ColumnEntry[] = [];
  for (let i = 0; i < count; i++) {
    parameter += reader.varint();
    const forms = reader.byte();
    const kind = (forms & 3) as Kind;
    const presenceForm = forms >> 2;
    const present = presenceForm === 0 ? rows : reader.varint();
    const has = hasStatistics(kind, present);
    if (wanted?.has(parameter) === false) {
      // Most columns of a wide group are passed over: nothing is made for them.
      position += lengthAt(reader, apart) + (has ? lengthAt(reader, apart) : 0);
      continue;
    }
    const values = blockAt(position, reader, apart);
    position += values.length;
    const statistics = has ? blockAt(position, reader, apart) : undefined;
    position += statistics?.length ?? 0;
    columns.push({ parameter, kind, presenceForm, present, values, statistics });
  }
  return { columns, length: position };
}

/** The length of a block that is not wanted. */
function lengthAt(reader: ByteReader, apart: boolean): number {
  const length = reader.varint();
  if (apart) reader.skip(4);
  return length;
}

function blockAt(position: number, reader: ByteReader, apart: boolean): Block {
  return { position, length: reader.varint(), checksum: apart ? reader.uint32() : undefined };
}

/** The columns of a directory whose blocks fill [start, end) of the group; the directory is theirs from now on. */
export function placeColumns(
  { columns, length }: Directory,
  start: number,
  end: number,
): readonly ColumnEntry[] {
  if (start + length !== end) throw new RangeError('the lengths do not add up');
  for (const { values, statistics } of columns) {
    place(values, start);
    if (statistics !== undefined) place(statistics, start);
  }
  return columns;
}

/** In place: a group may have tens of thousands of columns. */
function place(block: { position: number }, start: number): void {
  block.position += start;
}
