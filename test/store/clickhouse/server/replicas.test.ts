import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Store } from '../../../../src/store/store.ts';
import { startPackagedCluster } from '../../../clickhouse/cluster/packaged.ts';
import { type Cluster, clusterMissing } from '../../../clickhouse/cluster/start-cluster.ts';
import type { RunningServer } from '../../../clickhouse/cluster/start-server.ts';
import { notAsked } from '../../../clickhouse/engine.ts';
import { until } from '../../../until.ts';
import { ask, keptLog, numbers, openStore, rowsOf, withClickHouse } from '../open-store.ts';

const cluster = 'pitwall';
const hour = 3_600_000_000_000n;

describe('three replicas of a shard', { skip: clusterMissing || notAsked }, () => {
  let replicas: Cluster;
  let servers: readonly RunningServer[];
  let databases = 0;
  before(async () => {
    replicas = await startPackagedCluster();
    ({ servers } = replicas);
  });
  after(() => replicas.stop());

  /** The values that each server has by itself, in the order of the servers. */
  const values = (database: string) =>
    Promise.all(
      servers.map(async (server) => {
        const rows = await ask(server.urlOf(database), 'SELECT number FROM readings ORDER BY number');
        return rows.map(([value]) => value);
      }),
    );

  /** Waits until each server has these. */
  const allHave = (database: string, wanted: readonly number[]) =>
    until(async () => (await values(database)).every((found) => `${found}` === `${wanted}`));

  async function withStore(use: (store: Store, database: string) => Promise<void>): Promise<void> {
    const database = `replicas_${++databases}`;
    const store = await openStore(replicas.urlOf(database), { cluster });
    try {
      await use(store, database);
    } finally {
      await store.close();
    }
  }

  const append = (store: Store, ...given: number[]) =>
    store.append(rowsOf('car', numbers(BigInt(given[0]!), given)));

  it('all get the tables and the rows', () =>
    withStore(async (store, database) => {
      await append(store, 1, 2, 3);
      await allHave(database, [1, 2, 3]);
    }));

  it('take writes while one is away, none while two are, and those when one is back', () =>
    withStore(async (store, database) => {
      await append(store, 1);
      await servers[2]!.kill();
      await append(store, 2);
      await servers[1]!.kill();
      let isTaken = false;
      const third = append(store, 3).then(() => {
        isTaken = true;
      });
      // The server that lives has the row by itself.
      await until(
        async () => (await ask(servers[0]!.urlOf(database), 'SELECT number FROM readings')).length === 3,
      );
      assert.equal(isTaken, false);
      await servers[1]!.restart();
      await third;
      await servers[2]!.restart();
      await allHave(database, [1, 2, 3]);
    }));

  it('take over when the first is lost, with all that was acknowledged', () =>
    withStore(async (store, database) => {
      await append(store, 1);
      await servers[0]!.kill();
      await append(store, 2);
      const other = await openStore(replicas.urlOf(database), { cluster });
      await append(other, 3);
      await other.close();
      await servers[0]!.restart();
      await allHave(database, [1, 2, 3]);
    }));

  for (const [which, number] of [
    ['first', 0],
    ['last', 2],
  ] as const) {
    it(`get their tables again where the ${which} has lost its disk`, () =>
      withStore(async (store, database) => {
        await append(store, 1);
        await replicas.loseDisk(number);
        const { lines, log } = keptLog();
        const other = await openStore(replicas.urlOf(database), { cluster, log });
        await append(other, 2);
        await other.close();
        assert.ok(
          lines.includes('a server of the ClickHouse cluster has lost a table: it is made anew there'),
        );
        await allHave(database, [1, 2]);
      }));
  }

  it('take an insert once that is sent again to another of them', () =>
    withStore(async (store, database) => {
      await append(store, 1);
      const insert = (server: RunningServer) =>
        ask(
          server.urlOf(database),
          `INSERT INTO layout (name, value) SETTINGS insert_deduplication_token = 'again', insert_deduplicate = 1 SELECT 'twice', 'no'`,
        );
      await insert(servers[0]!);
      await insert(servers[1]!);
      for (const server of servers) {
        await until(
          async () =>
            (await ask(server.urlOf(database), `SELECT count() FROM layout WHERE name = 'twice'`))[0]![0] ===
            '1',
        );
      }
    }));

  it('delete what they hold when they are back', () =>
    withStore(async (store, database) => {
      await append(store, 1, 2, 3);
      await servers[2]!.kill();
      const topic = {
        workspace: 'w',
        streamIds: ['car'],
        topic: undefined,
        from: 1n,
        to: 2n,
        tagFilters: [],
      };
      assert.equal(await store.deleteRows(topic), 2);
      await servers[2]!.restart();
      await allHave(database, [3]);
    }));

  it('remove a stream though the first to take its rows does not know yet that it is removed', () =>
    withStore(async (store, database) => {
      await append(store, 1, 2, 3);
      await allHave(database, [1, 2, 3]);
      const tell = (server: RunningServer, text: string) =>
        withClickHouse(server.urlOf(database), (clickhouse) => clickhouse.command({ text, params: {} }));
      const [first, second, third] = servers as [RunningServer, RunningServer, RunningServer];
      await tell(third, 'SYSTEM STOP FETCHES streams_local');
      await tell(first, 'SYSTEM STOP MERGES windows_local');
      await tell(second, 'SYSTEM STOP MERGES windows_local');
      const filter = { streamIds: ['car'] };
      const removed = store.changeStreams({ workspace: 'w', action: 'hardDelete', filter, now: Date.now() });
      const runs = `SELECT count() FROM system.mutations WHERE database = '${database}' AND table = 'windows_local' AND is_done`;
      await until(async () => (await ask(third.urlOf(database), runs))[0]![0] !== '0');
      assert.deepEqual((await values(database))[2], [1, 2, 3]);
      await tell(first, 'SYSTEM START MERGES windows_local');
      await tell(second, 'SYSTEM START MERGES windows_local');
      await tell(third, 'SYSTEM START FETCHES streams_local');
      await removed;
      assert.deepEqual((await values(database))[0], []);
      await allHave(database, []);
    }));

  it('expire what they hold when they are back', () =>
    withStore(async (store, database) => {
      const now = BigInt(Date.now()) * 1_000_000n;
      await store.append(rowsOf('car', numbers(now - 2n * hour, [1]), numbers(now, [2])));
      await servers[1]!.kill();
      await store.append({ workspace: 'w', changes: [{ type: 'topic', topic: 'Topic', retention: hour }] });
      await servers[1]!.restart();
      await allHave(database, [2]);
    }));
});
