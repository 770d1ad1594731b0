import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import type { ParameterDataQuery, TagFilter } from '../../../../src/domain/query.ts';
import { noTags, tagSet } from '../../../../src/domain/tags.ts';
import { isAggregate, planQuery } from '../../../../src/query/plan/plan.ts';
import type { EmbeddedStore } from '../../../../src/store/embedded/store.ts';
import { until } from '../../../until.ts';
import { damageGroups } from '../damage-groups.ts';
import { storeFolder } from '../store-folder.ts';

const folder = storeFolder('parts-with-tags');
const never = new AbortController().signal;
/** More rows than a row group has, so that a part has three of them. */
const count = 20_000;

/** A store of which the row groups at some places are damaged; every row has lap 1, but those of the last 5000 have no tag. */
async function damagedStore(isDamaged: (place: number) => boolean): Promise<EmbeddedStore> {
  const store = await folder.open({ headBytes: 64 << 20, slabBytes: 16 << 20 });
  const rows = {
    count,
    base: 0n,
    offsets: Float64Array.from({ length: count }, (_, i) => i),
    tagSets: [tagSet([['lap', '1']]), noTags],
    tagIndex: Uint32Array.from({ length: count }, (_, i) => (i < count - 5000 ? 0 : 1)),
    columns: [
      {
        kind: Kind.Numeric,
        name: 'a',
        values: Float64Array.from({ length: count }, (_, i) => i % 97),
        present: undefined,
      },
    ],
  };
  await store.append({
    workspace: 'w',
    changes: [{ type: 'rows', topic: 't', streamId: 's', rows: [rows] }],
  });
  const sealed = await folder.reopenInParts(store, 1);
  await until(() => sealed.health().headBytes === 0);
  await folder.close(sealed);
  await damageGroups(join(folder.directory, 'parts'), isDamaged);
  return folder.open();
}

async function rowsWith(
  store: EmbeddedStore,
  filter: TagFilter,
  aggregation: 'None' | 'Mean',
  signal = never,
): Promise<number> {
  const parameters = [{ kind: Kind.Numeric, name: 'a', aggregation }];
  const plan = planQuery('w', { parameters, tagFilters: [filter] });
  let rows = 0;
  if (isAggregate(plan)) for await (const block of store.aggregate(plan, signal)) rows += block.count;
  else for await (const block of store.run(plan, signal)) rows += block.count;
  return rows;
}

describe('parts in which no row has a wanted tag', () => {
  it('are not read', async () => {
    const store = await damagedStore(() => true);
    for (const filter of [
      { tag: 'lap', operator: 'Equal', values: ['2', 3] },
      { tag: 'lap', operator: 'Like', values: ['^2'] },
      { tag: 'driver', operator: 'Equal', values: ['1'] },
    ] as const) {
      for (const aggregation of ['None', 'Mean'] as const)
        assert.equal(await rowsWith(store, filter, aggregation), 0, `${filter.tag} ${filter.operator}`);
    }
  });

  it('are not looked for any more once the client has left', async () => {
    const store = await damagedStore(() => true);
    const filter = { tag: 'lap', operator: 'Equal', values: ['2'] } as const;
    const left = new Error('left');
    for (const aggregation of ['None', 'Mean'] as const)
      await assert.rejects(rowsWith(store, filter, aggregation, AbortSignal.abort(left)), left);
  });

  it('are read where rows may match, those without the tag among them', async () => {
    const store = await damagedStore(() => true);
    for (const filter of [
      { tag: 'lap', operator: 'Equal', values: ['2', 1] },
      { tag: 'lap', operator: 'NotEqual', values: ['1'] },
      { tag: 'driver', operator: 'NotLike', values: ['1'] },
    ] as const) {
      await assert.rejects(rowsWith(store, filter, 'None'), { code: 'data_damaged' });
      // Of a part for all of whose rows the filter holds the totals are enough.
      if (filter.tag === 'lap')
        await assert.rejects(rowsWith(store, filter, 'Mean'), { code: 'data_damaged' });
    }
  });
});

describe('parts whose tags decide nothing', () => {
  it('are added by their totals', async () => {
    const store = await damagedStore(() => true);
    assert.deepEqual(await countsOf(store, { groupBy: ['driver'] }), [count]);
    assert.deepEqual(await countsOf(store, { groupBy: ['streamId'] }), [count]);
    for (const filter of [
      { tag: 'lap', operator: 'NotEqual', values: ['2', '3'] },
      { tag: 'lap', operator: 'NotLike', values: ['^2'] },
      { tag: 'driver', operator: 'NotEqual', values: ['1'] },
    ] as const)
      assert.deepEqual(await countsOf(store, { tagFilters: [filter] }), [count]);
  });

  it('are told from those whose tags do', async () => {
    const store = await damagedStore(() => false);
    assert.deepEqual(await countsOf(store, { groupBy: ['lap'] }), [5000, count - 5000]);
    const isOne: TagFilter = { tag: 'lap', operator: 'Equal', values: ['1'] };
    assert.deepEqual(await countsOf(store, { tagFilters: [isOne] }), [count - 5000]);
    const isNotOne: TagFilter = { ...isOne, operator: 'NotEqual' };
    assert.deepEqual(await countsOf(store, { tagFilters: [isNotOne] }), [5000]);
  });

  async function countsOf(store: EmbeddedStore, query: Partial<ParameterDataQuery>): Promise<number[]> {
    const parameters = [{ kind: Kind.Numeric, name: 'a', aggregation: 'Count' as const }];
    const plan = planQuery('w', { ...query, parameters });
    assert.ok(isAggregate(plan));
    const counts: number[] = [];
    for await (const { columns } of store.aggregate(plan, never)) {
      const column = columns[0];
      assert.ok(column !== undefined && 'values' in column);
      counts.push(...column.values);
    }
    return counts.sort((a, b) => a - b);
  }
});

describe('the values of a tag', () => {
  const all = { workspace: 'w', streamIds: undefined, topic: undefined, from: 0n, to: 1n << 40n };

  it('are read from no more row groups than it takes to find what a part says it has', async () => {
    const store = await damagedStore((place) => place > 0);
    assert.deepEqual(await store.tagValues({ ...all, tagFilters: [] }, 'lap', never), ['1']);
    assert.deepEqual(await store.tagValues({ ...all, tagFilters: [] }, 'driver', never), []);
  });

  it('are only those of rows that are left', async () => {
    const store = await damagedStore(() => false);
    const range = { ...all, to: BigInt(count - 5001), tagFilters: [] };
    await store.deleteRows(range);
    assert.deepEqual(await store.tagValues({ ...all, tagFilters: [] }, 'lap', never), []);
  });
});
