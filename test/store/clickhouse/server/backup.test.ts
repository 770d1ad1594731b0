import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { planQuery, type ReadPlan } from '../../../../src/query/plan/plan.ts';
import { engineMissing, notAsked } from '../../../clickhouse/engine.ts';
import { readRows } from '../../embedded/read-rows.ts';
import { engineDatabases } from '../engine-databases.ts';
import { ask, numbers, openStore, rowsOf } from '../open-store.ts';

describe("ClickHouse's own backup", { skip: engineMissing || notAsked }, () => {
  const databases = engineDatabases('backup');

  it('brings all back that a store had, also under another name', async () => {
    const url = databases.fresh();
    const name = new URL(url).pathname.slice(1);
    const store = await openStore(url);
    await store.append(rowsOf('s', numbers(0n, [1, 2, 3])));
    await store.append(rowsOf('s', numbers(1n, [20])));
    await store.close();
    await ask(url, `BACKUP DATABASE ${name} TO File('pitwall')`);
    await ask(url, `RESTORE DATABASE ${name} AS ${name}_again FROM File('pitwall')`);
    const again = await openStore(`${url}_again`);
    const [stream] = await again.catalog.streams('w', {}, Date.now());
    assert.equal(stream?.streamId, 's');
    const parameters = [{ kind: Kind.Numeric, name: 'p', aggregation: 'None' as const }];
    const rows = await readRows(again, planQuery('w', { parameters }) as ReadPlan);
    assert.deepEqual(
      rows.map(({ timestamp, cells }) => [timestamp, cells]),
      [
        [0n, [1]],
        [1n, [20]],
        [2n, [3]],
      ],
    );
    await again.append(rowsOf('s', numbers(5n, [5])));
    await again.close();
  });
});
