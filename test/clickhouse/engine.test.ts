import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import {
  type ClickHouseClient,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
} from '@clickhouse/client';
import { type Engine, engineMissing, startEngine } from './engine.ts';

describe('the engine behind ClickHouse’s HTTP interface', { skip: engineMissing }, () => {
  let engine: Engine;
  let client: ClickHouseClient;
  const log = { level: ClickHouseLogLevel.OFF };
  before(async () => {
    engine = await startEngine();
    client = createClient({ url: engine.urlOf('default').replace('clickhouse:', 'http:'), log });
  });
  after(async () => {
    await client.close();
    await engine.stop();
  });

  async function rows(query: string, params: Record<string, unknown> = {}): Promise<unknown[]> {
    const result = await client.query({ query, query_params: params, format: 'JSONCompactEachRow' });
    return result.json<unknown>();
  }

  async function insert(table: string, data: Buffer, settings: ClickHouseSettings = {}): Promise<void> {
    const { stream } = await client.exec({
      query: `INSERT INTO ${table} FORMAT Native`,
      values: Readable.from([data], { objectMode: false }),
      clickhouse_settings: settings,
    });
    await stream.resume().toArray();
  }

  async function native(query: string): Promise<Buffer> {
    const { stream } = await client.exec({ query: `${query} FORMAT Native` });
    return Buffer.concat(await stream.toArray());
  }

  it('answers a ping and refuses a wrong password', async () => {
    assert.equal((await client.ping()).success, true);
    const stranger = createClient({
      url: `http://127.0.0.1:${engine.port}`,
      username: 'x',
      password: 'y',
      log,
    });
    await assert.rejects(stranger.command({ query: 'SELECT 1' }), { code: '516' });
    await stranger.close();
  });

  it('binds parameters of any text', async () => {
    const texts = ['', "it's", '\\', '\t\n\0', '{x:String}', "'; DROP TABLE t; --", '`', 'ü€😀'];
    for (const text of texts) {
      assert.deepEqual(await rows('SELECT {a:String}, {b:Array(String)}', { a: text, b: [text, 'b'] }), [
        [text, [text, 'b']],
      ]);
    }
    assert.deepEqual(await rows('SELECT toString({n:Int64})', { n: -(2n ** 63n) }), [
      ['-9223372036854775808'],
    ]);
    await assert.rejects(rows('SELECT {a:String}'), { code: '456' });
  });

  it('has the limits of a server for the lengths of parameters and statements', async () => {
    const long = 'x'.repeat(131_072);
    const parameter = async (a: string) => {
      const query = 'SELECT length({a:String})';
      const format = 'JSONCompactEachRow';
      const result = await client.query({ query, query_params: { a }, use_multipart_params: true, format });
      return result.json();
    };
    assert.deepEqual(await parameter(long), [[131072]]);
    await assert.rejects(parameter(`${long}x`), /Field value too long/);
    await assert.rejects(rows(`SELECT length('${long}${long}')`), { code: '62' });
  });

  it('holds a setting for one statement only', async () => {
    const query = 'SELECT getSetting({name:String})';
    const ask = async (settings: ClickHouseSettings) => {
      const query_params = { name: 'insert_deduplication_token' };
      const format = 'JSONCompactEachRow';
      const result = await client.query({ query, query_params, clickhouse_settings: settings, format });
      return result.json();
    };
    for (let i = 0; i < 10; i++) {
      assert.deepEqual(await ask({ insert_deduplication_token: `token ${i}` }), [[`token ${i}`]]);
      assert.deepEqual(await ask({}), [['']]);
    }
    await assert.rejects(ask({ no_such_setting: '1' } as ClickHouseSettings), { code: '115' });
    assert.deepEqual(await ask({}), [['']]);
  });

  it('takes data in the body, once for a token, and nothing of a broken one', async () => {
    await client.command({
      query:
        'CREATE TABLE t (a UInt64, s String) ENGINE MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 100',
    });
    const data = await native("SELECT number AS a, unhex('00FF0A27203B') AS s FROM numbers(32)");
    await insert('t', data, { insert_deduplication_token: 'one' });
    await insert('t', data, { insert_deduplication_token: 'one' });
    assert.deepEqual(await rows('SELECT toInt32(count()), groupUniqArray(hex(s)) FROM t'), [
      [32, ['00FF0A27203B']],
    ]);
    await insert('t', data, { insert_deduplication_token: 'two' });
    await assert.rejects(insert('t', data.subarray(0, 40), { insert_deduplication_token: 'three' }));
    await insert('t', Buffer.alloc(0));
    assert.deepEqual(await rows('SELECT toInt32(count()) FROM t'), [[64]]);
  });

  it('runs queries side by side and ends one that is killed', async () => {
    const endless = client.query({
      query: 'SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 1',
      query_id: "it's endless",
    });
    endless.catch(() => undefined);
    const running = "SELECT count() > 0 FROM system.processes WHERE Settings['log_comment'] = {id:String}";
    const isRunning = async () => {
      const [first] = (await rows(running, { id: "it's endless" })) as [[boolean]];
      return Boolean(first[0]);
    };
    while (!(await isRunning()));
    await client.command({ query: "KILL QUERY WHERE query_id = 'it\\'s endless' SYNC" });
    await assert.rejects(endless, { code: '394' });
    assert.equal(await isRunning(), false);
  });

  it('sends answers of any size, and the error that ends one', async () => {
    const result = await client.query({
      query: 'SELECT number FROM numbers(3000000)',
      format: 'JSONEachRow',
    });
    let count = 0;
    for await (const some of result.stream()) count += some.length;
    assert.equal(count, 3_000_000);
    const query = 'SELECT number, throwIf(number = 2500000) FROM numbers(3000000)';
    const broken = await client.query({ query, format: 'JSONEachRow' });
    await assert.rejects(async () => {
      for await (const _ of broken.stream());
    });
  });

  it('has what it acknowledged after kill -9', async () => {
    await client.command({ query: 'CREATE DATABASE IF NOT EXISTS other' });
    await client.command({ query: 'CREATE TABLE other.kept (a UInt64) ENGINE MergeTree ORDER BY a' });
    const inserts = [];
    for (let i = 0; i < 20; i++) {
      const data = await native(`SELECT toUInt64(${i}) AS a`);
      inserts.push(insert('other.kept', data, { insert_deduplication_token: `kept ${i}` }));
    }
    await Promise.all(inserts);
    await engine.restart('SIGKILL');
    assert.deepEqual(await rows('SELECT toInt32(count()), toInt32(uniqExact(a)) FROM other.kept'), [
      [20, 20],
    ]);
    const endless = rows('SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 1');
    endless.catch(() => undefined);
    await engine.restart('SIGTERM');
    await assert.rejects(endless);
    assert.deepEqual(await rows('SELECT toInt32(count()) FROM other.kept'), [[20]]);
  });
});
