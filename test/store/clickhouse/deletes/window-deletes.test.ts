import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind, type ParameterKey } from '../../../../src/domain/parameter-data.ts';
import type { TagFilter } from '../../../../src/domain/query.ts';
import { tagSetOfKey } from '../../../../src/domain/tags.ts';
import type { Selection } from '../../../../src/query/plan/plan.ts';
import { compileTagFilters } from '../../../../src/query/plan/tag-predicate.ts';
import type { Store } from '../../../../src/store/store.ts';
import { engineMissing, notAsked } from '../../../clickhouse/engine.ts';
import { createRandom, type Random } from '../../../fuzz/random.ts';
import { until } from '../../../until.ts';
import { everything as all, engineDatabases } from '../engine-databases.ts';
import { ask, numbers, openStore, rowsOf, withClickHouse } from '../open-store.ts';
import { randomRows } from '../random-rows.ts';
import { valuesOfRows, valuesOfWindows } from '../windows/window-values.ts';

const second = 1_000_000_000n;
describe('deletes of windows', { skip: engineMissing || notAsked }, () => {
  const { fresh, withStore } = engineDatabases('deletes');

  const run = (url: string, text: string) =>
    withClickHouse(url, (clickhouse) => clickhouse.command({ text, params: {} }));
  const merge = (url: string) => run(url, 'OPTIMIZE TABLE windows FINAL');
  const change = (store: Store, ...changes: Parameters<Store['append']>[0]['changes']) =>
    store.append({ workspace: 'w', changes });

  const texts = async (url: string) => (await valuesOfWindows(url)).map((row) => row.at(-1));

  it('take and count what is meant, before and after merges', () =>
    withStore(async (store, url) => {
      const random = createRandom(3);
      /** By all but the value. */
      const wanted = new Map<string, unknown[]>();
      const sorted = (values: Iterable<unknown[]>) => Array.from(values, (row) => row.join('\0')).sort();
      let deleted = 0;
      for (let step = 0; step < 60; step++) {
        if (!random.once(3)) {
          const [stream, rows] = [random.pick(['s', 'r']), randomRows(random)];
          await store.append(rowsOf(stream, rows));
          for (const row of valuesOfRows(stream, rows)) wanted.set(row.slice(0, -1).join('\0'), row);
          continue;
        }
        const { selection, parameters } = randomDelete(random);
        const meant = [...wanted].filter(([, row]) => isMeant(row as string[], selection, parameters));
        const rows = new Set(meant.map(([, [stream, , , time, tags]]) => `${stream} ${time} ${tags}`));
        for (const [key] of meant) wanted.delete(key);
        assert.equal(await store.deleteRows(selection, parameters), rows.size, `step ${step}`);
        deleted += rows.size;
        if (random.once(4)) await merge(url);
        assert.deepEqual(sorted(await valuesOfWindows(url)), sorted(wanted.values()), `step ${step}`);
      }
      assert.ok(deleted > 100);
    }));

  it('write nothing where there is nothing to take', () =>
    withStore(async (store, url) => {
      await store.append(rowsOf('s', numbers(0n, [1, 2, 3])));
      const pieces = () => ask(url, 'SELECT sum(length(pieces)) FROM windows');
      assert.equal(await store.deleteRows({ ...all, from: 1n, to: 1n }), 1);
      const before = await pieces();
      assert.deepEqual(before, [['2']]);
      assert.equal(await store.deleteRows({ ...all, from: 1n, to: 1n }), 0);
      assert.equal(await store.deleteRows({ ...all, from: 3n }), 0);
      assert.equal(await store.deleteRows({ ...all, topic: 'other' }), 0);
      assert.deepEqual(await pieces(), before);
      assert.deepEqual(await texts(url), ['1', '3']);
    }));

  it('are no writes to a stream, and move when it was changed', () =>
    withStore(async (store, url) => {
      await store.append(rowsOf('s', numbers(0n, [1, 2, 3])));
      const touched = () => ask(url, 'SELECT created, touched FROM streams FINAL');
      const before = await touched();
      await store.deleteRows(all);
      assert.deepEqual(await touched(), before);
      assert.deepEqual(await ask(url, 'SELECT changed > touched FROM streams FINAL'), [[1]]);
    }));

  it('give way to later writes of the same values', () =>
    withStore(async (store, url) => {
      const batch = rowsOf('s', numbers(0n, [1, 2, 3]));
      await store.append(batch);
      await store.deleteRows(all);
      await merge(url);
      assert.deepEqual(await texts(url), []);
      await store.append(batch);
      assert.deepEqual(await texts(url), ['1', '2', '3']);
      await merge(url);
      assert.deepEqual(await texts(url), ['1', '2', '3']);
    }));

  it('for good take all that a stream had, also where a later write was merged into it', () =>
    withStore(async (store, url) => {
      await store.append(rowsOf('gone', numbers(0n, [1, 2])));
      await store.append(rowsOf('stays', numbers(0n, [3])));
      const removed = await ask(url, 'SELECT max(version) + 1 FROM windows');
      await run(
        url,
        `INSERT INTO streams (workspace, topic, stream, removed) VALUES ('w', 'topic', 'gone', ${removed[0]![0]})`,
      );
      await store.append(rowsOf('gone', numbers(1n, [22])));
      await merge(url);
      await store.close();
      // The next start finishes what was interrupted.
      const next = await openStore(url);
      await until(async () => (await texts(url)).length === 2);
      await next.close();
      assert.deepEqual(await texts(url), ['22', '3']);
    }));

  it('for good leave nothing of streams and workspaces on the disk', () =>
    withStore(async (store, url) => {
      const count = () => ask(url, 'SELECT count() FROM windows');
      await store.append(rowsOf('s', numbers(0n, [1, 2])));
      await store.deleteRows({ ...all, to: 0n });
      await store.changeStreams({ workspace: 'w', action: 'hardDelete', filter: {}, now: Date.now() });
      assert.deepEqual(await count(), [['0']]);
      await store.append(rowsOf('s', numbers(0n, [1, 2])));
      await change(store, { type: 'removeWorkspace', name: 'w' });
      assert.deepEqual(await count(), [['0']]);
    }));

  it('follow a retention that is set, changed and taken back', () =>
    withStore(async (store, url) => {
      const hour = 3600n * second;
      const now = BigInt(Date.now()) * 1_000_000n;
      await store.append(rowsOf('s', numbers(now - 48n * hour, [1])));
      await store.append(rowsOf('s', numbers(now, [2])));
      const retentions = async () => {
        await run(url, 'OPTIMIZE TABLE windows FINAL');
        return (await ask(url, 'SELECT DISTINCT retention FROM windows')).flat();
      };
      const forEver = String(2n ** 63n - 1n);
      assert.deepEqual(await retentions(), [forEver]);
      await change(store, { type: 'topic', topic: 'Topic', retention: 24n * hour });
      assert.deepEqual(await texts(url), ['2']);
      assert.deepEqual(await retentions(), [String(24n * hour)]);
      await store.append(rowsOf('s', numbers(now + 1n, [3])));
      assert.deepEqual(await retentions(), [String(24n * hour)]);
      await change(store, { type: 'topic', topic: 'Topic', retention: undefined });
      assert.deepEqual(await retentions(), [forEver]);
      assert.deepEqual(await texts(url), ['2', '3']);
    }));

  it('by a retention take what is expired of windows that are not', () =>
    withStore(async (store, url) => {
      const hour = 3600n * second;
      const now = BigInt(Date.now()) * 1_000_000n;
      const rows = numbers(now - 48n * hour, [1, 2, 3]);
      await store.append(rowsOf('s', { ...rows, offsets: rows.offsets.map((i) => i * 24 * 3600 * 1e9) }));
      assert.deepEqual(await ask(url, 'SELECT count() FROM windows'), [['1']]);
      await change(store, { type: 'topic', topic: 'Topic', retention: 36n * hour });
      assert.deepEqual(await texts(url), ['2', '3']);
      const [stream] = await store.catalog.streams('w', {}, Date.now());
      assert.equal(stream?.dataStart, now - 24n * hour);
    }));

  it('by a retention stay away where a longer one is set while that is under way', () =>
    withStore(async (store, url) => {
      const hour = 3600n * second;
      const now = BigInt(Date.now()) * 1_000_000n;
      const rows = numbers(now - 48n * hour, [1, 2]);
      await store.append(rowsOf('s', { ...rows, offsets: Float64Array.of(0, 47 * 3600e9) }));
      const keep = (retention: bigint | undefined) =>
        change(store, { type: 'topic', topic: 'Topic', retention });
      await Promise.all([keep(96n * hour), keep(36n * hour), keep(undefined)]);
      assert.deepEqual(await texts(url), ['2']);
    }));

  it('outlast what they hide: a longer retention brings nothing back that was deleted', async () => {
    const url = fresh();
    const hour = 3600n * second;
    // What is half an hour old to the node has expired to ClickHouse.
    const clock = () => Date.now() - 7_200_000;
    const store = await openStore(url, { clock });
    await change(store, { type: 'topic', topic: 'Topic', retention: hour });
    await run(url, 'SYSTEM STOP MERGES windows');
    const base = BigInt(clock()) * 1_000_000n - hour / 2n;
    await store.append(rowsOf('s', numbers(base, [1, 2])));
    const parts =
      "SELECT name FROM system.parts WHERE table = 'windows' AND database = currentDatabase() AND active";
    const [[part]] = (await ask(url, parts)) as [[string]];
    assert.equal(await store.deleteRows({ ...all, to: base }), 1);
    // ClickHouse takes what has expired part by part: here the values are in another one than the delete.
    await run(url, `ALTER TABLE windows DETACH PART '${part}'`);
    await run(url, 'SYSTEM START MERGES windows');
    await merge(url);
    await run(url, 'SYSTEM STOP MERGES windows');
    await run(url, `ALTER TABLE windows ATTACH PART '${part}'`);
    await change(store, { type: 'topic', topic: 'Topic', retention: 24n * hour });
    assert.deepEqual(await texts(url), ['2']);
    await store.close();
  });

  it('stay away: a longer retention brings nothing back, however a value was replaced', async () => {
    const url = fresh();
    const left = async () => (await valuesOfWindows(url)).map((row) => row.at(-1));
    const store = await openStore(url);
    const hour = 3600n * second;
    await change(store, { type: 'topic', topic: 'Topic', retention: hour });
    await run(url, 'SYSTEM STOP MERGES windows');
    const now = BigInt(Date.now()) * 1_000_000n;
    const expired = now - hour - second;
    const rows = numbers(expired, [1, 2]);
    await store.append(rowsOf('s', { ...rows, offsets: Float64Array.of(0, 1200e9) }));
    const [[part]] = (await ask(
      url,
      `SELECT name FROM system.parts WHERE table = 'windows' AND database = currentDatabase() AND active ORDER BY min_block_number LIMIT 1`,
    )) as [[string]];
    await store.append(rowsOf('s', numbers(expired, [3])));
    // ClickHouse takes what has expired part by part, the small ones first.
    await run(url, `ALTER TABLE windows DETACH PART '${part}'`);
    await run(url, 'SYSTEM START MERGES windows');
    await run(url, 'OPTIMIZE TABLE windows FINAL');
    await run(url, `ALTER TABLE windows ATTACH PART '${part}'`);
    await change(store, { type: 'topic', topic: 'Topic', retention: 24n * hour });
    assert.deepEqual(await left(), ['2']);
    await change(store, { type: 'topic', topic: 'Topic', retention: undefined });
    assert.deepEqual(await left(), ['2']);
    await store.close();
  });

  it('by the retention are a matter of merges', () =>
    withStore(async (store, url) => {
      await change(store, { type: 'topic', topic: 'Topic', retention: 3600n * second });
      const now = BigInt(Date.now()) * 1_000_000n;
      await store.append(rowsOf('s', numbers(now - 7200n * second, [1])));
      await store.append(rowsOf('r', numbers(now, [2])));
      await merge(url);
      assert.deepEqual(await ask(url, 'SELECT stream FROM windows'), [['r']]);
    }));
});

function randomDelete(random: Random) {
  const filters: TagFilter[][] = [
    [],
    [{ tag: 'lap', operator: 'Equal', values: ['1'] }],
    [{ tag: 'lap', operator: 'NotLike', values: ['2'] }],
  ];
  const from = BigInt(random.below(4)) * second + BigInt(random.below(30)) * 50_000_000n;
  const selection: Selection = {
    ...all,
    streamIds: random.once(2) ? ['s'] : undefined,
    from: random.once(4) ? all.from : from,
    to: random.once(4) ? all.to : from + BigInt(random.below(20)) * 40_000_000n,
    tagFilters: random.pick(filters),
  };
  const parameters = random.once(2) ? [{ kind: Kind.Numeric, name: 'a' }] : undefined;
  return { selection, parameters };
}

/** Whether a delete means a value, as `valuesOfRows` tells of it. */
function isMeant(
  [stream, parameter, , time, tags]: string[],
  { streamIds, from, to, tagFilters }: Selection,
  parameters: readonly ParameterKey[] | undefined,
): boolean {
  const at = BigInt(time!);
  return (
    (streamIds === undefined || streamIds.includes(stream!)) &&
    (parameters === undefined || parameters.some(({ name }) => name === parameter)) &&
    at >= from &&
    at <= to &&
    compileTagFilters(tagFilters)?.(tagSetOfKey(tags!)) !== false
  );
}
