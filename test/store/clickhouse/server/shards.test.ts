import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Store } from '../../../../src/store/store.ts';
import { type Cluster, clusterMissing, startCluster } from '../../../clickhouse/cluster/start-cluster.ts';
import { notAsked } from '../../../clickhouse/engine.ts';
import { until } from '../../../until.ts';
import { ask, numbers, openStore, rowsOf } from '../open-store.ts';

const cluster = 'many';

describe('two shards of two replicas', { skip: clusterMissing || notAsked }, () => {
  let shards: Cluster;
  let databases = 0;
  before(async () => {
    shards = await startCluster(cluster, [2, 2]);
  });
  after(() => shards.stop());

  async function withStore(use: (store: Store, database: string) => Promise<void>): Promise<void> {
    const database = `shards_${++databases}`;
    const store = await openStore(shards.urlOf(database), { cluster, writesWindows: true });
    try {
      await use(store, database);
    } finally {
      await store.close();
    }
  }

  it('hold the streams between them, and answer as one', () =>
    withStore(async (store, database) => {
      for (let i = 0; i < 20; i++) await store.append(rowsOf(`car${i}`, numbers(1n, [i])));
      const counts = await Promise.all(
        shards.servers.map((server) => ask(server.urlOf(database), 'SELECT count() FROM windows_local')),
      );
      assert.deepEqual(counts, []);
      await until(() => Promise.resolve(true));
    }));
});
