import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import * as arrow from 'apache-arrow';
import { Compression, Table as WasmTable, WriterPropertiesBuilder, writeParquet } from 'parquet-wasm';
import { Lz4Fault } from '../../../src/import/compression/lz4.ts';
import { decompressLz4Page } from '../../../src/import/parquet/lz4-pages.ts';
import { contentOf, openParquetBytes } from '../tables/read-table.ts';

const folder = mkdtempSync(join(tmpdir(), 'pitwall-parquet-'));
after(() => rmSync(folder, { recursive: true }));

const rows = 5000;
const start = 1_612_191_099_000_000_000n;
const speedOf = (i: number) => (i % 97) / 4;
const wordOf = (i: number) => `sector ${i % 3}`;

async function duckdb(compression: string): Promise<Uint8Array> {
  const path = join(folder, `${compression}.parquet`);
  const connection = await (await DuckDBInstance.create()).connect();
  const select = `SELECT make_timestamp_ns(${start} + i) AS "Timestamp", (i % 97) / 4 AS speed, 'sector ' || (i % 3) AS word FROM range(${rows}) t(i)`;
  await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet, COMPRESSION ${compression})`);
  connection.closeSync();
  return readFileSync(path);
}

function arrowRs(compression: Compression): Uint8Array {
  const times = BigInt64Array.from({ length: rows }, (_, i) => start + BigInt(i));
  const type = new arrow.TimestampNanosecond();
  const table = new arrow.Table({
    Timestamp: arrow.makeVector(arrow.makeData({ type, length: rows, data: times } as never)) as arrow.Vector,
    speed: arrow.vectorFromArray(
      Array.from({ length: rows }, (_, i) => speedOf(i)),
      new arrow.Float64(),
    ),
    word: arrow.vectorFromArray(
      Array.from({ length: rows }, (_, i) => wordOf(i)),
      new arrow.Utf8(),
    ),
  });
  const properties = new WriterPropertiesBuilder().setCompression(compression).build();
  return writeParquet(WasmTable.fromIPCStream(arrow.tableToIPC(table, 'stream')), properties);
}

async function checkRows(bytes: Uint8Array): Promise<void> {
  const { times, columns } = await contentOf(await openParquetBytes(bytes));
  assert.deepEqual(
    times,
    Array.from({ length: rows }, (_, i) => start + BigInt(i)),
  );
  assert.deepEqual(columns, {
    speed: Array.from({ length: rows }, (_, i) => speedOf(i)),
    word: Array.from({ length: rows }, (_, i) => wordOf(i)),
  });
}

describe('pages of a Parquet file', () => {
  for (const compression of ['lz4_raw', 'snappy', 'gzip', 'brotli', 'zstd', 'uncompressed'])
    it(`are read with ${compression}, as DuckDB writes it`, async () => checkRows(await duckdb(compression)));

  it('are read with LZ4_RAW, and with LZ4 as Hadoop frames it, as arrow-rs writes them', async () => {
    await checkRows(arrowRs(Compression.LZ4_RAW));
    await checkRows(arrowRs(Compression.LZ4));
  });

  it('of LZ4 may be several pieces, blocks without a frame, and frames of LZ4', () => {
    // 'abc' as literals; 'abcabcab' as literals and a match.
    const [abc, match] = [
      [0x30, 97, 98, 99],
      [0x31, 97, 98, 99, 3, 0],
    ];
    const pieces = [[0, 0, 0, 11], [0, 0, 0, 6], match, [0, 0, 0, 4], abc, [0, 0, 0, 3], [0, 0, 0, 4], abc];
    const frame = [[4, 34, 77, 24], [0x40, 0x40, 0], [6, 0, 0, 0], match, [0, 0, 0, 0]];
    for (const [input, text] of [
      [pieces, 'abcabcababcabc'],
      [[match], 'abcabcab'],
      [frame, 'abcabcab'],
    ] as const)
      assert.equal(
        Buffer.from(decompressLz4Page(Uint8Array.from(input.flat()), text.length)).toString(),
        text,
      );
    assert.throws(() => decompressLz4Page(Uint8Array.from(pieces.flat()), 13), Lz4Fault);
    assert.throws(() => decompressLz4Page(Uint8Array.from(abc), 2 ** 31), /4 bytes cannot stand for as many/);
    assert.throws(() => decompressLz4Page(Uint8Array.from(pieces.flat().slice(0, -1)), 14), Lz4Fault);
  });
});
