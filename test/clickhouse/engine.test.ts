import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { type Engine, engineMissing, startEngine } from './engine.ts';

describe('a server of ClickHouse', { skip: engineMissing }, () => {
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

  it('refuses a stranger', async () => {
    const url = `http://127.0.0.1:${engine.port}`;
    const stranger = createClient({ url, username: 'x', password: 'y', log });
    await assert.rejects(stranger.command({ query: 'SELECT 1' }), { code: '516' });
    await stranger.close();
  });

  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    it(`has its tables when it is started again after ${signal}`, async () => {
      const table = `kept_${signal}`;
      await client.command({ query: `CREATE TABLE ${table} ENGINE MergeTree ORDER BY a AS SELECT 1 AS a` });
      await engine.restart(signal);
      const result = await client.query({ query: `SELECT a FROM ${table}`, format: 'JSONCompactEachRow' });
      assert.deepEqual(await result.json(), [[1]]);
    });
  }
});
