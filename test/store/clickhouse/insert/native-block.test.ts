import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Kind, type Rows } from '../../../../src/domain/parameter-data.ts';
import { noTags, tagSet } from '../../../../src/domain/tags.ts';
import {
  doubles,
  type Indexes,
  indexesFor,
  integers,
  lowCardinality,
  nativeBlock,
  stringColumn,
  stringsOfBytes,
} from '../../../../src/store/clickhouse/insert/native-block.ts';
import { inOrder } from '../../../../src/store/clickhouse/insert/series-order.ts';
import { type SeriesValues, seriesOf } from '../../../../src/store/clickhouse/insert/series-values.ts';
import { windowBlock } from '../../../../src/store/clickhouse/insert/window-block.ts';
import { windowLevels } from '../../../../src/store/clickhouse/insert/window-levels.ts';
import { type ClickHouse, connectClickHouse } from '../../../../src/store/clickhouse/server/client.ts';
import { migrate } from '../../../../src/store/clickhouse/server/migrate.ts';
import { versionClock } from '../../../../src/store/clickhouse/server/version-clock.ts';
import { type Engine, engineMissing, startEngine } from '../../../clickhouse/engine.ts';
import { ask, keptLog } from '../open-store.ts';

describe('blocks of the Native format', { skip: engineMissing }, () => {
  let engine: Engine;
  let clickhouse: ClickHouse;
  before(async () => {
    engine = await startEngine();
    await ask(engine.urlOf('default'), 'CREATE DATABASE pitwall');
    clickhouse = connectClickHouse({ url: engine.url });
    await migrate(clickhouse, {}, keptLog().log);
  });
  after(async () => {
    await clickhouse.close();
    await engine.stop();
  });

  const query = (text: string) => clickhouse.rows<unknown[]>({ text, params: {} });

  async function table(name: string, columns: string, pieces: readonly Uint8Array[]): Promise<void> {
    await clickhouse.command({
      text: `CREATE TABLE ${name} (${columns}) ENGINE = MergeTree ORDER BY tuple()`,
      params: {},
    });
    await clickhouse.insert({ text: `INSERT INTO ${name} FORMAT Native`, params: {} }, pieces);
  }

  async function insert(series: readonly SeriesValues[]): Promise<void> {
    const { columns, pieces } = windowBlock(series, windowLevels());
    const text = `INSERT INTO windows (${columns.join(', ')}) FORMAT Native`;
    await clickhouse.insert({ text, params: {} }, pieces);
  }

  it('carry every bit of a double', async () => {
    // NaNs with a payload and a sign, both zeros, the smallest and the largest.
    const bits = [
      0x7ff8000000000000n,
      0xfff8000000000123n,
      0x8000000000000000n,
      0n,
      1n,
      0x7fefffffffffffffn,
      0x7ff0000000000000n,
      0xfff0000000000000n,
    ];
    const values = new Float64Array(BigUint64Array.from(bits).buffer);
    await table('doubled', 'v Float64', nativeBlock(bits.length, [doubles('v', values)]).pieces);
    const found = await query('SELECT reinterpretAsUInt64(v) FROM doubled');
    assert.deepEqual(
      found.map(([value]) => BigInt(value as string)),
      bits,
    );
  });

  it('carry integers of 64 bits', async () => {
    const wanted = [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 1700000000000000001n];
    const words = new Uint32Array(BigInt64Array.from(wanted).buffer);
    await table('whole', 'v Int64', nativeBlock(wanted.length, [integers('v', 'Int64', words)]).pieces);
    assert.deepEqual(
      await query('SELECT v FROM whole'),
      wanted.map((value) => [String(value)]),
    );
  });

  it('carry texts and bytes of every length', async () => {
    const values = [0, 1, 23, 24, 127, 128, 16_383, 16_384, 3_000_000].map((length) => {
      const bytes = new Uint8Array(length);
      for (let i = 0; i < length; i++) bytes[i] = (i * 7 + length) & 0xff;
      return bytes;
    });
    let end = 0;
    const ends = Uint32Array.from(values, ({ length }) => (end += length));
    const data = stringsOfBytes(Buffer.concat(values), ends);
    await table('texts', 'v String', nativeBlock(values.length, [stringColumn('v', [data])]).pieces);
    const found = await query('SELECT hex(v) FROM texts');
    assert.deepEqual(
      found.map(([text]) => text),
      values.map((bytes) => Buffer.from(bytes).toString('hex').toUpperCase()),
    );
  });

  it('carry dictionaries with indexes of each width', async () => {
    for (const [count, width] of [
      [1, Uint8Array],
      [256, Uint8Array],
      [257, Uint16Array],
      [65_536, Uint16Array],
      [65_537, Uint32Array],
    ] as const) {
      const keys = Array.from({ length: count }, (_, i) => (i === 0 ? '' : `ключ ${i} 😀'"\\`));
      const rows = count + 1;
      const indexes: Indexes = indexesFor(count, rows);
      assert.ok(indexes instanceof width);
      for (let i = 0; i < rows; i++) indexes[i] = (i * 31) % count;
      const name = `keys_${count}`;
      await table(
        name,
        'v LowCardinality(String)',
        nativeBlock(rows, [lowCardinality('v', keys, indexes)]).pieces,
      );
      const found = await query(`SELECT v FROM ${name}`);
      assert.equal(found.length, rows);
      assert.ok(found.every(([text], i) => text === keys[indexes[i]!]));
    }
  });

  it('carry rows with columns of every kind, gaps and tags', async () => {
    const encode = new TextEncoder();
    const texts = ["'; DROP TABLE samples; --", '', '{p0:String}'];
    const bytes = encode.encode(texts.join(''));
    let end = 0;
    const ends = Uint32Array.from(texts, (text) => (end += encode.encode(text).length));
    const rows: Rows = {
      count: 3,
      base: -(2n ** 63n),
      offsets: Float64Array.from([0, 5, 2 ** 53 - 1]),
      tagSets: [noTags, tagSet([["a'`\\", 'b"\n']])],
      tagIndex: Uint32Array.from([0, 1, 0]),
      columns: [
        {
          kind: Kind.Numeric,
          name: 'x',
          values: Float64Array.from([1.5, 99, -0]),
          present: Uint8Array.from([0b101]),
        },
        { kind: Kind.String, name: 'x', bytes, ends, present: undefined },
        { kind: Kind.Event, name: 'x', bytes, ends, present: Uint8Array.from([0b010]) },
        {
          kind: Kind.Binary,
          name: 'y',
          bytes: Uint8Array.of(0, 255, 128),
          ends: Uint32Array.of(1, 2, 3),
          present: undefined,
        },
        { kind: Kind.Numeric, name: 'none', values: new Float64Array(3), present: Uint8Array.from([0]) },
      ],
    };
    const owner = { workspace: "w'", topic: 't`', stream: 's\\', retention: 0n };
    const series = seriesOf(owner, rows, versionClock({ nowMs: () => 1, isShared: true }));
    await insert(await inOrder(series, () => undefined));
    const found = await query(`SELECT parameter, kind, timestamp, tags, toString(number), text
      FROM readings WHERE workspace = 'w\\'' AND topic = 't\`' AND stream = 's\\\\' AND kind != 'binary' ORDER BY ALL`);
    const [first, last] = ['-9223372036854775808', '-9214364837600034817'];
    const tags = { "a'`\\": 'b"\n' };
    assert.deepEqual(found, [
      ['x', 'numeric', first, {}, '1.5', null],
      ['x', 'numeric', last, {}, '-0', null],
      ['x', 'string', first, {}, null, texts[0]],
      ['x', 'string', '-9223372036854775803', tags, null, texts[1]],
      ['x', 'string', last, {}, null, texts[2]],
      ['x', 'event', '-9223372036854775803', tags, null, ''],
    ]);
    const binaries = await query(
      "SELECT parameter, hex(text) FROM readings WHERE kind = 'binary' ORDER BY timestamp",
    );
    assert.deepEqual(binaries, [
      ['y', '00'],
      ['y', 'FF'],
      ['y', '80'],
    ]);
  });

  it('say which of equal identities wins: the later row, value by value', async () => {
    const rows: Rows = {
      count: 4,
      base: 10n,
      offsets: Float64Array.from([7, 0, 7, 0]),
      tagSets: [noTags],
      tagIndex: undefined,
      columns: [
        { kind: Kind.Numeric, name: 'a', values: Float64Array.of(1, 2, 3, 4), present: undefined },
        {
          kind: Kind.Numeric,
          name: 'b',
          values: Float64Array.of(1, 2, 3, 4),
          present: Uint8Array.of(0b0011),
        },
      ],
    };
    const owner = { workspace: 'twice', topic: 't', stream: 's', retention: 0n };
    const series = seriesOf(owner, rows, versionClock({ nowMs: Date.now, isShared: true }));
    await insert(await inOrder(series, () => undefined));
    const found = await query(
      "SELECT parameter, timestamp, number FROM readings WHERE workspace = 'twice' ORDER BY ALL",
    );
    assert.deepEqual(found, [
      ['a', '10', 4],
      ['a', '17', 3],
      ['b', '10', 2],
      ['b', '17', 1],
    ]);
  });

  it('are one part however many values they have', async () => {
    const count = 1_500_000;
    const rows: Rows = {
      count,
      base: 1_700_000_000_000_000_000n,
      offsets: Float64Array.from({ length: count }, (_, i) => i * 1000),
      tagSets: [noTags],
      tagIndex: undefined,
      columns: [{ kind: Kind.Numeric, name: 'large', values: new Float64Array(count), present: undefined }],
    };
    await query('TRUNCATE TABLE windows');
    const owner = { workspace: 'w', topic: 't', stream: 's', retention: 0n };
    await insert(seriesOf(owner, rows, versionClock({ nowMs: Date.now, isShared: true })));
    const parts = await query(
      "SELECT count() FROM system.parts WHERE active AND table = 'windows' AND database = 'pitwall'",
    );
    assert.deepEqual(parts, [['1']]);
    assert.deepEqual(await query('SELECT sum(count) FROM windows'), [[String(count)]]);
  });
});
