import type { SchemaElement } from 'hyparquet';
import { ByteWriter, type ColumnSource, ParquetWriter } from 'hyparquet-writer';
import { isPresent, Kind } from '../../domain/parameter-data.ts';
import type { ResultBlock, ResultShape } from '../../domain/result.ts';
import { tableNames, timestampName } from '../../domain/table-names.ts';
import { type BytesCells, type NumberCells, type RecordBatch, recordBatches } from './row-batches.ts';

/**
 * The answer of `/parameters/data` as a Parquet file, a row group per batch of rows. Empty chunks are places to pause.
 *
 *   Timestamp    required INT64, TIMESTAMP(NANOS, isAdjustedToUTC = false): with `true` DuckDB reads microseconds
 *   number       optional DOUBLE
 *   string, tag  optional BYTE_ARRAY, STRING
 *   binary       optional BYTE_ARRAY
 */
export async function* encodeParquet(
  blocks: AsyncIterable<ResultBlock>,
  shape: ResultShape,
): AsyncGenerator<Uint8Array> {
  const out = new ByteWriter();
  const schema = parquetSchema(shape);
  const file = new ParquetWriter({ writer: out, schema, createdBy: 'pitwall' });
  for await (const batch of recordBatches(blocks, shape)) {
    // Making a batch takes about as long as writing a column of it.
    yield pause;
    yield* writeRowGroup(file, out, schema, batch);
  }
  file.schema = schema;
  file.finish();
  yield take(out);
}

const pause = new Uint8Array(0);

function parquetSchema(shape: ResultShape): SchemaElement[] {
  const names = tableNames(shape);
  const fields: SchemaElement[] = [
    {
      name: timestampName,
      type: 'INT64',
      repetition_type: 'REQUIRED',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'NANOS' },
    },
    ...shape.columns.map(({ kind }, i) => field(names.columns[i]!, kind)),
    ...names.tags.map((name) => field(name, Kind.String)),
  ];
  return [{ name: 'root', num_children: fields.length }, ...fields];
}

function field(name: string, kind: Kind): SchemaElement {
  const repetition_type = 'OPTIONAL';
  if (kind === Kind.Numeric) return { name, type: 'DOUBLE', repetition_type };
  if (kind === Kind.Binary) return { name, type: 'BYTE_ARRAY', repetition_type };
  return {
    name,
    type: 'BYTE_ARRAY',
    repetition_type,
    converted_type: 'UTF8',
    logical_type: { type: 'STRING' },
  };
}

/**
 * A batch as one row group. The library writes all columns of a row group in one go, which would hold the thread for
 * too long: each column is written as a group of its own, with a chunk given out after it, and then they are made one.
 */
function* writeRowGroup(
  file: ParquetWriter,
  out: ByteWriter,
  schema: readonly SchemaElement[],
  { count, timestamps, columns, tags }: RecordBatch,
): Generator<Uint8Array> {
  const rows = file.num_rows + BigInt(count);
  const first = file.row_groups.length;
  const write = (column: ColumnSource, element: SchemaElement): Uint8Array => {
    // The library looks through the whole schema at each write, which for a wide table would take seconds.
    file.schema = [{ name: 'root', num_children: 1 }, element];
    file.write({ columnData: [{ ...column, offsetIndex: false }], rowGroupSize: count });
    return take(out);
  };
  const time = { name: timestampName, data: timestamps, encoding: 'PLAIN' } as const;
  yield write(time, schema[1]!);
  const cells = [...columns, ...tags];
  for (const [i, column] of cells.entries()) {
    const element = schema[i + 2]!;
    const { name } = element;
    if (column.kind === Kind.Numeric)
      yield write({ name, data: numbers(column), encoding: 'PLAIN', statistics: !hasNaN(column) }, element);
    // Without bounds: they would keep the whole batch in memory until the end of the file.
    else yield write({ name, data: values(column), statistics: false }, element);
  }
  const groups = file.row_groups.splice(first);
  const sum = (size: (group: (typeof groups)[number]) => bigint | undefined): bigint =>
    groups.reduce((total, group) => total + (size(group) ?? 0n), 0n);
  file.row_groups.push({
    columns: groups.flatMap((group) => group.columns),
    num_rows: BigInt(count),
    total_byte_size: sum((group) => group.total_byte_size),
    total_compressed_size: sum((group) => group.total_compressed_size),
  });
  file.num_rows = rows;
}

/** The dictionary of the library takes -0 for 0, so numbers are written plain. */
function numbers({ values, present, nulls }: NumberCells): ColumnSource['data'] {
  return nulls === 0 ? values : Array.from(values, (value, row) => (isPresent(present, row) ? value : null));
}

/** NaN is in no bounds, but DuckDB takes it to be: `WHERE x < 5` would count it. */
function hasNaN({ values }: NumberCells): boolean {
  for (let row = 0; row < values.length; row++) if (Number.isNaN(values[row])) return true;
  return false;
}

function values({ bytes, starts, present }: BytesCells): ColumnSource['data'] {
  return Array.from({ length: starts.length - 1 }, (_, row) =>
    isPresent(present, row) ? bytes.subarray(starts[row], starts[row + 1]) : null,
  );
}

/** What was written since the last time. */
function take(out: ByteWriter): Uint8Array {
  const bytes = out.getBytes().slice();
  out.index = 0;
  return bytes;
}
