import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { catalogSettings } from '../../../../src/store/clickhouse/catalog/catalog-settings.ts';
import { connectClickHouse, type Settings } from '../../../../src/store/clickhouse/server/client.ts';
import { insertSettings, readSettings } from '../../../../src/store/clickhouse/server/insert-settings.ts';
import { engineMissing, startEngine } from '../../../clickhouse/engine.ts';

const cluster = { cluster: 'tele-1' };
const sameReplica = { load_balancing: 'in_order', prefer_localhost_replica: 0, use_hedged_requests: 0 };
const quorum = { insert_quorum: 'auto', insert_quorum_parallel: 1, distributed_foreground_insert: 1 };

/** The part of some settings that `names` has. */
function only(settings: object, names: object): object {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => name in names));
}

describe('settings of statements on a cluster', () => {
  it('let inserts go side by side, each acknowledged by a majority of the replicas', () => {
    assert.deepEqual(only(insertSettings(cluster, 'windows', 'token'), quorum), quorum);
  });

  it('wait for no other replica where a table has one', () => {
    const quorumOf = (table: 'windows' | 'tokens', ...replicas: number[]) =>
      insertSettings({ ...cluster, replicas }, table, 'token').insert_quorum;
    assert.deepEqual([quorumOf('windows', 1, 1), quorumOf('tokens', 1, 1)], ['0', 'auto']);
    assert.deepEqual([quorumOf('windows', 1), quorumOf('tokens', 1)], ['0', '0']);
    assert.deepEqual([quorumOf('windows', 3, 3), quorumOf('windows', 3, 1)], ['auto', '0']);
  });

  it('let inserts and reads go to the same replica of a shard', () => {
    for (const settings of [
      insertSettings(cluster, 'windows', 'token'),
      readSettings(cluster),
      catalogSettings(cluster),
    ])
      assert.deepEqual(only(settings, sameReplica), sameReplica);
  });

  it('let a read go only to shards that can hold its streams, and find once what stands after IN', () => {
    const wanted = { ...sameReplica, optimize_skip_unused_shards: 1, distributed_product_mode: 'global' };
    assert.deepEqual(readSettings(cluster), wanted);
  });

  it('ask for no order of inserts, which would refuse those that meet', () => {
    for (const settings of [insertSettings(cluster, 'windows', 'token'), catalogSettings(cluster)])
      assert.equal('select_sequential_consistency' in settings, false);
  });

  it('are the only ones that differ from those of one server', () => {
    const inserts = insertSettings({}, 'windows', 'token');
    assert.deepEqual(insertSettings(cluster, 'windows', 'token'), { ...inserts, ...quorum, ...sameReplica });
    assert.deepEqual(readSettings({}), {});
  });

  it('are names and values that ClickHouse knows', { skip: engineMissing }, async () => {
    const engine = await startEngine();
    const clickhouse = connectClickHouse({ url: engine.urlOf('default') });
    const ask = (settings: Settings) => clickhouse.rows({ text: 'SELECT 1', params: {} }, { settings });
    try {
      await ask(insertSettings(cluster, 'windows', 'token'));
      await ask(catalogSettings(cluster));
      assert.doesNotMatch(engine.logged(), /SettingsSanity/);
      await assert.rejects(ask({ insert_quorum: 'most' }));
      await assert.rejects(ask({ insert_quorum_of_none: 1 }));
    } finally {
      await clickhouse.close();
      await engine.stop();
    }
  });
});
