import {
  RecordBatch as ArrowBatch,
  AsyncByteQueue,
  Binary,
  type Data,
  Field,
  Float64,
  makeData,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  TimestampNanosecond,
  Utf8,
} from 'apache-arrow';
import { Kind } from '../../domain/parameter-data.ts';
import type { ResultBlock, ResultShape } from '../../domain/result.ts';
import { tableNames, timestampName } from '../../domain/table-names.ts';
import { type BytesCells, type NumberCells, type RecordBatch, recordBatches } from './row-batches.ts';

/**
 * The answer of `/parameters/data` as an Arrow IPC stream, a record batch per batch of rows. Empty chunks are places to
 * pause.
 *
 *   Timestamp    timestamp[ns], without a time zone, not nullable
 *   number       float64
 *   string, tag  utf8
 *   binary       binary
 */
export async function* encodeArrow(
  blocks: AsyncIterable<ResultBlock>,
  shape: ResultShape,
): AsyncGenerator<Uint8Array> {
  const schema = arrowSchema(shape);
  const written: Uint8Array[] = [];
  const sink = new AsyncByteQueue();
  // Pieces of a few bytes and whole columns come alike: a batch leaves as one chunk.
  sink.write = (piece) => void written.push(piece as Uint8Array);
  const take = (): Uint8Array => Buffer.concat(written.splice(0));
  const writer = new RecordBatchStreamWriter();
  writer.reset(sink, schema);
  yield take();
  for await (const batch of recordBatches(blocks, shape)) {
    yield pause;
    writer.write(arrowBatch(schema, batch));
    yield take();
  }
  writer.close();
  yield take();
}

const pause = new Uint8Array(0);

function arrowSchema(shape: ResultShape): Schema {
  const names = tableNames(shape);
  return new Schema([
    new Field(timestampName, new TimestampNanosecond(), false),
    ...shape.columns.map(({ kind }, i) => new Field(names.columns[i]!, arrowType(kind), true)),
    ...names.tags.map((name) => new Field(name, new Utf8(), true)),
  ]);
}

function arrowType(kind: Kind) {
  if (kind === Kind.Numeric) return new Float64();
  return kind === Kind.Binary ? new Binary() : new Utf8();
}

function arrowBatch(schema: Schema, { count, timestamps, columns, tags }: RecordBatch): ArrowBatch {
  const children = [
    makeData({ type: new TimestampNanosecond(), data: timestamps, length: count, nullCount: 0 }),
    ...columns.map((column) => columnData(column, count)),
    ...tags.map((tag) => columnData(tag, count)),
  ];
  return new ArrowBatch(
    schema,
    makeData({ type: new Struct(schema.fields), length: count, nullCount: 0, children }),
  );
}

function columnData(column: NumberCells | BytesCells, length: number): Data {
  const { present: nullBitmap, nulls: nullCount } = column;
  const common = { length, nullCount, nullBitmap };
  if (column.kind === Kind.Numeric) return makeData({ type: new Float64(), data: column.values, ...common });
  const { bytes: data, starts: valueOffsets } = column;
  return column.kind === Kind.Binary
    ? makeData({ type: new Binary(), data, valueOffsets, ...common })
    : makeData({ type: new Utf8(), data, valueOffsets, ...common });
}
