import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import * as arrow from 'apache-arrow';
import { Table as WasmTable, writeParquet } from 'parquet-wasm';
import { contentOf, openParquetBytes } from '../tables/read-table.ts';

const folder = mkdtempSync(join(tmpdir(), 'pitwall-parquet-'));
after(() => rmSync(folder, { recursive: true }));

async function duckdb(select: string): Promise<Uint8Array> {
  const path = join(folder, 'duckdb.parquet');
  const connection = await (await DuckDBInstance.create()).connect();
  await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
  connection.closeSync();
  return readFileSync(path);
}

const [least, most] = [-(2n ** 63n) + 1n, 2n ** 63n - 1n];

describe('infinity in a Parquet file', () => {
  it('of DuckDB is a number, or the words that DuckDB writes where it is a moment or a day', async () => {
    const types = ['DOUBLE', 'FLOAT', 'TIMESTAMP', 'TIMESTAMPTZ', 'TIMESTAMP_MS', 'TIMESTAMP_NS', 'DATE'];
    const columns = types.map((type) => `['infinity', '-infinity'][i + 1]::${type} AS "of ${type}"`);
    const time = `make_timestamp_ns(1612191099000000000 + i) AS "Timestamp"`;
    const table = await openParquetBytes(
      await duckdb(`SELECT ${time}, ${columns.join(', ')}, i * ${2 ** 31 - 1} AS n FROM range(2) t(i)`),
    );
    const [numbers, words] = [
      [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
      ['infinity', '-infinity'],
    ];
    assert.deepEqual((await contentOf(table)).columns, {
      ...{ 'of DOUBLE': numbers, 'of FLOAT': numbers, 'of TIMESTAMP': words, 'of TIMESTAMPTZ': words },
      ...{ 'of TIMESTAMP_MS': words, 'of TIMESTAMP_NS': words, 'of DATE': words, n: [0, 2 ** 31 - 1] },
    });
  });

  it('is no time of a row', async () => {
    for (const type of ['TIMESTAMP', 'TIMESTAMP_NS'])
      await assert.rejects(
        openParquetBytes(await duckdb(`SELECT '-infinity'::${type} AS "Timestamp", 1 AS v`)),
        /row 1, column Timestamp: '-infinity' is neither a number nor a time/,
      );
  });

  it('is unknown to other writers, whose moments go as far', async () => {
    const type = new arrow.TimestampNanosecond();
    const data = BigInt64Array.from([least, most]);
    const times = arrow.makeVector(arrow.makeData({ type, length: 2, data } as never)) as arrow.Vector;
    const bytes = writeParquet(
      WasmTable.fromIPCStream(arrow.tableToIPC(new arrow.Table({ t: times }), 'stream')),
    );
    assert.deepEqual((await contentOf(await openParquetBytes(bytes, { timestamp: 't' }))).times, [
      least,
      most,
    ]);
  });
});
