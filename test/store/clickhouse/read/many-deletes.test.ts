import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { type AggregatePlan, planQuery } from '../../../../src/query/plan/plan.ts';
import { engineMissing, notAsked } from '../../../clickhouse/engine.ts';
import { engineDatabases, everything } from '../engine-databases.ts';
import { ask, numbers, openStore, rowsOf } from '../open-store.ts';

const never = new AbortController().signal;
const month = 2_592_000_000_000_000n;

describe('a read of windows', { skip: engineMissing || notAsked }, () => {
  const { fresh } = engineDatabases('many_deletes');

  it('finds all rows where more of them are deletes than it wants of values', async () => {
    const url = fresh();
    // As few values as are read by themselves, of windows of one value each.
    const store = await openStore(url, { fewValues: 20 });
    for (let i = 0n; i < 15n; i++) await store.append(rowsOf('s', numbers(i * month, [Number(i)])));
    await store.deleteRows({ ...everything, to: 12n * month });
    assert.deepEqual(await ask(url, 'SELECT count() FROM windows'), [['28']]);
    const query = {
      parameters: [{ kind: Kind.Numeric, name: 'p', aggregation: 'Count' as const }],
      streamIds: ['s'],
    };
    for await (const { columns } of store.aggregate(planQuery('w', query) as AggregatePlan, never)) {
      const [column] = columns;
      assert.deepEqual(column?.kind === Kind.Numeric && [...column.values], [2]);
    }
    await store.close();
  });
});
