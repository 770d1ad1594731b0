import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CannotOpen } from '../../../../src/store/cannot-open.ts';
import { type Cluster, clusterMissing, startCluster } from '../../../clickhouse/cluster/start-cluster.ts';
import { ask, keptLog, numbers, openStore, rowsOf } from '../open-store.ts';

const cluster = 'many';
/** The same servers with one more shard, and with one more replica. */
const others = { grown: [3, 1], wider: [4] };

const rows = (url: string) =>
  ask(url, 'SELECT stream, toFloat64(arrayJoin(scaled)) AS number FROM windows_local ORDER BY number');

/** Rows of the stream `car` up to the time 1. */
const firstTwo = { workspace: 'w', streamIds: ['car'], topic: undefined, from: 0n, to: 1n, tagFilters: [] };

describe('a cluster with a server that is away', { skip: clusterMissing }, () => {
  let running: Cluster;
  before(async () => {
    running = await startCluster(cluster, [3], others);
    await running.servers[2]!.kill();
  });
  after(() => running.stop());

  it('takes a node, which changes nothing that is there', async () => {
    const url = running.urlOf('pitwall');
    const { said } = running.servers[0]!.onCluster;
    const { lines, log } = keptLog();
    const first = await openStore(url, { cluster, log });
    await first.append(rowsOf('car', numbers(0n, [1])));
    await first.close();
    assert.ok(lines.includes('servers of the ClickHouse cluster do not answer'), lines.join('; '));
    assert.notEqual(said.length, 0);
    said.length = 0;
    const second = await openStore(url, { cluster });
    await second.append(rowsOf('car', numbers(1n, [2])));
    await second.close();
    assert.deepEqual(said, []);
    assert.deepEqual(await rows(url), [
      ['car', 1],
      ['car', 2],
    ]);
  });

  it('gets the tables that a living server lacks', async () => {
    const url = running.urlOf('lacking');
    await (await openStore(url, { cluster })).close();
    await ask(url, 'DROP TABLE arrivals_local SYNC');
    const { lines, log } = keptLog();
    await (await openStore(url, { cluster, log })).close();
    assert.ok(lines.includes('making arrivals_local on servers of the cluster that lack it'), lines.join());
    assert.deepEqual(await ask(url, 'SELECT count() FROM arrivals_local'), [['0']]);
  });

  describe('of which a replica deletes late', () => {
    before(() => {
      running.servers[0]!.onCluster.deletesAreLate = true;
    });
    after(() => {
      running.servers[0]!.onCluster.deletesAreLate = false;
    });

    it('keeps a shorter retention when reads no longer find what it expires, though a replica is late', async () => {
      const url = running.urlOf('retention');
      const store = await openStore(url, { cluster });
      try {
        const hour = 3_600_000_000_000n;
        const now = BigInt(Date.now()) * 1_000_000n;
        await store.append(rowsOf('car', numbers(now - 2n * hour, [1]), numbers(now, [2])));
        await store.append({ workspace: 'w', changes: [{ type: 'topic', topic: 'Topic', retention: hour }] });
        assert.deepEqual(await rows(url), [['car', 2]]);
      } finally {
        await store.close();
      }
    });

    it('takes windows, and deletes of them hold at once, though a replica is late', async () => {
      const url = running.urlOf('windows');
      const store = await openStore(url, { cluster });
      try {
        await store.append(rowsOf('car', numbers(0n, [1, 2, 3])));
        assert.equal(await store.deleteRows(firstTwo), 2);
        assert.deepEqual(await ask(url, 'SELECT stream, number FROM readings'), [['car', 3]]);
        assert.deepEqual(await ask(url, 'SELECT sum(count) FROM windows_local'), [['3']]);
      } finally {
        await store.close();
      }
    });
  });

  it('refuses a node when it has other shards than its rows, and takes it when it has those again', async () => {
    const url = running.urlOf('shards');
    await (await openStore(url, { cluster })).close();
    await assert.rejects(
      openStore(url, { cluster: 'grown' }),
      (error: unknown) =>
        error instanceof CannotOpen &&
        /^the rows in shards are spread over 1 shard .*, and the cluster grown has 2 shards .*How a cluster grows/.test(
          error.message,
        ),
    );
    // One more replica moves no rows.
    await (await openStore(url, { cluster: 'wider' })).close();
  });

  it('refuses a node that takes its tables for those of one server, or the reverse', async () => {
    await (await openStore(running.urlOf('spread'), { cluster })).close();
    await assert.rejects(openStore(running.urlOf('spread')), CannotOpen);
    await (await openStore(running.urlOf('single'))).close();
    await assert.rejects(openStore(running.urlOf('single'), { cluster }), CannotOpen);
    await assert.rejects(
      openStore(running.urlOf('pitwall'), { cluster: 'unknown' }),
      /knows no cluster 'unknown'/,
    );
  });
});
