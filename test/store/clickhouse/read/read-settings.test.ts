import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { tagSet } from '../../../../src/domain/tags.ts';
import { defaultReadLimits, readSettings } from '../../../../src/store/clickhouse/read/read-settings.ts';
import { type ClickHouse, connectClickHouse } from '../../../../src/store/clickhouse/server/client.ts';
import type { Store } from '../../../../src/store/store.ts';
import { type Engine, engineMissing, startEngine } from '../../../clickhouse/engine.ts';
import { numbers, openStore, rowsOf } from '../open-store.ts';

const settings = readSettings(defaultReadLimits);

/** Values were deleted, and written twice in parts that are not merged: what FINAL has to put right. */
describe('settings of reads, on parts that are not merged', { skip: engineMissing }, () => {
  let engine: Engine;
  let store: Store;
  let clickhouse: ClickHouse;
  before(async () => {
    engine = await startEngine();
    store = await openStore(engine.url);
    clickhouse = connectClickHouse({ url: engine.url });
    const tagged = (value: number, lap: string) => ({
      ...numbers(100n, [value]),
      tagSets: [tagSet([['lap', lap]])],
    });
    await store.append(rowsOf('s', numbers(0n, [10, 20, 30]), tagged(40, '1'), tagged(50, '2')));
    await store.append(rowsOf('deleted', numbers(0n, [99])));
    const everything = { workspace: 'w', topic: undefined, from: -100n, to: 100n, tagFilters: [] };
    await store.deleteRows({ ...everything, streamIds: ['deleted'] });
    await store.deleteRows({ ...everything, streamIds: ['s'], from: 2n, to: 2n });
    await clickhouse.command({ text: 'SYSTEM STOP MERGES samples', params: {} });
    await store.append(rowsOf('s', numbers(0n, [1]), tagged(4, '1')));
    await store.append(rowsOf('s', numbers(1n, [2])));
  });
  after(async () => {
    await clickhouse?.close();
    await store?.close();
    await engine.stop();
  });

  const found = async (condition: string) => {
    const text = `SELECT number FROM samples FINAL WHERE ${condition} ORDER BY number`;
    return (await clickhouse.rows<[number]>({ text, params: {} }, { settings })).flat();
  };

  it('find no value that was replaced or deleted, whatever the condition', async () => {
    const parts = await clickhouse.rows({
      text: "SELECT count() > 2 FROM system.parts WHERE active AND table = 'samples'",
      params: {},
    });
    assert.deepEqual(parts, [[1]]);
    assert.deepEqual(await found('1'), [1, 2, 4, 50]);
    assert.deepEqual(await found('number >= 10'), [50]);
    assert.deepEqual(await found("number >= 10 AND parameter = 'p' AND timestamp < 50"), []);
    const [[first] = ['0']] = await clickhouse.rows<[string]>({
      text: 'SELECT min(version) FROM samples',
      params: {},
    });
    assert.deepEqual(await found(`version <= ${first} AND timestamp < 50`), []);
    assert.deepEqual(await found(`version + 0 = ${first}`), []);
    assert.deepEqual(await found("tags LIKE '%lap%'"), [4, 50]);
    assert.deepEqual(await found(`tags LIKE '%"1"%' AND number < 100`), [4]);
    assert.deepEqual(await found("retention = 0 AND text = '' AND stream = 's'"), [1, 2, 4, 50]);
  });

  it('have the sort key, and nothing else, looked at before rows are put together', async () => {
    const plan = async (condition: string) => {
      const text = `EXPLAIN actions = 1 SELECT number FROM samples FINAL WHERE ${condition}`;
      const lines = (await clickhouse.rows<[string]>({ text, params: {} }, { settings })).flat();
      return lines.filter((line) => /Prewhere filter column:/.test(line)).join();
    };
    const key = await plan(
      "parameter = 'p' AND timestamp < 50 AND tags != '[]' AND number > 5 AND version > 7",
    );
    for (const column of ['parameter', 'timestamp', 'tags']) assert.match(key, new RegExp(column));
    assert.doesNotMatch(key, /number|version/);
    assert.equal(await plan('number > 5 AND version > 7'), '');
  });
});
