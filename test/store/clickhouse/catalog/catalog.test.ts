import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StreamDescription } from '../../../../src/domain/definition.ts';
import { compareText } from '../../../../src/domain/tags.ts';
import type { Catalog, ChangedStreams, Store } from '../../../../src/store/store.ts';
import { engineMissing } from '../../../clickhouse/engine.ts';
import { forSeeds, type Random } from '../../embedded/random.ts';
import { storeFolder } from '../../embedded/store-folder.ts';
import type { CatalogNode } from './catalog-node.ts';
import { randomEventFilter, randomParameterFilter, randomStreamFilter } from './random-filters.ts';
import { scratchDatabase } from './scratch-database.ts';
import { anyAge, names, parameterIds, randomBatch, recentAge, topicNames } from './seed-catalog.ts';

const workspace = `work'space\\{p0:String}`;

describe('the catalogue on ClickHouse', { skip: engineMissing }, () => {
  const folder = storeFolder('pitwall-clickhouse-catalogue-');
  const scratch = scratchDatabase();
  let ages = anyAge;

  it('answers as the embedded store does, whatever was written and deleted', async () => {
    await forSeeds(1, 1, async (random, seed) => {
      folder.now = scratch.now;
      ages = anyAge;
      const clickhouse = await scratch.node(await scratch.fresh());
      const embedded = await folder.open({ dataDir: `${folder.directory}-${seed}` });
      for (let step = 0; step < 20; step++) {
        folder.now += random.pick([1, 1000, 50_000]);
        scratch.now = folder.now;
        const [given, expected] = await change(random, clickhouse, embedded);
        assert.deepEqual(given, expected, `step ${step}`);
        if (step % 5 === 4) await compare(random, clickhouse.catalog, embedded.catalog);
      }
    });
  });

  it('takes lists of names that are longer than a field of a form may be', async () => {
    const node = await scratch.node(await scratch.fresh());
    const ids = Array.from({ length: 3000 }, (_, i) => `${i} ${`'\\é`.repeat(30)}`);
    for (let from = 0; from < ids.length; from += 1000) {
      const some = ids.slice(from, from + 1000);
      const changes = some.map((streamId) => ({ type: 'stream' as const, topic: 'Cars', streamId }));
      await node.append({ workspace, changes });
    }
    const { catalog } = node;
    const filter = { streamIds: ids, paging: { index: 0, length: 2900 } };
    assert.equal((await catalog.streams(workspace, filter, scratch.now)).length, 2900);
    const described = await Promise.all(
      ids.map((id) => catalog.describe(workspace, 'cars', id, scratch.now)),
    );
    assert.ok(described.every((description, i) => description?.stream.streamId === ids[i]));
  });

  /** The same change of both stores, and what they say of it. */
  async function change(
    random: Random,
    clickhouse: CatalogNode,
    embedded: Store,
  ): Promise<[unknown, unknown]> {
    const both = async (ask: (store: Pick<Store, 'append' | 'changeStreams' | 'deleteRows'>) => unknown) =>
      [await ask(clickhouse), await ask(embedded)] as [unknown, unknown];
    const kind = random.int(0, 9);
    if (kind === 0) {
      const { ordering: _o, paging: _p, ...filter } = randomStreamFilter(random);
      const action = random.pick(['softDelete', 'softDelete', 'restore', 'hardDelete'] as const);
      return both(async (store) =>
        keysOf(await store.changeStreams({ workspace, action, filter, now: folder.now })),
      );
    }
    if (kind === 1) {
      const from = BigInt(folder.now) * 1_000_000n - random.pick([100n, 2000n, 50_000n]) * 60_000_000_000n;
      const selection = {
        workspace,
        streamIds: random.chance(0.5) ? names.filter(() => random.chance(0.5)) : undefined,
        topic: random.chance(0.5) ? random.pick(topicNames) : undefined,
        from,
        to: from + random.pick([60n, 5000n]) * 60_000_000_000n,
        tagFilters: random.chance(0.3)
          ? [{ tag: 'Lap', operator: 'Equal' as const, values: [random.pick(['1', `'`]), 2] }]
          : [],
      };
      const parameters = [0, 1, 3].map((kind) => ({ kind: kind as 0, name: random.pick(parameterIds) }));
      return random.chance(0.5)
        ? both((store) => store.deleteRows(selection))
        : both((store) => store.deleteRows(selection, parameters));
    }
    if (kind === 2 && random.chance(0.3)) {
      const retention = random.pick([undefined, 3_600_000_000_000n, 60_000_000_000_000n]);
      const topic = random.pick(topicNames);
      ages = recentAge;
      return both((store) => store.append({ workspace, changes: [{ type: 'topic', topic, retention }] }));
    }
    const batch = randomBatch(random, workspace, folder.now, ages);
    return both((store) => store.append(batch));
  }

  async function compare(random: Random, given: Catalog, expected: Catalog): Promise<void> {
    const { now } = folder;
    const both = async (ask: (catalog: Catalog) => unknown, about: unknown) =>
      assert.deepEqual(await ask(given), await ask(expected), `of ${JSON.stringify(about)}`);
    await both((catalog) => catalog.streams(workspace, {}, now), 'all streams');
    await both((catalog) => catalog.topics(workspace), 'topics');
    for (let i = 0; i < 4; i++) {
      const filter = randomStreamFilter(random);
      await both((catalog) => catalog.streams(workspace, filter, now), filter);
      await both((catalog) => catalog.streamModels(workspace, filter, now), filter);
      const parameters = randomParameterFilter(random);
      await both((catalog) => catalog.parameters(workspace, parameters), parameters);
      const events = randomEventFilter(random);
      await both((catalog) => catalog.events(workspace, events), events);
      const some = { streamIds: names.filter(() => random.chance(0.5)), topic: undefined };
      await both((catalog) => catalog.writtenEvents(workspace, some), some);
    }
    for (const topic of topicNames) {
      await both((catalog) => catalog.topicName(workspace, topic.toUpperCase()), topic);
      await both((catalog) => catalog.retainedFrom(workspace, topic), topic);
      for (const id of names) {
        await both((catalog) => catalog.hasStream(workspace, topic, id), [topic, id]);
      }
      await both(
        (catalog) =>
          Promise.all(
            names.map(async (id) => ordered(await catalog.describe(workspace, topic.toLowerCase(), id, now))),
          ),
        topic,
      );
    }
  }
});

function keysOf(changed: ChangedStreams): unknown {
  const keys = [...changed.keys()].map(({ topic, streamId }) => JSON.stringify([topic, streamId]));
  return { count: changed.count, keys: keys.sort() };
}

/** Parameters of a description have no order. */
function ordered(description: StreamDescription | undefined): unknown {
  if (description === undefined) return undefined;
  const parameters = description.parameters.toSorted(
    (a, b) => compareText(a.name, b.name) || a.kind - b.kind,
  );
  return { ...description, parameters, eventIds: description.eventIds.toSorted() };
}
