import { type Data, DataType, tableFromIPC, type Vector } from 'apache-arrow';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import type { JsonValue } from '../../src/wire/json/json-value.ts';
import type { Reply } from '../e2e/service.ts';
import { integer } from './fill.ts';

/**
 * The rows of a Parquet or Arrow answer as arrays, the names of the columns first: timestamps as integers, binaries
 * as base64. Throws for another media type, so that a script that expects a table gets no other form for one.
 */
export async function tableOf(reply: Reply): Promise<JsonValue> {
  switch (reply.headers['content-type']) {
    case 'application/vnd.apache.parquet':
      return parquetTable(reply.bytes);
    case 'application/vnd.apache.arrow.stream':
      return arrowTable(reply.bytes);
    default:
      throw new Error(`${reply.headers['content-type']} is no table`);
  }
}

async function parquetTable(bytes: Buffer): Promise<JsonValue> {
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  const [, ...columns] = parquetMetadata(buffer).schema;
  const names = columns.map(({ name }) => name);
  const file = { byteLength: buffer.byteLength, slice: buffer.slice.bind(buffer) };
  const parsers = { timestampFromNanoseconds: (nanoseconds: bigint) => nanoseconds };
  const rows = await parquetReadObjects({ file, parsers, utf8: false });
  return [names, ...rows.map((row) => names.map((name) => cell(row[name])))];
}

function arrowTable(bytes: Buffer): JsonValue {
  const table = tableFromIPC(bytes);
  const names = table.schema.fields.map(({ name }) => name);
  const columns = names.map((_, i) => arrowColumn(table.getChildAt(i)!));
  return [
    names,
    ...Array.from({ length: table.numRows }, (_, row) => columns.map((cells) => cells[row] ?? null)),
  ];
}

function arrowColumn(vector: Vector): JsonValue[] {
  // The library rounds nanoseconds to milliseconds unless they are read from the buffer.
  if (!DataType.isTimestamp(vector.type)) return [...vector].map(cell);
  return vector.data.flatMap((data: Data) => {
    const nanoseconds = data.values as BigInt64Array;
    return [...nanoseconds.subarray(0, data.length)].map(integer);
  });
}

function cell(value: unknown): JsonValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return integer(value);
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return { text: String(value), value };
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  throw new Error(`a cell holds ${typeof value}`);
}
