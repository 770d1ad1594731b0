import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ListedTag } from '../../../../src/domain/listing.ts';
import { type TagPair, tagSet } from '../../../../src/domain/tags.ts';
import { maxTimestamp, minTimestamp } from '../../../../src/domain/timestamp.ts';
import type { Selection } from '../../../../src/query/plan/plan.ts';
import type { EmbeddedStore } from '../../../../src/store/embedded/store.ts';
import type { Change } from '../../../../src/store/store.ts';
import { until } from '../../../until.ts';
import { damageGroups } from '../damage-groups.ts';
import { forSeeds, type Random } from '../random.ts';
import { rowsOf } from '../rows.ts';
import { storeFolder } from '../store-folder.ts';

const folder = storeFolder('tag-names');
const never = new AbortController().signal;
const everything: Selection = {
  workspace: 'w',
  streamIds: undefined,
  topic: undefined,
  from: minTimestamp,
  to: maxTimestamp,
  tagFilters: [],
};

/** A row as it was written. */
interface Written {
  readonly topic: string;
  readonly streamId: string;
  readonly time: bigint;
  readonly tags: readonly TagPair[];
}

/** Writes the rows of each stream together. */
async function write(store: EmbeddedStore, rows: readonly Written[], workspace = 'w'): Promise<void> {
  const streams = new Map<string, Written[]>();
  for (const row of rows) {
    const stream = `${row.topic} ${row.streamId}`;
    streams.set(stream, [...(streams.get(stream) ?? []), row]);
  }
  const changes = [...streams.values()].map(
    (own): Change => ({
      type: 'rows',
      topic: own[0]!.topic,
      streamId: own[0]!.streamId,
      rows: [rowsOf(own.map(({ time, tags }) => ({ time, tags: tagSet(tags).pairs, cells: { a: 1 } })))],
    }),
  );
  await store.append({ workspace, changes });
}

/** The same with a plain look at all rows. */
function expected(rows: readonly Written[], { from, to, streamIds, topic }: Selection): ListedTag[] {
  const values = new Map<string, Set<string>>();
  for (const row of rows) {
    if (row.time < from || row.time > to) continue;
    if (streamIds?.includes(row.streamId) === false || (topic ?? row.topic) !== row.topic) continue;
    for (const [name, value] of row.tags) values.set(name, (values.get(name) ?? new Set()).add(value));
  }
  return [...values.keys()].sort().map((name) => {
    const sorted = [...values.get(name)!].sort();
    return { name, values: sorted.length, first: sorted[0]!, last: sorted.at(-1)! };
  });
}

const second = 1_000_000_000n;

function randomRows(random: Random): Written[] {
  const topic = random.pick(['t', 'u']);
  const streamId = random.pick(['a', 'b', 'c', 'd']);
  const names = ['lap', 'driver', `only ${topic} ${streamId}`];
  return Array.from({ length: random.int(1, 200) }, () => ({
    topic,
    streamId,
    // Some far from the others, so that there are parts of several windows.
    time: BigInt(random.int(0, 1000)) * (random.chance(0.1) ? 100_000n * second : second),
    tags: names
      .filter(() => random.chance(0.5))
      .map((name): TagPair => [name, `${streamId === 'd' ? random.int(0, 400) : random.int(1, 4)}`]),
  }));
}

function randomSelection(random: Random): Selection {
  const times = [0, 0].map(() => BigInt(random.int(0, 1000)) * second).sort((a, b) => (a < b ? -1 : 1));
  return {
    ...everything,
    ...(random.chance(0.5) && { streamIds: ['a', 'b', 'c', 'd', 'nobody'].filter(() => random.chance(0.5)) }),
    ...(random.chance(0.3) && { topic: random.pick(['t', 'u', 'none']) }),
    ...(random.chance(0.5) && { from: times[0]! }),
    ...(random.chance(0.5) && { to: times[1]! }),
  };
}

async function closedInParts(store: EmbeddedStore): Promise<EmbeddedStore> {
  const sealed = await folder.reopenInParts(store, 1);
  await until(() => sealed.health().headBytes === 0);
  return sealed;
}

describe('the names of tags', () => {
  it('are those of the selected rows, in memory and in parts', async () => {
    // One after another in one folder.
    const rows: Written[] = [];
    await forSeeds(1, 3, async (random) => {
      let store = await folder.open();
      for (let restarts = 0; restarts < 3; restarts++) {
        for (let batch = 0; batch < 12; batch++) {
          const more = randomRows(random);
          rows.push(...more);
          await write(store, more);
        }
        for (let ask = 0; ask < 30; ask++) {
          const selection = ask === 0 ? everything : randomSelection(random);
          assert.deepEqual(await store.tagNames(selection, never), expected(rows, selection));
        }
        store = await folder.reopenInParts(store, 1);
      }
      await write(
        store,
        [{ topic: 'x', streamId: 'a', time: 0n, tags: [['other', '1']] }],
        'another workspace',
      );
      store = await closedInParts(store);
      assert.deepEqual(await store.tagNames(everything, never), expected(rows, everything));
      await folder.close(store);
    });
  });

  it('need no row group of a part that is selected as a whole', async () => {
    const store = await folder.open();
    const rows = ['a', 'b'].map(
      (streamId, i): Written => ({
        topic: 't',
        streamId,
        time: BigInt(i),
        tags: [['lap', String(i)]],
      }),
    );
    await write(store, rows);
    await folder.close(await closedInParts(store));
    await damageGroups(join(folder.directory, 'parts'), () => true);
    const damaged = await folder.open();
    assert.deepEqual(await damaged.tagNames(everything, never), [
      { name: 'lap', values: 2, first: '0', last: '1' },
    ]);
    await assert.rejects(damaged.tagNames({ ...everything, streamIds: ['a'] }, never), {
      code: 'data_damaged',
    });
  });

  it('are those of a stream alone, whatever others of its part and workspaces have', async () => {
    const store = await folder.open();
    await write(store, [{ topic: 't', streamId: 'a', time: 1n, tags: [['mine', '1']] }]);
    await write(store, [{ topic: 't', streamId: 'b', time: 1n, tags: [['other', '1']] }]);
    await write(store, [{ topic: 't', streamId: 'a', time: 1n, tags: [['secret', '1']] }], 'v');
    const sealed = await closedInParts(store);
    const namesOf = async (selection: Partial<Selection>) =>
      (await sealed.tagNames({ ...everything, ...selection }, never)).map(({ name }) => name);
    assert.deepEqual(await namesOf({}), ['mine', 'other']);
    assert.deepEqual(await namesOf({ streamIds: ['a'] }), ['mine']);
    assert.deepEqual(await namesOf({ workspace: 'v' }), ['secret']);
    assert.deepEqual(await namesOf({ workspace: 'nobody' }), []);
  });

  it('are there where a part does not tell all values, or names, of its tags', async () => {
    const store = await folder.open({ headBytes: 8 << 20, slabBytes: 2 << 20 });
    // More than a summary takes of one tag, and then of names (tag-summary.ts).
    const longValues = Array.from(
      { length: 600 },
      (_, i): Written => ({
        topic: 't',
        streamId: 'a',
        time: BigInt(i),
        tags: [['long', `${'x'.repeat(100)}${String(i).padStart(4, '0')}`]],
      }),
    );
    await write(store, longValues);
    const sealed = await closedInParts(store);
    assert.deepEqual(await sealed.tagNames(everything, never), expected(longValues, everything));
    const longNames = Array.from(
      { length: 600 },
      (_, i): Written => ({
        topic: 't',
        streamId: 'b',
        time: BigInt(i),
        tags: [[`${'x'.repeat(100)}${String(i).padStart(4, '0')}`, 'v']],
      }),
    );
    await write(sealed, longNames);
    const again = await closedInParts(sealed);
    const all = [...longValues, ...longNames];
    assert.deepEqual(await again.tagNames(everything, never), expected(all, everything));
  });

  it('leave out rows that are expired, in parts and in memory', async () => {
    const store = await folder.open();
    const ms = 1_000_000n;
    const now = BigInt(folder.now) * ms;
    const rows = (age: bigint): Written => ({
      topic: 't',
      streamId: 'a',
      time: now - age,
      tags: [[`${age}`, '1']],
    });
    await write(store, [rows(10n * second), rows(5n * second)]);
    const sealed = await closedInParts(store);
    await write(sealed, [rows(9n * second), rows(4n * second)]);
    const names = async () => (await sealed.tagNames(everything, never)).map(({ name }) => name);
    assert.equal((await names()).length, 4);
    await sealed.append({ workspace: 'w', changes: [{ type: 'topic', topic: 't', retention: 6n * second }] });
    assert.deepEqual(await names(), [`${4n * second}`, `${5n * second}`]);
  });

  it('ends when its client leaves', async () => {
    const store = await folder.open();
    await write(store, [{ topic: 't', streamId: 'a', time: 1n, tags: [['lap', '1']] }]);
    await assert.rejects(store.tagNames(everything, AbortSignal.abort(new Error('left'))), /left/);
  });
});
