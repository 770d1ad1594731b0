import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { type Engine, engineMissing, startEngine } from './engine.ts';
import { type FaultyProxy, notEnoughSpace, startFaultyProxy } from './faulty-proxy.ts';

describe('a proxy that fails on demand', { skip: engineMissing }, () => {
  let engine: Engine;
  let proxy: FaultyProxy;
  let direct: ClickHouseClient;
  let client: ClickHouseClient;
  const log = { level: ClickHouseLogLevel.OFF };
  before(async () => {
    engine = await startEngine();
    proxy = await startFaultyProxy(engine);
    const url = engine.urlOf('default').replace('clickhouse:', 'http:');
    direct = createClient({ url, log });
    client = createClient({ url: proxy.urlOf(url), log, request_timeout: 1000 });
    await direct.command({ query: 'CREATE TABLE t (a UInt64) ENGINE MergeTree ORDER BY a' });
  });
  beforeEach(async () => {
    proxy.set({ kind: 'pass' });
    await direct.command({ query: 'TRUNCATE TABLE t' });
  });
  after(async () => {
    await client.close();
    await direct.close();
    await proxy.stop();
    await engine.stop();
  });

  const insert = () => client.insert({ table: 't', values: [{ a: 1 }, { a: 2 }], format: 'JSONEachRow' });

  async function count(): Promise<number> {
    const result = await direct.query({ query: 'SELECT count() AS n FROM t', format: 'JSONEachRow' });
    const [row] = await result.json<{ n: string }>();
    return Number(row!.n);
  }

  it('passes, at once or late', async () => {
    await insert();
    assert.equal(await count(), 2);
    proxy.set({ kind: 'slow', delayMs: 10 });
    await insert();
    assert.equal(await count(), 4);
  });

  it('refuses, hangs and breaks requests off in the middle, and the server has nothing of them', async () => {
    for (const kind of ['refuse', 'hang', 'cut-request'] as const) {
      proxy.set({ kind });
      await assert.rejects(insert(), kind);
      assert.equal(await count(), 0, kind);
      assert.ok(proxy.seen(kind) > 0);
    }
  });

  it('loses the answer of what the server has done', async () => {
    proxy.set({ kind: 'cut-answer' });
    await assert.rejects(insert());
    assert.equal(await count(), 2);
  });

  it('answers with an error, for those requests that a test chooses', async () => {
    proxy.set(({ query }) => (query.startsWith('INSERT') ? notEnoughSpace : { kind: 'pass' }));
    await assert.rejects(insert(), { code: '243', type: 'NOT_ENOUGH_SPACE' });
    await client.command({ query: 'SELECT 1' });
    assert.equal(await count(), 0);
  });
});
