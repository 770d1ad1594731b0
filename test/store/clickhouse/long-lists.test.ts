import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Kind } from '../../../src/domain/parameter-data.ts';
import { namedStreams, scopeConditions } from '../../../src/store/clickhouse/catalog/stream-scope.ts';
import { every, print, type Sql, sql } from '../../../src/store/clickhouse/server/sql.ts';
import type { Store } from '../../../src/store/store.ts';
import { type Engine, engineMissing, startEngine } from '../../clickhouse/engine.ts';
import { numbers, openStore, rowsOf, withClickHouse } from './open-store.ts';

/** More than 1 MiB of names: from there on ClickHouse makes no set of an expression behind IN. */
const many = 60_000;
const idOf = (i: number) => `a stream's id, ${i}`;
const ids = Array.from({ length: many }, (_, i) => idOf(i));

describe('a request that names very many streams', { skip: engineMissing }, () => {
  let engine: Engine;
  let store: Store;
  const written = [0, 30_000, many - 1, many];
  before(async () => {
    engine = await startEngine();
    store = await openStore(engine.url);
    for (const i of written) await store.append(rowsOf(idOf(i), numbers(0n, [i, i + 0.5])));
  });
  after(async () => {
    await store?.close();
    await engine?.stop();
  });
  const signal = new AbortController().signal;
  const selection = { workspace: 'w', topic: undefined, streamIds: ids, from: 0n, to: 10n, tagFilters: [] };

  const ask = (statement: Sql) =>
    withClickHouse(engine.url, (clickhouse) => clickhouse.rows<[string]>(print(statement)));

  async function read(): Promise<number[]> {
    const plan = { ...selection, streamIds: [...ids, idOf(many)] };
    const parameters = [{ kind: Kind.Numeric, name: 'p' }];
    const values: number[] = [];
    const rows = store.run({ ...plan, parameters, order: 'Asc', limit: undefined, after: undefined }, signal);
    for await (const { columns } of rows) {
      const [column] = columns;
      if (column !== undefined && !('ends' in column)) values.push(...column.values);
    }
    return values.sort((a, b) => a - b);
  }

  it('is answered with sets, not by looking through the list for every row', async () => {
    const keys = ids.map((stream) => ({ topic: 'topic', stream }));
    for (const condition of [every(scopeConditions('w', { streamIds: ids })), namedStreams(keys)]) {
      const counted = sql`SELECT count() FROM streams WHERE ${condition}`;
      assert.deepEqual(await ask(counted), [['3']]);
      const plan = await ask(sql`EXPLAIN indexes = 1 ${counted}`);
      assert.match(plan.join('\n'), new RegExp(`in ${many}-element set`));
    }
    assert.deepEqual(await ask(sql`SELECT count() FROM streams WHERE NOT ${namedStreams(keys)}`), [['1']]);
  });

  it('reads and deletes rows of all of them', async () => {
    assert.deepEqual(
      await read(),
      written.flatMap((i) => [i, i + 0.5]),
    );
    assert.equal(await store.deleteRows({ ...selection, to: 0n }), 3);
    assert.deepEqual(await read(), [0.5, 30_000.5, many - 0.5, many, many + 0.5]);
  });

  it('changes and lists all of them', async () => {
    const change = (action: 'softDelete' | 'restore' | 'hardDelete') =>
      store.changeStreams({ workspace: 'w', action, filter: { streamIds: ids }, now: Date.now() });
    assert.equal((await change('softDelete')).count, 3);
    assert.deepEqual(await read(), [many, many + 0.5]);
    assert.equal((await change('restore')).count, 3);
    assert.equal((await change('hardDelete')).count, 3);
    assert.deepEqual(await read(), [many, many + 0.5]);
    assert.deepEqual(await store.catalog.streams('w', { streamIds: ids }, Date.now()), []);
  });
});
