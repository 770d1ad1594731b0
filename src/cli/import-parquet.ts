import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Decompress } from 'fzstd';
import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  type SchemaElement,
} from 'hyparquet';
import { isoFromMillis } from '../domain/timestamp.ts';
import { decompressZstdBy } from '../import/mcap/zstd.ts';
import { CommandError } from './command.ts';
import { type Cell, createColumnSurvey, encodeCell, timestampDigits } from './import-cell.ts';
import { type ImportOptions, type ImportTable, nameColumns, usedColumns } from './import-table.ts';
import { checkFooter } from './parquet-footer.ts';
import { readTime } from './time.ts';

/**
 * Surveys a Parquet file, row group by row group. Types say what columns hold: numbers (booleans as 1 and 0), strings,
 * binaries; other times than that of the row become ISO 8601 text. A column of 64-bit integers that a double would
 * round is text. The time of the row is a TIMESTAMP of any unit, an INT64 in nanoseconds, or a string with either.
 * Throws a CommandError that names row and column; nested columns are refused by name.
 */
export async function openParquet(path: string, options: ImportOptions): Promise<ImportTable> {
  const file = await readable(path, asyncBufferFromFile(path));
  if (file.byteLength < leastBytes)
    throw new CommandError(`${path} cannot be read as Parquet: it has ${file.byteLength} bytes`);
  const metadata = await readable(path, parquetMetadataAsync(file));
  const elements = checkFooter(path, metadata, file.byteLength);
  const named = nameColumns(
    elements.map(({ name }) => name),
    options,
  );
  const surveys = named.map(({ kind }) => createColumnSurvey(kind));
  const source = { path, file, metadata };
  let rows = 0;
  for await (const cells of readRows(source)) {
    rows++;
    for (const [i, { column, role }] of named.entries()) {
      const place = (): string => `row ${rows}, column ${column}`;
      if (role === 'timestamp') timeOf(cells[i], place);
      else if (role === 'value') surveys[i]!.see(cellOf(cells[i], elements[i]!, place), place);
      else if (role !== 'ignored') textOf(cells[i], elements[i]!, role, place);
    }
  }
  const columns = usedColumns(named, surveys, options);
  return {
    columns,
    rows,
    notes: surveys.flatMap((survey) => survey.note() ?? []),
    async *read() {
      let row = 0;
      for await (const cells of readRows(source)) {
        row++;
        yield columns.map(({ name, use }, i) => {
          const place = (): string => `row ${row}, column ${name}`;
          if (use === 'timestamp') return timeOf(cells[i], place);
          if (use === 'tag' || use === 'stream' || use === 'topic')
            return encodeCell(textOf(cells[i], elements[i]!, use, place), use);
          return encodeCell(cellOf(cells[i], elements[i]!, place), use);
        });
      }
    },
  };
}

/** A mark at both ends, and the length of the footer. */
const leastBytes = 12;

/** A row group is in memory as a whole; larger ones would be most of it. */
const maxGroupBytes = 1024 ** 3;

interface Source {
  readonly path: string;
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
}

/** Values as the library gives them: see `parsers`. */
async function* readRows({ path, file, metadata }: Source): AsyncGenerator<unknown[]> {
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    if (group.total_byte_size > maxGroupBytes) {
      throw new CommandError(
        `${path} has a row group of ${group.total_byte_size} bytes, ${maxGroupBytes} is the most; write it with smaller ones`,
      );
    }
    const rowEnd = rowStart + Number(group.num_rows);
    let rows: unknown[][] = [];
    const onComplete = (read: unknown[][]): void => {
      rows = read;
    };
    const read = {
      file,
      metadata,
      rowStart,
      rowEnd,
      utf8: false,
      geoparquet: false,
      parsers,
      compressors,
      onComplete,
    };
    await readable(path, parquetRead(read));
    yield* rows;
    rowStart = rowEnd;
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const textFrom = (bytes: Uint8Array): string => decoder.decode(bytes);

/** Times are exact: a bigint of nanoseconds. */
const parsers = {
  timestampFromMilliseconds: (millis: bigint) => millis * 1_000_000n,
  timestampFromMicroseconds: (micros: bigint) => micros * 1000n,
  timestampFromNanoseconds: (nanos: bigint) => nanos,
  dateFromDays: (days: number) => isoFromMillis(days * 86_400_000).slice(0, 10),
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && textFrom(bytes),
  jsonFromBytes: (bytes: Uint8Array | undefined) => bytes && textFrom(bytes),
};

/** The largest window that zstd's own programs take without being told to. */
const mostWindow = 128 * 1024 ** 2;

/** Snappy is the library's own. */
const compressors: Compressors = {
  GZIP: (input) => gunzipSync(input),
  BROTLI: (input) => brotliDecompressSync(input),
  ZSTD: (input, size) => decompressZstdBy(Decompress, input, size, mostWindow),
};

async function readable<T>(path: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw new CommandError(`${path} cannot be read as Parquet: ${(error as Error).message}`);
  }
}

function timeOf(value: unknown, place: () => string): string {
  if (typeof value === 'bigint') return timestampDigits(String(value), place);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  if (typeof value !== 'string') throw new CommandError(`${place()}: there is no timestamp`);
  return /^-?\d+$/.test(value) ? timestampDigits(value, place) : String(readTime(value, place));
}

function textOf(value: unknown, element: SchemaElement, role: string, place: () => string): Cell {
  const cell = cellOf(value, element, place);
  if (cell === null && role !== 'tag') throw new CommandError(`${place()}: there is no ${role}`);
  if (cell instanceof Uint8Array) throw new CommandError(`${place()}: a ${role} is text, not bytes`);
  return cell === null || typeof cell === 'string' ? cell : cell.text;
}

function cellOf(value: unknown, element: SchemaElement, place: () => string): Cell {
  switch (typeof value) {
    case 'string':
      return value;
    case 'boolean':
      return value ? one : zero;
    case 'bigint':
      return isTime(element) ? isoText(value) : { text: String(value), value: Number(value) };
    case 'number':
      return numberCell(
        element.converted_type === 'DECIMAL' ? Number(value.toFixed(element.scale ?? 0)) : value,
      );
    default:
      if (value === null || value === undefined) return null;
      if (value instanceof Uint8Array) return value;
      throw new CommandError(`${place()} holds what is neither number, string nor bytes`);
  }
}

function numberCell(value: number): Cell {
  return { text: Object.is(value, -0) ? '-0' : String(value), value };
}

const one = numberCell(1);
const zero = numberCell(0);

function isTime({ type, logical_type, converted_type }: SchemaElement): boolean {
  return (
    type === 'INT96' || logical_type?.type === 'TIMESTAMP' || converted_type?.startsWith('TIMESTAMP') === true
  );
}

/** Nanoseconds as ISO 8601 with all nine decimals. */
function isoText(nanos: bigint): string {
  const below = ((nanos % 1_000_000n) + 1_000_000n) % 1_000_000n;
  return isoFromMillis(Number((nanos - below) / 1_000_000n)).replace(
    'Z',
    `${String(below).padStart(6, '0')}Z`,
  );
}
