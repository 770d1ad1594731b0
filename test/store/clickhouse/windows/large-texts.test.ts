import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Column, Kind, type Rows } from '../../../../src/domain/parameter-data.ts';
import { noTags } from '../../../../src/domain/tags.ts';
import { planQuery, type ReadPlan } from '../../../../src/query/plan/plan.ts';
import type { Store } from '../../../../src/store/store.ts';
import { engineMissing, notAsked } from '../../../clickhouse/engine.ts';
import { engineDatabases } from '../engine-databases.ts';
import { ask, rowsOf, withClickHouse } from '../open-store.ts';

const never = new AbortController().signal;

/** Binaries of so many bytes, ten seconds apart. */
function binaries(from: number, count: number, bytes: number): Rows {
  const all = Buffer.alloc(count * bytes);
  for (let i = 0; i < count; i++) all.fill(i % 251, i * bytes, (i + 1) * bytes);
  const column: Column = {
    kind: Kind.Binary,
    name: 'b',
    bytes: all,
    ends: Uint32Array.from({ length: count }, (_, i) => (i + 1) * bytes),
    present: undefined,
  };
  return {
    count,
    base: BigInt(from) * 10_000_000_000n,
    offsets: Float64Array.from({ length: count }, (_, i) => i * 1e10),
    tagSets: [noTags],
    tagIndex: undefined,
    columns: [column],
  };
}

async function read(store: Store, from?: bigint, to?: bigint, streamId = 's') {
  const query = {
    parameters: [{ kind: Kind.Binary, name: 'b', aggregation: 'None' as const }],
    streamIds: [streamId],
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
  const found = { rows: 0, bytes: 0 };
  for await (const { count, columns } of store.run(planQuery('w', query) as ReadPlan, never)) {
    found.rows += count;
    const [column] = columns;
    if (column?.kind === Kind.Binary) found.bytes += column.ends[count - 1]!;
  }
  return found;
}

describe('large binaries in windows', { skip: engineMissing || notAsked }, () => {
  const { withStore } = engineDatabases('large');
  const mostBytes = (url: string) => ask(url, 'SELECT max(bytes) < 20000000 FROM windows');
  const merge = (url: string) =>
    withClickHouse(url, (clickhouse) =>
      clickhouse.command({ text: 'OPTIMIZE TABLE windows FINAL', params: {} }),
    );

  it('are in short ones, and read as they were written', () =>
    withStore(async (store, url) => {
      for (let from = 0; from < 120; from += 20)
        await store.append(rowsOf('s', binaries(from, 20, 1_000_000)));
      await merge(url);
      assert.deepEqual(await mostBytes(url), [[1]]);
      assert.deepEqual(await read(store, 0n, 10n), { rows: 1, bytes: 1_000_000 });
      assert.deepEqual(await read(store), { rows: 120, bytes: 120_000_000 });
    }));

  it('are read where a window has more than memory should hold', () =>
    withStore(async (store, url) => {
      // Small ones first: the windows are as long as they want them.
      await store.append(rowsOf('s', binaries(0, 100, 10)));
      const level = 'SELECT DISTINCT level FROM windows';
      const before = await ask(url, level);
      const large = "(SELECT groupArray(repeat('x', 200000)) FROM numbers(200))";
      await withClickHouse(url, (clickhouse) =>
        clickhouse.command({
          text: `INSERT INTO windows SELECT * REPLACE ('t' AS stream, 200 AS count, ${large} AS texts,
            arrayMap(i -> i * 10000000000, range(200)) AS times, 1990000000000 AS last,
            [('[]', 0, 1990000000000, version, 200)] AS pieces) FROM windows`,
          params: {},
        }),
      );
      await store.append(rowsOf('t', binaries(300, 1, 10)));
      assert.deepEqual(await ask(url, level), before);
      assert.deepEqual(await read(store, 0n, 10n, 't'), { rows: 1, bytes: 200_000 });
      assert.deepEqual(await read(store, undefined, undefined, 't'), { rows: 201, bytes: 40_000_010 });
    }));
});
