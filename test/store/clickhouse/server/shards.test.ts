import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { planQuery, type ReadPlan } from '../../../../src/query/plan/plan.ts';
import type { Store } from '../../../../src/store/store.ts';
import { type Cluster, clusterMissing, startCluster } from '../../../clickhouse/cluster/start-cluster.ts';
import type { RunningServer } from '../../../clickhouse/cluster/start-server.ts';
import { notAsked } from '../../../clickhouse/engine.ts';
import { until } from '../../../until.ts';
import { readRows } from '../../embedded/read-rows.ts';
import { ask, numbers, openStore, rowsOf } from '../open-store.ts';

const cluster = 'many';
const hour = 3_600_000_000_000n;
const streams = Array.from({ length: 20 }, (_, i) => `car${i}`);
const everyone = { workspace: 'w', streamIds: streams, topic: undefined, tagFilters: [] };

describe('two shards of three replicas', { skip: clusterMissing || notAsked }, () => {
  let shards: Cluster;
  let servers: readonly RunningServer[];
  let databases = 0;
  before(async () => {
    shards = await startCluster(cluster, [3, 3]);
    ({ servers } = shards);
  });
  after(() => shards.stop());

  async function withStore(use: (store: Store, database: string) => Promise<void>): Promise<void> {
    const database = `shards_${++databases}`;
    const store = await openStore(shards.urlOf(database), { cluster });
    try {
      await use(store, database);
    } finally {
      await store.close();
    }
  }

  /** One value for each stream, of which each is on one shard. */
  const append = (store: Store, value: number, ids = streams) =>
    store.append({
      workspace: 'w',
      changes: ids.map((streamId) => ({
        type: 'rows',
        topic: 'Topic',
        streamId,
        rows: [numbers(BigInt(value), [value])],
      })),
    });

  /** The values of each stream, in the order of their times. */
  async function values(store: Store): Promise<Map<string, unknown[]>> {
    const plan = planQuery('w', {
      parameters: [{ kind: Kind.Numeric, name: 'p', aggregation: 'None' }],
    }) as ReadPlan;
    const found = new Map<string, unknown[]>();
    for (const { streamId, cells } of await readRows(store, plan)) {
      found.set(streamId, [...(found.get(streamId) ?? []), ...cells]);
    }
    return found;
  }

  const all = (...wanted: number[]) => new Map(streams.map((stream) => [stream, wanted]));
  const sorted = (found: Map<string, unknown[]>) =>
    new Map(streams.filter((id) => found.has(id)).map((id) => [id, found.get(id)]));

  async function holds(store: Store, ...wanted: number[]): Promise<void> {
    assert.deepEqual(sorted(await values(store)), all(...wanted));
  }

  /** The streams whose rows are on a server. */
  async function streamsOn(server: RunningServer, database: string): Promise<string[]> {
    const rows = await ask(server.urlOf(database), 'SELECT DISTINCT stream FROM windows_local');
    return rows.map(([stream]) => stream as string);
  }

  it('hold the streams between them, and answer as one, whichever server is asked', () =>
    withStore(async (store, database) => {
      await append(store, 1);
      await append(store, 2);
      const [first, , , second] = await Promise.all(servers.map((server) => streamsOn(server, database)));
      assert.deepEqual([...first!, ...second!].toSorted(), streams.toSorted());
      assert.ok(first!.length > 0 && second!.length > 0);
      for (const { urlOf } of servers) {
        const other = await openStore(urlOf(database), { cluster });
        await holds(other, 1, 2);
        await other.close();
      }
    }));

  it('go on when the first of them is lost', () =>
    withStore(async (store) => {
      await append(store, 1);
      await servers[0]!.kill();
      await append(store, 2);
      await holds(store, 1, 2);
      await servers[0]!.restart();
      await append(store, 3);
      await until(async () => `${[...(await values(store)).values()]}` === `${[...all(1, 2, 3).values()]}`);
    }));

  it('take what is for one of them while the other is away, and give no answer without its rows', () =>
    withStore(async (store, database) => {
      await append(store, 1);
      const here = await streamsOn(servers[0]!, database);
      const there = await streamsOn(servers[3]!, database);
      for (const server of servers.slice(3)) await server.kill();
      await append(store, 2, here);
      await assert.rejects(values(store), { code: 'storage_failed' });
      const rest = append(store, 2, there);
      for (const server of servers.slice(3)) await server.restart();
      await rest;
      await holds(store, 1, 2);
    }));

  it('delete and expire on all', () =>
    withStore(async (store, database) => {
      const now = BigInt(Date.now()) * 1_000_000n;
      for (const value of [1, 2, 3]) await append(store, value);
      assert.equal(await store.deleteRows({ ...everyone, from: 1n, to: 1n }), 20);
      await holds(store, 2, 3);
      await servers[1]!.kill();
      assert.equal(await store.deleteRows({ ...everyone, from: 2n, to: 2n }), 20);
      await holds(store, 3);
      await servers[1]!.restart();
      await store.append(rowsOf('young', numbers(now, [9])));
      await store.append({ workspace: 'w', changes: [{ type: 'topic', topic: 'Topic', retention: hour }] });
      assert.deepEqual(await values(store), new Map([['young', [9]]]));
      await until(async () =>
        (await Promise.all(servers.map((server) => streamsOn(server, database))))
          .flat()
          .every((id) => id === 'young'),
      );
    }));

  it('count what a workspace takes on all', () =>
    withStore(async (store) => {
      const workspace = { name: 'w', createdAt: 1, maxBytes: streams.length * 8 * 2 };
      await store.append({ workspace: 'w', changes: [{ type: 'workspace', workspace }] });
      await append(store, 1);
      await append(store, 2);
      await assert.rejects(append(store, 3), { code: 'workspace_full' });
      await holds(store, 1, 2);
    }));

  it('remove streams on all', () =>
    withStore(async (store, database) => {
      await append(store, 1);
      const removed = streams.slice(0, 15);
      const filter = { streamIds: removed };
      await store.changeStreams({ workspace: 'w', action: 'hardDelete', filter, now: Date.now() });
      assert.deepEqual([...(await values(store)).keys()].toSorted(), streams.slice(15).toSorted());
      await until(
        async () =>
          !(await Promise.all(servers.map((server) => streamsOn(server, database))))
            .flat()
            .some((id) => removed.includes(id)),
      );
    }));
});

describe('two shards of one replica', { skip: clusterMissing || notAsked }, () => {
  it('take writes, which wait for no other', async () => {
    const shards = await startCluster(cluster, [1, 1]);
    try {
      const store = await openStore(shards.urlOf('lone'), { cluster });
      for (const stream of streams) await store.append(rowsOf(stream, numbers(1n, [1])));
      const counts = await Promise.all(
        shards.servers.map((server) => ask(server.urlOf('lone'), 'SELECT count() FROM windows_local')),
      );
      assert.equal(
        counts.flat(2).reduce((sum: number, count) => sum + Number(count), 0),
        streams.length,
      );
      await store.close();
    } finally {
      await shards.stop();
    }
  });
});
