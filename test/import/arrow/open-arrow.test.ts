import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as arrow from 'apache-arrow';
import polars from 'nodejs-polars';
import { contentOf, type Given, openArrowBytes } from '../tables/read-table.ts';

function vector<Type extends arrow.DataType>(
  type: Type,
  data: Type['TArray'],
  length: number,
): arrow.Vector<Type> {
  return arrow.makeVector(arrow.makeData({ type, length, data } as never)) as arrow.Vector<Type>;
}

const seconds = () => new BigInt64Array([1_612_191_099n, 1_612_191_100n]);
const start = 1_612_191_099_000_000_000n;
const second = 1_000_000_000n;

describe('times of Arrow without a zone', () => {
  it('are taken for UTC, which is told', async () => {
    const times = () => vector(new arrow.TimestampSecond(), seconds(), 2);
    const table = new arrow.Table({
      t: times(),
      began: times(),
      zoned: vector(new arrow.TimestampSecond('Europe/Berlin'), seconds(), 2),
    });
    const { notes } = await openArrowBytes(arrow.tableToIPC(table, 'stream'), { timestamp: 't' });
    assert.deepEqual(notes.slice(1), ['times without a zone, taken for UTC: t, began']);
  });
});

/** Two rows of every type that is read, with `null` in the second where a builder can make it. */
function everyType(): arrow.Table {
  return new arrow.Table({
    Timestamp: vector(new arrow.TimestampSecond(), seconds(), 2),
    us: vector(new arrow.TimestampMicrosecond('UTC'), new BigInt64Array([1_612_191_099_000_001n, 0n]), 2),
    span: vector(new arrow.DurationMillisecond(), new BigInt64Array([90_061_001n, -1500n]), 2),
    clock: vector(new arrow.TimeMicrosecond(), new BigInt64Array([53_499_000_001n, 0n]), 2),
    day: vector(new arrow.DateDay(), new Int32Array([19_874, 0]), 2),
    decimal: vector(
      new arrow.Decimal(2, 18, 128),
      new Uint32Array([...words(9_552_476_604_519_225n), ...words(-7n)]),
      2,
    ),
    whole: vector(
      new arrow.Decimal(0, 38, 128),
      new Uint32Array([...words(9_007_199_254_740_993n), ...words(-1n)]),
      2,
    ),
    months: vector(new arrow.IntervalMonthDayNano(), new Int32Array([14, 3, 5, 0, 0, 0, -1, -1]), 2),
    big: vector(new arrow.Int64(), new BigInt64Array([9_007_199_254_740_993n, 1n]), 2),
    u64: vector(new arrow.Uint64(), new BigUint64Array([5n, 7n]), 2),
    f32: vector(new arrow.Float32(), new Float32Array([0.5, -0]), 2),
    yes: arrow.vectorFromArray([true, null], new arrow.Bool()),
    text: arrow.vectorFromArray(['a', null], new arrow.Utf8()),
    words: arrow.vectorFromArray(['x', null], new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8())),
    raw: arrow.vectorFromArray([Uint8Array.of(1, 255), null], new arrow.Binary()),
    none: arrow.vectorFromArray([null, null], new arrow.Null()),
    pos: arrow.vectorFromArray(
      [{ x: 1.5, y: 2 }, null],
      new arrow.Struct([
        new arrow.Field('x', new arrow.Float64(), true),
        new arrow.Field('y', new arrow.Int32(), true),
      ]),
    ),
    g: arrow.vectorFromArray(
      [
        [1, 2],
        [3, 4],
      ],
      new arrow.FixedSizeList(2, new arrow.Field('item', new arrow.Float64())),
    ),
  });
}

function words(value: bigint): number[] {
  return [0n, 32n, 64n, 96n].map((by) => Number(BigInt.asUintN(32, value >> by)));
}

const expected = {
  us: ['2021-02-01T14:51:39.000001000Z', '1970-01-01T00:00:00.000000000Z'],
  ...{ span: ['PT25H1M1.001S', 'PT-1.5S'], clock: ['14:51:39.000001000', '00:00:00.000000000'] },
  ...{ day: ['2024-05-31', '1970-01-01'], decimal: [95_524_766_045_192.25, -0.07] },
  ...{ whole: ['9007199254740993', '-1'], months: ['P1Y2M3DT0.000000005S', 'PT-0.000000001S'] },
  ...{ big: ['9007199254740993', '1'], u64: [5, 7], f32: [0.5, -0], yes: [1, null] },
  ...{ text: ['a', null], words: ['x', null], raw: [Uint8Array.of(1, 255), null], none: [null, null] },
  ...{ 'pos.x': [1.5, null], 'pos.y': [2, null], 'g[0]': [1, 3], 'g[1]': [2, 4] },
};

async function read(bytes: Uint8Array, given?: Given) {
  return contentOf(await openArrowBytes(bytes, given));
}

describe('a file or a stream of Arrow', () => {
  it('gives each type as Parquet does', async () => {
    for (const form of ['file', 'stream'] as const) {
      const { times, columns } = await read(arrow.tableToIPC(everyType(), form));
      assert.deepEqual(times, [start, start + second], form);
      assert.deepEqual(columns, expected, form);
    }
  });

  it('of polars is read, compressed with lz4 or zstd or not', async () => {
    const count = 3000;
    const rows = Array.from({ length: count }, (_, i) => i);
    const frame = polars.DataFrame({
      Timestamp: polars.Series(
        'Timestamp',
        rows.map((i) => new Date(1_612_191_099_000 + i)),
        polars.Datetime('ms'),
      ),
      a: rows.map((i) => (i % 3 === 0 ? null : i / 4)),
      b: rows.map((i) => `text ${i % 10}`),
    });
    for (const compression of ['uncompressed', 'lz4', 'zstd'] as const) {
      for (const bytes of [frame.writeIPC({ compression }), frame.writeIPCStream({ compression })]) {
        const { times, columns } = await read(bytes);
        assert.equal(times.at(-1), start + BigInt(count - 1) * 1_000_000n, compression);
        assert.deepEqual(
          columns['a'],
          rows.map((i) => (i % 3 === 0 ? null : i / 4)),
          compression,
        );
        assert.deepEqual(
          columns['b'],
          rows.map((i) => `text ${i % 10}`),
          compression,
        );
      }
    }
  });

  it('has times of every unit, and asks where they are none', async () => {
    const whole = (data: BigInt64Array) =>
      arrow.tableToIPC(new arrow.Table({ t: vector(new arrow.Int64(), data, 2) }), 'file');
    await assert.rejects(
      openArrowBytes(whole(seconds()), { timestamp: 't' }),
      /look like seconds since 1970/,
    );
    assert.deepEqual((await read(whole(seconds()), { timestamp: 't', timeForm: 's' })).times, [
      start,
      start + second,
    ]);
    const span = arrow.tableToIPC(
      new arrow.Table({ t: vector(new arrow.DurationSecond(), new BigInt64Array([0n, 2n]), 2) }),
    );
    await assert.rejects(
      openArrowBytes(span, { timestamp: 't' }),
      /t \(duration<second>\) count from a start: --start TIME/,
    );
    assert.deepEqual((await read(span, { timestamp: 't', start })).times, [start, start + 2n * second]);
  });

  it('with nested columns is refused by the name of the column, unless it is left out', async () => {
    const table = new arrow.Table({
      Timestamp: vector(new arrow.TimestampSecond(), seconds(), 2),
      list: arrow.vectorFromArray(
        [[1], [2, 3]],
        new arrow.List(new arrow.Field('item', new arrow.Float64())),
      ),
    });
    const bytes = arrow.tableToIPC(table, 'stream');
    await assert.rejects(
      openArrowBytes(bytes),
      /the column list is nested \(List<Float64>\); --skip list leaves it out/,
    );
    assert.deepEqual((await read(bytes, { skip: ['list'] })).columns, {});
  });

  it('gives texts as they stand, with a byte order mark, and is refused where they are no UTF-8', async () => {
    const kinds = [
      new arrow.Utf8(),
      new arrow.LargeUtf8(),
      new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8()),
    ];
    const tableOf = (type: arrow.DataType, texts: readonly string[]) =>
      arrow.tableToIPC(
        new arrow.Table({
          Timestamp: vector(new arrow.TimestampSecond(), seconds(), 2),
          t: arrow.vectorFromArray(texts, type as arrow.Utf8),
        }),
      );
    for (const type of kinds) {
      const texts = ['\ufeffa', 'ü\ufeff😀'];
      assert.deepEqual((await read(tableOf(type, texts))).columns['t'], texts, String(type));
      const bytes = Buffer.from(tableOf(type, ['same', 'five!']));
      bytes[bytes.indexOf('five!')] = 0xff;
      await assert.rejects(read(bytes), /(row 2, column t|it) cannot be read.*: .*utf-8/i, String(type));
    }
    const texts = ['\ufeffa', '\ufeffa text of more than twelve bytes'];
    const views = polars.DataFrame({ Timestamp: [1n, 2n], t: texts });
    for (const bytes of [views.writeIPC(), views.writeIPCStream()])
      assert.deepEqual((await read(bytes, { start: 0n })).columns['t'], texts);
  });

  it('that was cut off or damaged is refused', async () => {
    const file = arrow.tableToIPC(everyType(), 'file');
    const stream = arrow.tableToIPC(everyType(), 'stream');
    await assert.rejects(openArrowBytes(file.subarray(0, -1)), /has no footer: it was cut off/);
    for (const cut of [12, 100, 1000])
      await assert.rejects(
        openArrowBytes(stream.subarray(0, -cut)),
        /needs .* bytes from here|was cut off, or is damaged/,
        `${cut}`,
      );
    for (const behind of [stream, Uint8Array.of(0, 0, 7)])
      await assert.rejects(
        openArrowBytes(Buffer.concat([stream, behind])),
        new RegExp(
          `byte ${stream.length}: ${behind.length} bytes stand behind the mark at the end of the stream`,
        ),
      );
    assert.equal(
      (await openArrowBytes(Buffer.concat([stream, new Uint8Array(64)]))).rows,
      (await openArrowBytes(stream)).rows,
    );
    const notes = (await openArrowBytes(stream.subarray(0, -8))).notes;
    assert.ok(notes.includes('the stream has no mark at its end: it may have been cut off'), notes.join());
    await assert.rejects(openArrowBytes(Buffer.from('FEA1 and more')), /Feather file of version 1/);
    await assert.rejects(
      openArrowBytes(Buffer.from('a text, and no table')),
      /goes beyond the end|cannot be read/,
    );
    await assert.rejects(openArrowBytes(new Uint8Array()), /no Arrow file or stream/);
  });
});
