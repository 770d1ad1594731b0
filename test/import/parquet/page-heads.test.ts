import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as arrow from 'apache-arrow';
import { parquetMetadata } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { Table as WasmTable, WriterPropertiesBuilder, WriterVersion, writeParquet } from 'parquet-wasm';
import { TableFault } from '../../../src/import/tables/table-fault.ts';
import { contentOf, openParquetBytes } from '../tables/read-table.ts';

const numbers = Array.from({ length: 20 }, (_, i) => i);

/** Pages of the first version, the words with a dictionary of three. */
const first = Buffer.from(
  parquetWriteBuffer({
    codec: 'UNCOMPRESSED',
    columnData: [
      { name: 'Timestamp', data: numbers.map(BigInt), type: 'INT64', encoding: 'PLAIN' },
      { name: 'word', data: numbers.map((i) => ['a', 'b', 'c'][i % 3]!), type: 'STRING' },
    ],
  }),
);

/** Pages of the second version. */
function second(): Buffer {
  const table = new arrow.Table({
    Timestamp: arrow.vectorFromArray(numbers.map(BigInt), new arrow.Int64()),
    n: arrow.vectorFromArray(numbers, new arrow.Int32()),
  });
  const properties = new WriterPropertiesBuilder()
    .setWriterVersion(WriterVersion.V2)
    .setDictionaryEnabled(false)
    .build();
  return Buffer.from(writeParquet(WasmTable.fromIPCStream(arrow.tableToIPC(table, 'stream')), properties));
}

/** The file with other bytes in the head of the first page of a column. */
function damaged(file: Buffer, column: number, from: readonly number[], to: readonly number[]): Buffer {
  const { buffer, byteOffset, length } = file;
  const footer = parquetMetadata(buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer);
  const { dictionary_page_offset, data_page_offset } = footer.row_groups[0]!.columns[column]!.meta_data!;
  const start = Number(dictionary_page_offset || data_page_offset);
  const at = file.indexOf(Buffer.from(from), start);
  assert.ok(at >= start && at < start + 64, `the head has ${from}`);
  const bytes = Buffer.from(file);
  bytes.set(to, at);
  return bytes;
}

async function columnsOf(file: Buffer) {
  return (await contentOf(await openParquetBytes(file, { start: 0n }))).columns;
}

async function refused(file: Buffer, message: RegExp): Promise<void> {
  await assert.rejects(
    () => columnsOf(file),
    (error: unknown) => {
      assert.ok(error instanceof TableFault, String(error));
      assert.match(error.message, message);
      return true;
    },
  );
}

describe('a damaged page of a Parquet file', () => {
  it('is refused where its head lacks a number, which the library would wait for without an end', async () => {
    assert.deepEqual(await columnsOf(second()), { n: numbers });
    // Fields 5 and 6: the bytes of both kinds of levels, 2 and 0, doubled. The second one becomes field 7.
    const levels = [0x15, 4, 0x15, 0];
    await refused(
      damaged(second(), 1, levels, [0x15, 4, 0x25, 0]),
      /row group 1, column n, page 1 has a damaged head: repetition_levels_byte_length is not there/,
    );
  });

  it('is refused where its pages have fewer values than the footer has rows', async () => {
    // Field 1 of the head of a data page, and the encoding behind it: numbers are doubled.
    await refused(
      damaged(first, 0, [0x15, 40, 0x15, 0], [0x15, 38, 0x15, 0]),
      /row group 1, column Timestamp has 19 values for 20 rows/,
    );
  });

  it('is refused where its dictionary lacks a value', async () => {
    assert.deepEqual(
      (await columnsOf(first))['word'],
      numbers.map((i) => 'abc'[i % 3]),
    );
    await refused(
      damaged(first, 1, [0x15, 6, 0x15, 0], [0x15, 4, 0x15, 0]),
      /row 3, column word: the dictionary of the column does not have the value/,
    );
  });
});
