import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressesOf, connectServers } from '../../../../src/store/clickhouse/server/servers.ts';
import { type Engine, engineMissing, startEngine } from '../../../clickhouse/engine.ts';
import { until } from '../../../until.ts';
import { keptLog, openStore } from '../open-store.ts';

/** One address of both, as an operator writes it. */
function both(first: Engine, second: Engine): string {
  return first.url.replace(`:${first.port}/`, `:${first.port},127.0.0.1:${second.port}/`);
}

const question = { text: 'SELECT 1', params: {} };

describe('an address with several servers', () => {
  it('is one address for each', () => {
    assert.deepEqual(addressesOf('clickhouse://u:p%2C@a:1,b/d'), [
      'clickhouse://u:p%2C@a:1/d',
      'clickhouse://u:p%2C@b/d',
    ]);
    assert.deepEqual(addressesOf('clickhouses://a,b'), ['clickhouses://a', 'clickhouses://b']);
    assert.deepEqual(addressesOf('clickhouse://a/d'), ['clickhouse://a/d']);
    assert.throws(() => addressesOf('clickhouse://a,,b/d'), TypeError);
  });

  it('uses the first that answers, and the next one when that is lost', { skip: engineMissing }, async () => {
    const [first, second] = [await startEngine(), await startEngine()];
    const { lines, log } = keptLog();
    const url = both(first, second).replace(/pitwall$/, 'default');
    const servers = connectServers({ url }, log);
    try {
      await servers.choose();
      assert.equal(servers.url, first.urlOf('default'));
      await first.kill();
      await assert.rejects(servers.rows(question));
      await until(() => servers.url === second.urlOf('default'));
      assert.equal((await servers.rows(question)).length, 1);
      assert.ok(lines.includes(`using the ClickHouse server 127.0.0.1:${second.port}`));
      await first.restart();
      // What ClickHouse refuses is no reason to leave it.
      await assert.rejects(servers.rows({ text: 'SELECT nonsense', params: {} }));
      assert.equal(servers.url, second.urlOf('default'));
      await second.kill();
      await assert.rejects(servers.rows(question));
      await until(() => servers.url === first.urlOf('default'));
    } finally {
      await servers.close();
      await Promise.all([first.stop(), second.stop()]);
    }
  });

  it('says now and then that none answers, not of each statement', { skip: engineMissing }, async () => {
    const engine = await startEngine();
    const { lines, log } = keptLog();
    const servers = connectServers({ url: both(engine, engine).replace(/pitwall$/, 'default') }, log);
    await servers.choose();
    await engine.stop();
    for (let i = 0; i < 20; i++) {
      await assert.rejects(servers.rows(question));
      await assert.rejects(servers.choose());
    }
    assert.deepEqual(lines, [
      `using the ClickHouse server 127.0.0.1:${engine.port}`,
      'a ClickHouse server may be lost',
    ]);
    await servers.close();
  });

  it('opens a store while its first server is away', { skip: engineMissing }, async () => {
    const [first, second] = [await startEngine(), await startEngine()];
    try {
      await first.kill();
      const store = await openStore(both(first, second));
      assert.equal(store.health().writable, true);
      await store.close();
    } finally {
      await Promise.all([first.stop(), second.stop()]);
    }
  });
});
