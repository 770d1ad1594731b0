import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dropEmptyParts } from '../../../../src/store/clickhouse/deletes/empty-parts.ts';
import { rowTaker } from '../../../../src/store/clickhouse/deletes/take-rows.ts';
import { sql } from '../../../../src/store/clickhouse/server/sql.ts';
import { engineMissing, notAsked } from '../../../clickhouse/engine.ts';
import { engineDatabases } from '../engine-databases.ts';
import { ask, numbers, openStore, rowsOf, withClickHouse } from '../open-store.ts';

describe('parts of which deletes have taken all rows', { skip: engineMissing || notAsked }, () => {
  const { fresh } = engineDatabases('empty_parts');

  it('are dropped, so that the others are joined', async () => {
    const url = fresh();
    const store = await openStore(url);
    await withClickHouse(url, async (clickhouse) => {
      const run = (text: string) => clickhouse.command({ text, params: {} });
      await run(`SYSTEM STOP MERGES windows`);
      for (const stream of ['a', 'gone', 'b']) await store.append(rowsOf(stream, numbers(0n, [1, 2])));
      await store.append(rowsOf('c', numbers(0n, [3], 'gone'), numbers(0n, [4])));
      await run(`SYSTEM START MERGES windows`);
      await rowTaker({ clickhouse, topology: {} })('windows', sql`stream = 'gone' OR parameter = 'gone'`);
      const merge = () => run(`OPTIMIZE TABLE windows FINAL SETTINGS optimize_throw_if_noop = 1`);
      await dropEmptyParts(clickhouse, {}, new AbortController().signal);
      await merge();
      await dropEmptyParts(clickhouse, {}, new AbortController().signal);
      assert.deepEqual(await ask(url, `SELECT DISTINCT stream, parameter FROM windows ORDER BY stream`), [
        ['a', 'p'],
        ['b', 'p'],
        ['c', 'p'],
      ]);
    });
    await store.close();
  });
});
