import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { readArrow, readCsv, readParquet } from '../wire/read-tables.ts';
import { type Reply, send, startService, temporaryFolder } from './service.ts';

const { url } = await startService();
const folder = temporaryFolder();
const start = 1_612_191_099_000_000_000n;
const parquet = 'application/vnd.apache.parquet';
const arrow = 'application/vnd.apache.arrow.stream';

const timestamps = Array.from({ length: 5000 }, (_, i) => String(start + BigInt(i) * 1_000_001n));
const written = await send(url, '/topics/cars/streams/run/parameters/data', {
  body: JSON.stringify({
    timestamps,
    numericValues: { Speed: timestamps.map((_, i) => (i % 7 === 0 ? null : i / 8)) },
    stringValues: {
      Note: timestamps.map((_, i) => (i % 5 === 0 ? `a, "${i}"` : null)),
      Speed: timestamps.map(String),
    },
    tagValues: { Lap: timestamps.map((_, i) => (i < 100 ? null : String(i >> 10))) },
  }),
});
assert.equal(written.status, 200, written.text);

const everything = {
  numericParameters: [{ parameterName: 'Speed' }],
  stringParameters: [{ parameterName: 'Note' }, { parameterName: 'Speed' }],
  groupBy: ['Lap', 'streamId'],
};

function ask(
  accept: string | undefined,
  query: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  return send(url, '/parameters/data', {
    body: JSON.stringify(query),
    headers: { ...headers, ...(accept !== undefined && { accept }) },
  });
}

async function parquetRows(reply: Reply) {
  const duckdb = await (await DuckDBInstance.create()).connect();
  const { names, rows } = await readParquet(reply.bytes, folder, duckdb);
  duckdb.closeSync();
  return { names, rows };
}

function arrowRows(reply: Reply) {
  const { names, rows } = readArrow(reply.bytes);
  return { names, rows };
}

describe('rows in the form that is asked for', () => {
  it('have the type that the client names, and say that they depend on it', async () => {
    const types: [accept: string | undefined, type: string][] = [
      [undefined, 'application/json; charset=utf-8'],
      ['image/png', 'application/json; charset=utf-8'],
      ['text/csv', 'text/csv; charset=utf-8; header=present'],
      ['application/csv', 'application/csv; charset=utf-8; header=present'],
      [`text/csv;q=0.5, ${parquet}`, parquet],
      [arrow, arrow],
    ];
    for (const [accept, type] of types) {
      const reply = await ask(accept, everything);
      assert.deepEqual([reply.status, reply.headers['content-type']], [200, type]);
      assert.match(String(reply.headers['vary']), /Accept/);
    }
  });

  it('are the same rows, raw and aggregated', async () => {
    const aggregated = {
      numericParameters: ['Mean', 'Count', 'Max'].map((aggregationType) => ({
        parameterName: 'Speed',
        aggregationType,
      })),
      stringParameters: [{ parameterName: 'Note', aggregationType: 'Last' }],
      groupBy: ['Lap'],
      groupByTime: { timeBucketDuration: 1_000_000_000, interpolationType: 'None' },
    };
    for (const query of [everything, aggregated]) {
      const csv = readCsv((await ask('text/csv', query)).bytes);
      assert.ok(csv.rows.length > 5);
      assert.deepEqual(await parquetRows(await ask(parquet, query)), csv);
      assert.deepEqual(arrowRows(await ask(arrow, query)), csv);
    }
    const { names } = readCsv((await ask('text/csv', aggregated)).bytes);
    assert.deepEqual(names, [
      'Timestamp',
      'mean(Speed)',
      'count(Speed)',
      'max(Speed)',
      'last(Note)',
      'TAG__Lap',
    ]);
    const { names: raw } = readCsv((await ask('text/csv', everything)).bytes);
    assert.deepEqual(raw, ['Timestamp', 'Speed', 'Note', 'Speed (string)', 'TAG__Lap', 'TAG__streamId']);
  });

  it('obey limit and order, and have no cursor but in JSON', async () => {
    const query = { ...everything, limit: 3, order: 'Desc' };
    const json = await ask(undefined, query);
    assert.equal(typeof json.headers['pitwall-next-cursor'], 'string');
    for (const [accept, read] of [
      ['text/csv', async (reply: Reply) => readCsv(reply.bytes)],
      [parquet, parquetRows],
      [arrow, async (reply: Reply) => arrowRows(reply)],
    ] as const) {
      const reply = await ask(accept, query);
      assert.equal(reply.headers['pitwall-next-cursor'], undefined);
      assert.deepEqual(
        (await read(reply)).rows.map(([time]) => time),
        timestamps.slice(-3).reverse(),
      );
    }
  });

  it('are compressed as the client asks, but for Parquet, which is already', async () => {
    const plain = await ask('text/csv', everything);
    const decompress = { gzip: gunzipSync, br: brotliDecompressSync };
    for (const [encoding, open] of Object.entries(decompress)) {
      for (const accept of ['text/csv', 'application/csv']) {
        const reply = await ask(accept, everything, { 'accept-encoding': encoding });
        assert.equal(reply.headers['content-encoding'], encoding);
        assert.match(String(reply.headers['vary']), /Accept, accept-encoding/i);
        assert.deepEqual(open(reply.bytes), plain.bytes);
      }
      const table = await ask(arrow, everything, { 'accept-encoding': encoding });
      assert.equal(table.headers['content-encoding'], encoding);
      assert.equal(readArrow(open(table.bytes)).rows.length, timestamps.length);
      const file = await ask(parquet, everything, { 'accept-encoding': encoding });
      assert.equal(file.headers['content-encoding'], undefined);
    }
  });

  it('of a query with a fault are a problem in JSON', async () => {
    for (const accept of ['text/csv', parquet, arrow]) {
      for (const query of [{}, { ...everything, limit: 0 }, { ...everything, cursor: 'x' }]) {
        const reply = await ask(accept, query);
        assert.deepEqual([reply.status, reply.headers['content-type']], [400, 'application/problem+json']);
      }
    }
  });

  it('are a table with a header also where there are none', async () => {
    const query = { ...everything, to: 5 };
    const csv = await ask('text/csv', query);
    assert.equal(csv.text, 'Timestamp,Speed,Note,Speed (string),TAG__Lap,TAG__streamId\r\n');
    assert.deepEqual(await parquetRows(await ask(parquet, query)), readCsv(csv.bytes));
    assert.deepEqual(arrowRows(await ask(arrow, query)), readCsv(csv.bytes));
  });
});
