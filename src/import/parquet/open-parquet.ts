import {
  type AsyncBuffer,
  type ColumnChunk,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  type SchemaTree,
} from 'hyparquet';
import { decompressLz4Block } from '../compression/lz4.ts';
import { decompressSnappy } from '../compression/snappy.ts';
import { decompressZstdBy } from '../compression/zstd.ts';
import type { FileBytes } from '../file-bytes.ts';
import { TableFault } from '../tables/table-fault.ts';
import type { Cell, TableSource } from '../tables/table-source.ts';
import { readArrowFields } from './arrow-types.ts';
import { withEndlessTimes } from './endless-times.ts';
import { checkFooter } from './footer.ts';
import { type Leaf, leavesOf } from './leaves.ts';
import { decompressLz4Page } from './lz4-pages.ts';
import { checkGroup } from './page-heads.ts';

/** What decompresses the pages of a file, besides zstd, LZ4 and Snappy; gives as many bytes as it is told. */
export type PageCompressors = Pick<Compressors, 'GZIP' | 'BROTLI'>;

/**
 * A Parquet file, read row group by row group. Types say what columns hold, and the Arrow schema that a writer left in the footer.
 * Throws a TableFault.
 */
export async function openParquet(file: FileBytes, others: PageCompressors): Promise<TableSource> {
  if (file.size < leastBytes) throw new TableFault(`it cannot be read as Parquet: it has ${file.size} bytes`);
  const buffer: AsyncBuffer = {
    byteLength: file.size,
    slice: async (start, end = file.size) => {
      const bytes = await file.read(start, end - start);
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
    },
  };
  const metadata = await readable(parquetMetadataAsync(buffer));
  const trees = checkFooter(metadata, file.size);
  const arrow = await readArrowFields(metadata);
  const leaves = leavesOf(trees, arrow).map((leaf) => withEndlessTimes(leaf, metadata));
  const { Decompress } = await import('fzstd');
  const compressors: Compressors = {
    ...others,
    // That of the library goes on without an end where literals have a length beyond 2^31.
    SNAPPY: decompressSnappy,
    ZSTD: (input, size) => decompressZstdBy(Decompress, input, size, mostWindow),
    LZ4_RAW: decompressLz4Block,
    LZ4: decompressLz4Page,
  };
  const stored = storedMetadata(metadata, leaves);
  return {
    columns: leaves.map(({ column }) => column),
    rows: (taken) => readRows({ file: buffer, metadata: stored, compressors }, trees, leaves, taken),
  };
}

/** The footer with types as the library shall take them. */
function storedMetadata(metadata: FileMetaData, leaves: readonly Leaf[]): FileMetaData {
  const changed = new Map(leaves.map(({ given, element }) => [given, element]));
  const schema = metadata.schema.map((element) => changed.get(element) ?? element);
  const wide = new Set(leaves.filter(({ isUint32 }) => isUint32).map(({ given }) => given));
  const isWide = metadata.schema.filter(({ type }) => type !== undefined).map((element) => wide.has(element));
  const row_groups = metadata.row_groups.map((group) => ({
    ...group,
    columns: group.columns.map((chunk, i) => (isWide[i] === true ? asDeltas(chunk) : chunk)),
  }));
  return { ...metadata, schema, row_groups };
}

/** How pages say which cells have a value, besides deltas. */
const besideDeltas: readonly string[] = ['DELTA_BINARY_PACKED', 'RLE', 'BIT_PACKED'];

/**
 * Of unsigned numbers of 32 bits that are stored as deltas, DuckDB writes the first one with 33 bits, which the library cuts off
 * unless it takes them for 64 bits: the deltas are the same.
 */
function asDeltas(chunk: ColumnChunk): ColumnChunk {
  const { meta_data } = chunk;
  if (meta_data === undefined || !meta_data.encodings.every((one) => besideDeltas.includes(one)))
    return chunk;
  return { ...chunk, meta_data: { ...meta_data, type: 'INT64' } };
}

/** The fewest bytes of a file: a mark at both ends, and the length of the footer. */
const leastBytes = 12;

/** The largest row group: it is in memory as a whole. */
const maxGroupBytes = 1024 ** 3;

/** The largest window that zstd's own programs take without being told to. */
const mostWindow = 128 * 1024 ** 2;

interface Source {
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
  readonly compressors: Compressors;
}

async function* readRows(
  source: Source,
  trees: readonly SchemaTree[],
  leaves: readonly Leaf[],
  taken: readonly boolean[],
): AsyncGenerator<Cell[], void, void> {
  const { metadata } = source;
  const wanted = trees.filter((_, top) => leaves.some((leaf, i) => leaf.top === top && taken[i] === true));
  const isWhole = wanted.length === trees.length;
  const columns = isWhole ? {} : { columns: wanted.map(({ element }) => element.name) };
  const cellsOf = rowConverter(leaves, taken, (top) => (isWhole ? top : wanted.indexOf(trees[top]!)));
  let rowStart = 0;
  for (const [i, group] of metadata.row_groups.entries()) {
    if (group.total_byte_size > maxGroupBytes) {
      throw new TableFault(
        `it has a row group of ${group.total_byte_size} bytes, ${maxGroupBytes} is the most; write it with smaller ones`,
      );
    }
    const rowEnd = rowStart + Number(group.num_rows);
    let rows: unknown[][] = [];
    const onComplete = (read: unknown[][]): void => {
      rows = read;
    };
    await checkGroup(source.file, metadata, i, wanted);
    const read = { ...source, ...columns, rowStart, rowEnd, parsers, onComplete };
    await readable(parquetRead({ ...read, utf8: false, geoparquet: false }));
    for (const [i, row] of rows.entries()) yield cellsOf(row, rowStart + i + 1);
    rowStart = rowEnd;
  }
}

/** Makes the cells of a row from the values of its columns; where each is a column of its own, in the same array. */
function rowConverter(
  leaves: readonly Leaf[],
  taken: readonly boolean[],
  placeOf: (top: number) => number,
): (row: unknown[], number: number) => Cell[] {
  const steps = leaves.flatMap(({ top, path, convert }, i) =>
    taken[i] === true ? [{ i, at: placeOf(top), path, convert }] : [],
  );
  const isFlat =
    steps.length === leaves.length && steps.every(({ i, at, path }) => i === at && path.length === 0);
  if (isFlat) {
    return (row, number) => {
      for (let i = 0; i < steps.length; i++) {
        const value = row[i];
        if (value === undefined) throw unknownWord(leaves[i]!, number);
        const { convert } = steps[i]!;
        row[i] = value === null || convert === undefined ? value : convert(value);
      }
      return row as Cell[];
    };
  }
  return (row, number) => {
    const cells: Cell[] = new Array(leaves.length).fill(null);
    for (const { i, at, path, convert } of steps) {
      let value = row[at];
      if (value === undefined && path.length === 0) throw unknownWord(leaves[i]!, number);
      for (const part of path) value = (value as Record<string, unknown> | null)?.[part] ?? null;
      value ??= null;
      cells[i] = value === null || convert === undefined ? (value as Cell) : convert(value);
    }
    return cells;
  };
}

/** The library has nothing for a number of a value that the dictionary does not have. */
function unknownWord({ column }: Leaf, row: number): TableFault {
  return new TableFault(
    `it cannot be read as Parquet: row ${row}, column ${column.name}: the dictionary of the column does not have the value`,
  );
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Times of 96 bits are exact: a bigint of nanoseconds. */
const parsers = {
  timestampFromNanoseconds: (nanos: bigint) => nanos,
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && decoder.decode(bytes),
};

async function readable<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw new TableFault(`it cannot be read as Parquet: ${(error as Error).message}`);
  }
}
