import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  addressOf,
  type ClickHouse,
  connectClickHouse,
} from '../../../../src/store/clickhouse/server/client.ts';
import { type Engine, engineMissing, startEngine } from '../../../clickhouse/engine.ts';
import { type FaultyProxy, startFaultyProxy } from '../../../clickhouse/faulty-proxy.ts';
import { until } from '../../../until.ts';

describe('an address of ClickHouse', () => {
  it('has a port and a database, also where it leaves them out', () => {
    assert.deepEqual(addressOf('clickhouse://u:p%40@h/d'), { url: 'http://u:p%40@h:8123/', database: 'd' });
    assert.deepEqual(addressOf('clickhouses://h:1/a%20b'), { url: 'https://h:1/', database: 'a b' });
    assert.deepEqual(addressOf('clickhouses://h'), { url: 'https://h:8443/', database: 'default' });
  });

  it('is refused where it is none', () => {
    for (const text of ['http://h:8123/d', 'clickhouse:h', 'clickhouse://h/a/b', 'clickhouse://h/d?x=1']) {
      assert.throws(() => addressOf(text), TypeError, text);
    }
  });
});

describe('a connection to ClickHouse', { skip: engineMissing }, () => {
  let engine: Engine;
  let proxy: FaultyProxy;
  let clickhouse: ClickHouse;
  before(async () => {
    engine = await startEngine();
    proxy = await startFaultyProxy(engine);
    clickhouse = connectClickHouse({ url: proxy.urlOf(engine.urlOf('default')) });
  });
  after(async () => {
    await clickhouse.close();
    await proxy.stop();
    await engine.stop();
  });
  const ask = (text: string, options = {}) => clickhouse.rows({ text, params: {} }, options);

  it('gives integers of 64 bits as digits, and what is not there as null', async () => {
    assert.deepEqual(await ask("SELECT toInt64('9223372036854775807'), NULL, 'é\\'', 1.5"), [
      ['9223372036854775807', null, "é'", 1.5],
    ]);
  });

  it('keeps no setting from one statement to the next', async () => {
    const settings = { max_block_size: '77' };
    const asked = "SELECT value FROM system.settings WHERE name = 'max_block_size'";
    assert.deepEqual(await ask(asked, { settings }), [['77']]);
    assert.notDeepEqual(await ask(asked), [['77']]);
  });

  it('says in its own words what failed, and leaves texts of statements out', async () => {
    await assert.rejects(ask("SELECT nothing_like_this('secret')"), (error: Error & { code?: string }) => {
      return error.code === 'storage_failed' && !error.message.includes('secret');
    });
    const settings = { max_rows_to_read: '10' };
    await assert.rejects(ask('SELECT count() FROM numbers(1000) WHERE number > 5', { settings }), {
      code: 'query_too_large',
    });
    const sleep = 'SELECT sleepEachRow(0.05) FROM numbers(100) SETTINGS max_block_size = 1';
    await assert.rejects(ask(sleep, { settings: { max_execution_time: 0.001 } }), { code: 'query_too_slow' });
  });

  it('rejects with the reason of its signal, also when that was aborted before', async () => {
    const reason = new Error('the client left');
    await assert.rejects(ask('SELECT 1', { signal: AbortSignal.abort(reason) }), reason);
    const leaving = new AbortController();
    const asked = ask('SELECT sleepEachRow(1) FROM numbers(3)', { signal: leaving.signal });
    leaving.abort(reason);
    await assert.rejects(asked, reason);
  });

  it('gives up a server that does not answer in time', async () => {
    proxy.set({ kind: 'hang' });
    await assert.rejects(ask('SELECT 1', { patienceMs: 50 }), { code: 'storage_failed', status: 503 });
    proxy.set({ kind: 'refuse' });
    await assert.rejects(ask('SELECT 1'), {
      code: 'storage_failed',
      message: 'ClickHouse cannot be reached',
    });
    proxy.set({ kind: 'pass' });
    assert.deepEqual(await ask('SELECT 1', { patienceMs: 10_000 }), [[1]]);
  });

  it('lets nothing wait for reads, however many there are', { timeout: 60_000 }, async () => {
    const few = connectClickHouse({ url: proxy.urlOf(engine.urlOf('default')), maxConnections: 2 });
    const leaving = new AbortController();
    proxy.set({ kind: 'hang' });
    const hanging = proxy.seen('hang');
    const reading = { isRead: true, signal: leaving.signal };
    const reads = Array.from({ length: 5 }, () => few.rows({ text: 'SELECT 1', params: {} }, reading));
    const ends = Promise.allSettled(reads);
    await until(() => proxy.seen('hang') === hanging + 2);
    proxy.set({ kind: 'pass' });
    assert.deepEqual(await few.rows({ text: 'SELECT 2', params: {} }), [[2]]);
    leaving.abort(new Error('the clients left'));
    await ends;
    await few.close();
  });

  it('streams an answer of many blocks', async () => {
    let bytes = 0;
    const statement = { text: 'SELECT number FROM numbers(1000000) FORMAT RowBinary', params: {} };
    for await (const chunk of clickhouse.stream(statement)) bytes += chunk.length;
    assert.equal(bytes, 8_000_000);
  });

  it('throws from a stream what fails in the middle', async () => {
    const statement = {
      text: 'SELECT throwIf(number = 3000000) FROM numbers(5000000) FORMAT RowBinary',
      params: {},
    };
    await assert.rejects(
      async () => {
        for await (const _ of clickhouse.stream(statement));
      },
      { code: 'storage_failed' },
    );
  });
});
