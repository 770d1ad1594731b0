import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { parquetReadObjects } from 'hyparquet';
import pl from 'nodejs-polars';
import { Kind } from '../../../src/domain/parameter-data.ts';
import type { ResultShape } from '../../../src/domain/result.ts';
import { encodeArrow } from '../../../src/wire/answers/parameter-data-arrow.ts';
import { encodeCsv } from '../../../src/wire/answers/parameter-data-csv.ts';
import { encodeParameterData } from '../../../src/wire/answers/parameter-data-json.ts';
import { encodeParquet } from '../../../src/wire/answers/parameter-data-parquet.ts';
import { cases } from '../../extent.ts';
import { cellText, type PlainTable, readArrow, readCsv, readParquet } from '../read-tables.ts';
import { blocksOf, bytesOf, later, type PlainRow } from '../result-blocks.ts';

const folder = mkdtempSync(join(tmpdir(), 'pitwall-test-'));
const duckdb = await (await DuckDBInstance.create()).connect();
after(() => {
  duckdb.closeSync();
  rmSync(folder, { recursive: true, force: true });
});

const shape: ResultShape = {
  columns: [
    { kind: Kind.Numeric, name: 'Speed' },
    { kind: Kind.String, name: 'Speed' },
    { kind: Kind.Binary, name: 'Raw' },
    { kind: Kind.Numeric, name: 'mean(Gear)' },
  ],
  groupBy: ['lap', 'streamId'],
};
const names = ['Timestamp', 'Speed', 'Speed (string)', 'Raw', 'mean(Gear)', 'TAG__lap', 'TAG__streamId'];

/** DuckDB keeps the three outermost values for its infinities. */
const lowest = -(2n ** 63n) + 2n;
const highest = 2n ** 63n - 2n;

const texts = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '',
    ' ',
    ',',
    '"',
    'a"b',
    'two\nlines',
    '\r\n',
    'NaN',
    '-1',
    '0',
    'null',
    'ümlaut 😀',
    'a\uFEFF',
  ),
);
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 4 });
const plainRows: fc.Arbitrary<PlainRow[]> = fc.array(
  fc.record({
    time: fc.oneof(
      fc.bigInt({ min: lowest, max: highest }),
      fc.bigInt({ min: 1_600_000_000_000_000_000n, max: 1_600_000_000_000_000_999n }),
      fc.constantFrom(lowest, -1n, 0n, 1n, highest),
    ),
    values: fc.tuple(
      orNull(fc.double()),
      orNull(texts),
      orNull(fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes))),
      orNull(fc.constantFrom(-0, 0, 1, 1e300, 5e-324, Number.NaN, Number.NEGATIVE_INFINITY)),
    ),
    tags: fc.tuple(orNull(texts), fc.constantFrom('s1', 's,2')),
  }),
  { maxLength: 40 },
);

function plainTable(rows: readonly PlainRow[]): PlainTable {
  return { names, rows: rows.map(({ time, values, tags }) => [time, ...values, ...tags].map(cellText)) };
}

interface JsonAnswer {
  readonly timestamps: string[];
  readonly numericValues: Record<string, unknown[]>;
  readonly stringValues: Record<string, unknown[]>;
  readonly binaryValues: Record<string, unknown[]>;
  readonly tagValues: Record<string, unknown[]>;
}

function readJson(text: string): PlainTable {
  const answer = JSON.parse(text) as JsonAnswer;
  const { timestamps, numericValues, stringValues, binaryValues, tagValues } = answer;
  const columns = [
    timestamps,
    numericValues['Speed']!,
    stringValues['Speed']!,
    binaryValues['Raw']!,
    numericValues['mean(Gear)']!,
    tagValues['lap']!,
    tagValues['streamId']!,
  ];
  return { names, rows: timestamps.map((_, row) => columns.map((column) => cellText(column[row]))) };
}

describe('an answer of rows', () => {
  it('has the same rows as JSON, CSV, Parquet and Arrow', async () => {
    await fc.assert(
      fc.asyncProperty(plainRows, fc.integer({ min: 1, max: 15 }), async (rows, blockRows) => {
        const expected = plainTable(rows);
        const blocks = blocksOf(shape, rows, blockRows);
        const json = Buffer.concat([...encodeParameterData(blocks, shape, { int64AsString: true })]);
        assert.deepEqual(readJson(json.toString()), expected);
        assert.deepEqual(readCsv(await bytesOf(encodeCsv(later(blocks), shape))), expected);
        const parquet = await readParquet(await bytesOf(encodeParquet(later(blocks), shape)), folder, duckdb);
        assert.deepEqual({ names: parquet.names, rows: parquet.rows }, expected);
        const arrow = readArrow(await bytesOf(encodeArrow(later(blocks), shape)));
        assert.deepEqual({ names: arrow.names, rows: arrow.rows }, expected);
      }),
      { numRuns: cases(60) },
    );
  });

  it('is read by polars, nanoseconds and all', async () => {
    const rows: PlainRow[] = [
      { time: 1_600_000_000_000_000_001n, values: [1.5, 'é "', null, -0], tags: ['1', 's1'] },
      { time: -1n, values: [null, null, null, null], tags: [null, 's1'] },
      { time: lowest, values: [Number.NaN, '', null, 1], tags: ['', 's2'] },
    ];
    const narrow = {
      columns: shape.columns.filter(({ kind }) => kind !== Kind.Binary),
      groupBy: shape.groupBy,
    };
    const plain = rows.map((row) => ({ ...row, values: row.values.filter((_, i) => i !== 2) }));
    const blocks = blocksOf(narrow, plain, 2);
    const frames = [
      pl.readParquet(await bytesOf(encodeParquet(later(blocks), narrow))),
      pl.readIPCStream(await bytesOf(encodeArrow(later(blocks), narrow))),
    ];
    for (const frame of frames) {
      const digits = frame.getColumn('Timestamp').cast(pl.Int64).cast(pl.Utf8).toArray();
      assert.deepEqual(
        digits,
        plain.map(({ time }) => String(time)),
      );
      assert.deepEqual(frame.getColumn('Speed').toArray(), [1.5, null, Number.NaN]);
      assert.deepEqual(frame.getColumn('Speed (string)').toArray(), ['é "', null, '']);
      assert.deepEqual(frame.getColumn('TAG__lap').toArray(), ['1', null, '']);
    }
  });

  it('in Parquet is searched by DuckDB as the rows themselves, NaN and all', async () => {
    const given = { columns: [{ kind: Kind.Numeric, name: 'v' } as const], groupBy: [] };
    const numbers = [Number.NaN, Number.NEGATIVE_INFINITY, -0, 0, 1, 5, Number.POSITIVE_INFINITY, null];
    for (const some of [numbers, [Number.NaN, 1, 1], [null, Number.NaN], [1, 5], [-0, 0]]) {
      const rows = some.map((value, i) => ({ time: BigInt(i), values: [value], tags: [] }));
      const bytes = await bytesOf(encodeParquet(later(blocksOf(given, rows, 3)), given));
      const { path } = await readParquet(bytes, folder, duckdb);
      await duckdb.run(`CREATE OR REPLACE TABLE found AS SELECT * FROM '${path}'`);
      for (const where of ['v < 5', 'v <= 1', 'v >= 0', 'v > 1', 'v = 1', 'v = 0', "v = 'NaN'", 'v <> 1']) {
        const count = async (from: string) =>
          (await duckdb.runAndReadAll(`SELECT count(*) FROM ${from} WHERE ${where}`)).getRows();
        assert.deepEqual(await count(`'${path}'`), await count('found'), `${some.join()}: ${where}`);
      }
    }
  });

  it('without rows is a table with all its columns and their types', async () => {
    assert.equal((await bytesOf(encodeCsv(later([]), shape))).toString(), `${names.join(',')}\r\n`);
    const { path, ...parquet } = await readParquet(
      await bytesOf(encodeParquet(later([]), shape)),
      folder,
      duckdb,
    );
    assert.ok(path.startsWith(folder));
    assert.deepEqual(parquet, {
      names,
      rows: [],
      types: ['TIMESTAMP_NS', 'DOUBLE', 'VARCHAR', 'BLOB', 'DOUBLE', 'VARCHAR', 'VARCHAR'],
    });
    const arrow = readArrow(await bytesOf(encodeArrow(later([]), shape)));
    assert.deepEqual(arrow, {
      names,
      rows: [],
      types: ['Timestamp<NANOSECOND>', 'Float64', 'Utf8', 'Binary', 'Float64', 'Utf8', 'Utf8'],
    });
  });

  it('holds the whole range of times', async () => {
    const rows = [-(2n ** 63n), -1n, 2n ** 63n - 1n].map((time) => ({ time, values: [1], tags: [] }));
    const narrow = { columns: [{ kind: Kind.Numeric, name: 'a' }], groupBy: [] };
    const blocks = blocksOf(narrow, rows, 10);
    const digits = ['-9223372036854775808', '-1', '9223372036854775807'];
    assert.deepEqual(
      readArrow(await bytesOf(encodeArrow(later(blocks), narrow))).rows,
      digits.map((time) => [time, '1']),
    );
    assert.deepEqual(
      readCsv(await bytesOf(encodeCsv(later(blocks), narrow))).rows,
      digits.map((time) => [time, '1']),
    );
    const parquet = await bytesOf(encodeParquet(later(blocks), narrow));
    const file = parquet.buffer.slice(parquet.byteOffset, parquet.byteOffset + parquet.length) as ArrayBuffer;
    const parsers = { timestampFromNanoseconds: (nanos: bigint) => nanos };
    const read = await parquetReadObjects({ file, parsers: parsers as never });
    assert.deepEqual(
      read.map((row) => String(row['Timestamp'])),
      digits,
    );
  });

  it('of many rows comes in row groups and record batches of bounded size', async () => {
    const rows = Array.from({ length: 40_000 }, (_, i) => ({
      time: 1_600_000_000_000_000_000n + BigInt(i) * 1_000_003n,
      values: [i / 8, i % 3 === 0 ? null : `text ${i % 100}`, null, i % 1000],
      tags: [String(i >> 12), i % 2 === 0 ? 's1' : null],
    }));
    const expected = plainTable(rows);
    const blocks = blocksOf(shape, rows, 777);
    const parquet = await bytesOf(encodeParquet(later(blocks), shape));
    const read = await readParquet(parquet, folder, duckdb);
    assert.deepEqual(read.rows, expected.rows);
    const groups = await duckdb.runAndReadAll(
      `SELECT DISTINCT row_group_num_rows FROM parquet_metadata('${read.path}') ORDER BY 1`,
    );
    assert.deepEqual(groups.getRows().flat().map(Number), [40_000 - 32_768, 32_768]);
    const forms = await duckdb.runAndReadAll(
      `SELECT DISTINCT unnest(string_split(encodings, ', ')), compression FROM parquet_metadata('${read.path}') ORDER BY 1`,
    );
    // What every reader takes; @dsnp/parquetjs 1.8 knows no other.
    assert.deepEqual(forms.getRowsJson(), [
      ['PLAIN', 'SNAPPY'],
      ['RLE_DICTIONARY', 'SNAPPY'],
    ]);
    const between = await duckdb.runAndReadAll(
      `SELECT count(*) FROM '${read.path}'
       WHERE "Timestamp" >= make_timestamp_ns(${rows[33_000]!.time}) AND "Speed" < ${33_010 / 8}`,
    );
    assert.deepEqual(between.getRows().flat().map(Number), [10]);
    assert.deepEqual(readArrow(await bytesOf(encodeArrow(later(blocks), shape))).rows, expected.rows);
    assert.deepEqual(readCsv(await bytesOf(encodeCsv(later(blocks), shape))).rows, expected.rows);
  });

  it('of large values comes in batches of bounded bytes', async () => {
    const value = Buffer.alloc(1024 * 1024, 'x');
    const rows = Array.from({ length: 40 }, (_, i) => ({ time: BigInt(i), values: [value], tags: [] }));
    const wide = { columns: [{ kind: Kind.Binary, name: 'b' }], groupBy: [] };
    for (const encode of [encodeParquet, encodeArrow]) {
      let largest = 0;
      for await (const chunk of encode(later(blocksOf(wide, rows, 40)), wide)) {
        largest = Math.max(largest, chunk.length);
      }
      assert.ok(largest < 10 * 1024 * 1024, `${largest} bytes in one chunk of ${encode.name}`);
    }
  });

  it('ends reading where its reader stops', async () => {
    const row: PlainRow = { time: 1n, values: [1, 'a', null, 2], tags: ['1', 's1'] };
    const block = blocksOf(shape, new Array(100).fill(row), 100);
    let closed = 0;
    let given = 0;
    async function* endless() {
      try {
        for (;;) {
          given++;
          yield* block;
        }
      } finally {
        closed++;
      }
    }
    for (const encode of [encodeCsv, encodeParquet, encodeArrow]) {
      let chunks = 0;
      for await (const _ of encode(endless(), shape)) if (++chunks === 3) break;
    }
    assert.equal(closed, 3);
    assert.ok(given < 200_000);
  });

  it('passes on what fails on the way', async () => {
    const failure = new Error('the disk is gone');
    async function* failing() {
      yield* blocksOf(shape, [{ time: 1n, values: [1, 'a', null, 2], tags: ['1', 's1'] }], 1);
      throw failure;
    }
    for (const encode of [encodeCsv, encodeParquet, encodeArrow]) {
      await assert.rejects(bytesOf(encode(failing(), shape)), failure);
    }
  });
});
