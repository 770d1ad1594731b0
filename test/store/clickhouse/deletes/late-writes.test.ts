import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { type AggregatePlan, planQuery, type ReadPlan } from '../../../../src/query/plan/plan.ts';
import type { Store } from '../../../../src/store/store.ts';
import { engineMissing, notAsked } from '../../../clickhouse/engine.ts';
import { startFaultyProxy } from '../../../clickhouse/faulty-proxy.ts';
import { readRows } from '../../embedded/read-rows.ts';
import { engineDatabases, everything } from '../engine-databases.ts';
import { numbers, openStore, rowsOf } from '../open-store.ts';
import { keepNow } from '../windows/keep-now.ts';

const number = { kind: Kind.Numeric, name: 'p' } as const;

/** The values that a raw read finds, and how many an aggregate. */
async function read(store: Store, wanted: { readonly streamIds?: string[] }) {
  const raw = { parameters: [{ ...number, aggregation: 'None' as const }], ...wanted };
  const rows = await readRows(store, planQuery('w', raw) as ReadPlan);
  const counted = { parameters: [{ ...number, aggregation: 'Count' as const }], ...wanted };
  let count = 0;
  const signal = new AbortController().signal;
  for await (const { columns } of store.aggregate(planQuery('w', counted) as AggregatePlan, signal)) {
    const [column] = columns;
    if (column?.kind === Kind.Numeric) count = column.values[0] ?? 0;
  }
  return { values: rows.map(({ cells }) => cells[0]), count };
}

describe('a write that is under way beside a delete', { skip: engineMissing || notAsked }, () => {
  const { fresh } = engineDatabases('late');

  it('shows in all kinds of reads, if the delete found nothing where it belongs', async () => {
    const url = fresh();
    const store = await openStore(url);
    const many = await openStore(url, { fewValues: 0 });
    const proxy = await startFaultyProxy({ port: Number(new URL(url.replace(/^\w+/, 'http')).port) });
    const late = await openStore(proxy.urlOf(url), {
      insertAttemptMs: 200,
    });
    await store.append(
      rowsOf(
        's',
        numbers(
          0n,
          Array.from({ length: 100 }, (_, i) => i),
        ),
      ),
    );
    // A node that knows one value of the series takes a longer window.
    proxy.set(({ query }) => ({ kind: query.startsWith('INSERT') ? 'hang' : 'pass' }));
    const writing = late.append(rowsOf('s', numbers(50n, [1000])));
    assert.equal(await store.deleteRows(everything), 100);
    proxy.set({ kind: 'pass' });
    await writing;
    for (const job of [undefined, 'merge', 'tidy'] as const) {
      if (job !== undefined) await keepNow(url, job);
      for (const reader of [store, many])
        for (const wanted of [{}, { streamIds: ['s'] }])
          assert.deepEqual(await read(reader, wanted), { values: [1000], count: 1 }, job);
    }
    for (const each of [store, many, late]) await each.close();
    await proxy.stop();
  });
});
