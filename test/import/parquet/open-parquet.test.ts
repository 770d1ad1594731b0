import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import * as arrow from 'apache-arrow';
import { parquetWriteBuffer } from 'hyparquet-writer';
import polars from 'nodejs-polars';
import { Encoding, Table as WasmTable, WriterPropertiesBuilder, writeParquet } from 'parquet-wasm';
import { contentOf, type Given, openParquetBytes } from '../tables/read-table.ts';

const folder = mkdtempSync(join(tmpdir(), 'pitwall-parquet-'));
after(() => rmSync(folder, { recursive: true }));

/** What DuckDB writes of a query. */
async function duckdb(select: string, options = ''): Promise<Uint8Array> {
  const path = join(folder, 'duckdb.parquet');
  const connection = await (await DuckDBInstance.create()).connect();
  await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet${options})`);
  connection.closeSync();
  return readFileSync(path);
}

/** What arrow-rs writes. */
function arrowRs(columns: Record<string, arrow.Vector>): Uint8Array {
  const ipc = arrow.tableToIPC(new arrow.Table(columns), 'stream');
  return writeParquet(WasmTable.fromIPCStream(ipc));
}

function vector<Type extends arrow.DataType>(type: Type, data: Type['TArray']): arrow.Vector<Type> {
  return arrow.makeVector(arrow.makeData({ type, length: data.length, data } as never)) as arrow.Vector<Type>;
}

async function read(bytes: Uint8Array, given?: Given) {
  return contentOf(await openParquetBytes(bytes, given));
}

const start = 1_612_191_099_000_000_000n;
const second = 1_000_000_000n;
const startSeconds = 1_612_191_099n;

describe('the times of a Parquet file', () => {
  it('are taken for UTC where their type has no zone, which is told unless a name says so', async () => {
    const local = `TIMESTAMP '2021-02-01 14:51:39'`;
    const notes = async (columns: string, given?: Given) =>
      (await openParquetBytes(await duckdb(`SELECT ${columns}, 1 AS v`), given)).notes.slice(1);
    const told = (names: string) => [`times without a zone, taken for UTC: ${names}`];
    const t = { timestamp: 't' };
    assert.deepEqual(await notes(`${local} AS t, ${local} AS began`, t), told('t, began'));
    assert.deepEqual(await notes(`${local} AS t, ${local} AS began`, { ...t, skip: ['began'] }), told('t'));
    assert.deepEqual(await notes(`${local}::TIMESTAMPTZ AS t, ${local} AS "began (UTC)"`, t), []);
    // As the service exports it.
    assert.deepEqual(await notes(`${local}::TIMESTAMP_NS AS "Timestamp"`), []);
    assert.deepEqual(await notes(`'2021-02-01T14:51:39' AS t`, t), [
      "times without a zone, taken for UTC, first in row 1: '2021-02-01T14:51:39'",
    ]);
  });

  it('are those of the schema that arrow-rs leaves in the footer, where Parquet has no type for them', async () => {
    const seconds = () => new BigInt64Array([startSeconds, startSeconds + 1n]);
    const bytes = arrowRs({
      Timestamp: vector(new arrow.TimestampSecond(), seconds()),
      zoned: vector(new arrow.TimestampSecond('Europe/Berlin'), seconds()),
      lap: vector(new arrow.DurationMillisecond(), new BigInt64Array([83_250n, -1n])),
      clock: vector(new arrow.TimeSecond(), new Int32Array([53_499, 0])),
      day: vector(new arrow.DateMillisecond(), new BigInt64Array([1_612_137_600_000n, 0n])),
      word: arrow.vectorFromArray(['a', 'b']),
    });
    const table = await openParquetBytes(bytes);
    assert.deepEqual(table.notes, [
      'times of Timestamp, timestamp<second>',
      'times without a zone, taken for UTC: Timestamp',
    ]);
    const { times, columns } = await contentOf(table);
    assert.deepEqual(times, [start, start + second]);
    assert.deepEqual(columns, {
      zoned: ['2021-02-01T14:51:39.000000000Z', '2021-02-01T14:51:40.000000000Z'],
      lap: ['PT1M23.25S', 'PT-0.001S'],
      clock: ['14:51:39.000000000', '00:00:00.000000000'],
      day: ['2021-02-01T00:00:00.000000000Z', '1970-01-01T00:00:00.000000000Z'],
      word: ['a', 'b'],
    });
  });

  it('are spans since a start in a column of a duration', async () => {
    const bytes = arrowRs({ t: vector(new arrow.DurationMicrosecond(), new BigInt64Array([0n, 1500n])) });
    await assert.rejects(
      openParquetBytes(bytes, { timestamp: 't' }),
      /the times of t .* count from a start: --start TIME/,
    );
    const { times } = await read(bytes, { timestamp: 't', start });
    assert.deepEqual(times, [start, start + 1_500_000n]);
  });

  it('are refused where they are numbers since 1970 in another unit, until somebody confirms it', async () => {
    for (const [unit, timeForm, words] of [
      [1n, 's', 'seconds'],
      [1000n, 'ms', 'milliseconds'],
      [1_000_000n, 'us', 'microseconds'],
    ] as const) {
      for (const type of ['BIGINT', 'DOUBLE', 'DECIMAL(38, 2)', 'VARCHAR']) {
        const bytes = await duckdb(
          `SELECT (${startSeconds * unit} + i)::${type} AS "Timestamp", i AS v FROM range(2) t(i)`,
        );
        await assert.rejects(
          openParquetBytes(bytes),
          new RegExp(
            `Timestamp .* look like ${words} since 1970, .* 2021-02-01T14:51:.*--time-format ${timeForm} confirms`,
          ),
          `${type} in ${timeForm}`,
        );
        const { times } = await read(bytes, { timeForm });
        assert.deepEqual(times, [start, start + second / unit], `${type} in ${timeForm}`);
      }
    }
  });

  it('are nanoseconds since 1970 where they are so large', async () => {
    const bytes = await duckdb(`SELECT ${start} + i AS "Timestamp", i AS v FROM range(2) t(i)`);
    assert.deepEqual((await read(bytes)).times, [start, start + 1n]);
  });

  it('are exact to what a double says, and how far doubles are apart is told', async () => {
    const bytes = await duckdb(
      `SELECT 1612191099.1 + i AS t, i AS v FROM range(2) t(i)`.replace(
        '1612191099.1',
        "'1612191099.1'::DOUBLE",
      ),
    );
    const table = await openParquetBytes(bytes, { timestamp: 't', timeForm: 's' });
    assert.deepEqual(table.notes, [
      'times of t, seconds since 1970, to 238 ns: numbers of this size and type are so far apart',
    ]);
    assert.deepEqual((await contentOf(table)).times, [start + 100_000_000n, start + second + 100_000_000n]);
  });

  it('of 32 bits are what their shortest digits say', async () => {
    const bytes = await duckdb(`SELECT (i / 10)::FLOAT AS t, i AS v FROM range(4) t(i)`);
    const { times } = await read(bytes, { timestamp: 't', start });
    assert.deepEqual(
      times,
      [0n, 1n, 2n, 3n].map((tenth) => start + tenth * 100_000_000n),
    );
  });

  it('that count from a start need one, and their unit', async () => {
    const whole = await duckdb(
      'SELECT i AS t, i AS time_ms, i * 1.5 AS "seconds", i AS v FROM range(84) t(i)',
    );
    const cases: [Given, RegExp][] = [
      [
        { timestamp: 't' },
        /the times of t \(from 0 to 83\) count from a start: --start TIME .*, --time-format says their unit/,
      ],
      [{ timestamp: 't', start }, /count from a start: --time-format says their unit/],
      [{ timestamp: 't', timeForm: 'ms' }, /count from a start in milliseconds: --start TIME/],
      [{ timestamp: 'time_ms' }, /in milliseconds \(--time-format says otherwise\): --start TIME/],
    ];
    for (const [given, message] of cases) await assert.rejects(openParquetBytes(whole, given), message);
    const last = async (given: Given) => (await read(whole, given)).times.at(-1);
    assert.equal(await last({ timestamp: 't', timeForm: 'us', start }), start + 83_000n);
    assert.equal(await last({ timestamp: 't', timeForm: 'us', start: 0n }), 83_000n);
    assert.equal(await last({ timestamp: 'time_ms', start }), start + 83_000_000n);
    assert.equal(await last({ timestamp: 'seconds', start }), start + 124_500_000_000n);
  });

  it('that would lie in 1970 by a wrong unit are refused, and the likely unit is named', async () => {
    const bytes = await duckdb(`SELECT ${startSeconds} + i AS t, i AS v FROM range(2) t(i)`);
    await assert.rejects(
      openParquetBytes(bytes, { timestamp: 't', timeForm: 'ms' }),
      /count from a start in milliseconds: .* or they are seconds since 1970, .*--time-format s/,
    );
    await assert.rejects(
      openParquetBytes(bytes, { timestamp: 't', timeForm: 's', start }),
      /--start has no meaning here/,
    );
  });

  it('of a TIMESTAMP near 1970 are not taken for such, unless they are nanoseconds, as in exports', async () => {
    const near = await duckdb('SELECT to_timestamp(i * 0.5) AS t, i AS v FROM range(3) t(i)');
    await assert.rejects(
      openParquetBytes(near, { timestamp: 't' }),
      /t \(TIMESTAMP\(MICROS\)\) are from 1970-01-01T00:00:00.000000000Z to 1970-01-01T00:00:01.*--start 1970-01-01T00:00:00Z takes them as they stand/,
    );
    const half = 500_000_000n;
    assert.deepEqual((await read(near, { timestamp: 't', start })).times, [
      start,
      start + half,
      start + second,
    ]);
    assert.deepEqual((await read(near, { timestamp: 't', start: 0n })).times, [0n, half, second]);
    const exported = await duckdb('SELECT make_timestamp_ns(i) AS "Timestamp", i AS v FROM range(3) t(i)');
    assert.deepEqual((await read(exported)).times, [0n, 1n, 2n]);
    const later = await duckdb(
      "SELECT TIMESTAMP '2021-02-01 14:51:39' AS t, 1 AS v UNION ALL SELECT to_timestamp(3)::TIMESTAMP, 2",
    );
    const table = await openParquetBytes(later, { timestamp: 't' });
    assert.match(table.notes.join(), /1 of the times are before 1971, the first at 1970-01-01T00:00:03/);
    await assert.rejects(openParquetBytes(later, { timestamp: 't', start }), /--start has no meaning here/);
    await assert.rejects(
      openParquetBytes(later, { timestamp: 't', timeForm: 's' }),
      /--time-format has no meaning here: the column t is TIMESTAMP\(MICROS\)/,
    );
  });

  it('that are clocks need a day, and go on at midnight', async () => {
    const bytes = await duckdb("SELECT TIME '23:59:59.5' AS t, 1 AS v UNION ALL SELECT TIME '00:00:01', 2");
    await assert.rejects(
      openParquetBytes(bytes, { timestamp: 't' }),
      /t \(TIME\(MICROS\)\) are clocks: --start DAY/,
    );
    const midnight = 1_612_137_600_000_000_000n;
    const { times } = await read(bytes, { timestamp: 't', start: midnight });
    assert.deepEqual(times, [midnight + 86_399_500_000_000n, midnight + 86_401n * second]);
  });

  it('may be text in the forms that text files have', async () => {
    const bytes = await duckdb("SELECT '1/2/2021 14:51:39' AS t, 1 AS v");
    await assert.rejects(
      openParquetBytes(bytes, { timestamp: 't' }),
      /only with --time-format day-first or month-first/,
    );
    assert.deepEqual((await read(bytes, { timestamp: 't', timeForm: 'day-first' })).times, [start]);
  });
});

describe('the values of a Parquet file', () => {
  const at = `TIMESTAMP '2021-02-01 14:51:39' AS "Timestamp"`;

  it('are the nearest doubles of decimals, and their digits where a double would change whole ones', async () => {
    const { columns, uses } = await read(
      await duckdb(`SELECT ${at}, 95524766045192.25::DECIMAL(18, 2) AS a, -95524766045192.25::DECIMAL(18, 2) AS b,
        0.123456789012345678::DECIMAL(38, 18) AS c, 1.10::DECIMAL(4, 2) AS d, -0.07::DECIMAL(9, 3) AS e,
        9007199254740993::DECIMAL(38, 0) AS f, -9007199254740993.00::DECIMAL(38, 2) AS g, 12345.6789::DECIMAL(38, 10) AS h`),
    );
    assert.deepEqual(columns, {
      ...{
        a: [95524766045192.25],
        b: [-95524766045192.25],
        c: [Number('0.123456789012345678')],
        d: [1.1],
        e: [-0.07],
      },
      ...{ f: ['9007199254740993'], g: ['-9007199254740993'], h: [12345.6789] },
    });
    assert.equal(uses['f'], 'string');
  });

  it('are the nearest doubles of all decimals of 38 digits with 18 behind the point', async () => {
    const bytes = await duckdb(`SELECT ${at}, v, v::VARCHAR AS digits
      FROM (SELECT (hash(i) / 7)::DECIMAL(38, 18) * CASE WHEN i % 2 = 0 THEN -1 ELSE 1 END AS v FROM range(500) t(i)
        UNION ALL SELECT (random() * 1000)::DECIMAL(38, 18) FROM range(500))`);
    const { columns } = await read(bytes, { texts: ['v'] });
    assert.deepEqual((columns['v'] as string[]).map(Number), (columns['digits'] as string[]).map(Number));
  });

  it('are ISO 8601 text of clocks, spans and dates', async () => {
    const { columns } = await read(
      await duckdb(`SELECT ${at}, TIME '14:51:39.000001' AS clock, TIMETZ '14:51:39+00' AS zoned, DATE '2024-05-31' AS day,
        INTERVAL '14 months 3 days 4 hours 5.5 seconds' AS span, INTERVAL '0 seconds' AS none,
        TIMESTAMP_S '2021-02-01 14:51:39' AS s, TIMESTAMPTZ '2021-02-01 14:51:39.25+01' AS tz, 'infinity'::TIMESTAMP AS inf`),
    );
    assert.deepEqual(columns, {
      ...{ clock: ['14:51:39.000001000'], zoned: ['14:51:39.000000000Z'], day: ['2024-05-31'] },
      ...{ span: ['P1Y2M3DT4H5.5S'], none: ['PT0S'], s: ['2021-02-01T14:51:39.000000000Z'] },
      tz: ['2021-02-01T13:51:39.250000000Z'],
      inf: ['infinity'],
    });
  });

  it('are whole numbers without a sign, also where they are stored as deltas', async () => {
    const numbers = (first: string) => `SELECT ${start} + i AS "Timestamp", ${first} AS v FROM range(3) t(i)`;
    for (const options of ['', ', PARQUET_VERSION v2'])
      for (const [first, values] of [
        ['(4294967293 + i)::UINTEGER', [4_294_967_293, 4_294_967_294, 4_294_967_295]],
        ['(4294967295 - 2147483647 * i)::UINTEGER', [4_294_967_295, 2_147_483_648, 1]],
        ['(253 + i)::UTINYINT', [253, 254, 255]],
        ['(18446744073709549568 - i * 4096)::UBIGINT', [2 ** 64 - 2048, 2 ** 64 - 6144, 2 ** 64 - 10_240]],
        [
          'CASE i WHEN 0 THEN 2147483647 WHEN 1 THEN -2147483648 END::INTEGER',
          [2 ** 31 - 1, -(2 ** 31), null],
        ],
        ['CASE WHEN i > 0 THEN 4294967295 END::UINTEGER', [null, 4_294_967_295, 4_294_967_295]],
      ] as const)
        assert.deepEqual(
          (await read(await duckdb(numbers(first), options))).columns,
          { v: values },
          first + options,
        );
    // Rust writes the first one with 32 bits.
    const v = vector(new arrow.Uint32(), new Uint32Array([4_294_967_295, 1, 3_000_000_000]));
    const times = new BigInt64Array([start, start + 1n, start + 2n]);
    const table = new arrow.Table({ Timestamp: vector(new arrow.Int64(), times), v });
    const deltas = new WriterPropertiesBuilder()
      .setDictionaryEnabled(false)
      .setEncoding(Encoding.DELTA_BINARY_PACKED)
      .build();
    const bytes = writeParquet(WasmTable.fromIPCStream(arrow.tableToIPC(table, 'stream')), deltas);
    assert.deepEqual((await read(bytes)).columns, { v: [4_294_967_295, 1, 3_000_000_000] });
  });

  it('are whole numbers of every width, booleans as 1 and 0, and text of other types', async () => {
    const { columns } = await read(
      await duckdb(`SELECT ${at}, 255::UTINYINT AS u8, 65535::USMALLINT AS u16, 4294967295::UINTEGER AS u32,
        18446744073709551615::UBIGINT AS u64, 5::UBIGINT AS small, -5::TINYINT AS i8, true AS yes, false AS no,
        '123e4567-e89b-12d3-a456-426614174000'::UUID AS id, 'red'::ENUM('red', 'green') AS color, '{"a":1}'::JSON AS json,
        NULL AS nothing, 0.1::FLOAT AS f`),
    );
    assert.deepEqual(columns, {
      ...{ u8: [255], u16: [65535], u32: [4294967295], u64: ['18446744073709551615'], small: [5], i8: [-5] },
      ...{
        yes: [1],
        no: [0],
        id: ['123e4567-e89b-12d3-a456-426614174000'],
        color: ['red'],
        json: ['{"a":1}'],
      },
      ...{ nothing: [null], f: [Math.fround(0.1)] },
    });
  });

  it('are null in a column of the type NULL, also where it is required', async () => {
    const bytes = parquetWriteBuffer({
      schema: [
        { name: 'root', num_children: 3 },
        { name: 'Timestamp', type: 'INT64', repetition_type: 'REQUIRED' },
        { name: 'nothing', type: 'INT32', repetition_type: 'REQUIRED', logical_type: { type: 'NULL' } },
        { name: 'v', type: 'DOUBLE', repetition_type: 'REQUIRED' },
      ],
      columnData: [
        { name: 'Timestamp', data: [start] },
        { name: 'nothing', data: [0] },
        { name: 'v', data: [1.5] },
      ],
    } as never);
    const { columns } = await read(new Uint8Array(bytes));
    assert.deepEqual(columns, { nothing: [null], v: [1.5] });
  });

  it('of polars are read', async () => {
    const path = join(folder, 'polars.parquet');
    const frame = polars.DataFrame({
      Timestamp: polars.Series('Timestamp', [new Date(1_612_191_099_500)], polars.Datetime('ms')),
      a: [1.5],
      b: ['x'],
      c: [true],
    });
    frame.writeParquet(path);
    const { times, columns } = await read(readFileSync(path));
    assert.deepEqual([times, columns], [[start + 500_000_000n], { a: [1.5], b: ['x'], c: [1] }]);
  });
});

describe('columns inside of columns', () => {
  const at = `TIMESTAMP '2021-02-01 14:51:39' AS "Timestamp"`;

  it('have dots in their names', async () => {
    const { columns } = await read(
      await duckdb(
        `SELECT ${at}, {'x': 1.5, 'deep': {'y': 2, 'z': NULL::VARCHAR}} AS pos UNION ALL SELECT ${at.replace(' AS "Timestamp"', '')}, NULL`,
      ),
    );
    assert.deepEqual(columns, { 'pos.x': [1.5, null], 'pos.deep.y': [2, null], 'pos.deep.z': [null, null] });
  });

  it('of varying number are refused by name, and can be left out', async () => {
    const bytes = await duckdb(
      `SELECT ${at}, [1, 2] AS pair, {'l': [1], 'v': 7} AS s, MAP {'k': 1} AS m, 5 AS a`,
    );
    await assert.rejects(
      openParquetBytes(bytes),
      /the column pair is nested \(a list\); --skip pair leaves it out/,
    );
    await assert.rejects(openParquetBytes(bytes, { skip: ['pair'] }), /the column s\.l is nested/);
    await assert.rejects(
      openParquetBytes(bytes, { skip: ['pair', 's.l'] }),
      /the column m is nested \(a map\)/,
    );
    const { columns } = await read(bytes, { skip: ['pair', 's.l', 'm'] });
    assert.deepEqual(columns, { 's.v': [7], a: [5] });
    assert.deepEqual((await read(bytes, { skip: ['pair', 's', 'm'] })).columns, { a: [5] });
    await assert.rejects(
      openParquetBytes(bytes, { skip: ['none'] }),
      /there is no column none; the file has/,
    );
  });

  it('of a fixed number have their numbers, as elements of messages', async () => {
    const type = new arrow.FixedSizeList(3, new arrow.Field('item', new arrow.Float64()));
    const lists = arrow.vectorFromArray(
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
      type,
    );
    const bytes = arrowRs({
      Timestamp: vector(new arrow.TimestampSecond(), new BigInt64Array([startSeconds, startSeconds])),
      g: lists,
    });
    assert.deepEqual((await read(bytes)).columns, { 'g[0]': [1, 4], 'g[1]': [2, 5], 'g[2]': [3, 6] });
  });

  it('that would have the name of another column are refused', async () => {
    const bytes = await duckdb(`SELECT ${at}, {'b': 1} AS a, 2 AS "a.b"`);
    await assert.rejects(openParquetBytes(bytes), /two columns are called a\.b; --skip a\.b leaves them out/);
  });
});
