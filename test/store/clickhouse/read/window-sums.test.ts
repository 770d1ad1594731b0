import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind, type Rows } from '../../../../src/domain/parameter-data.ts';
import type { ParameterDataQuery } from '../../../../src/domain/query.ts';
import { tagSet } from '../../../../src/domain/tags.ts';
import { type AggregatePlan, planQuery } from '../../../../src/query/plan/plan.ts';
import type { Store } from '../../../../src/store/store.ts';
import { engineMissing, notAsked } from '../../../clickhouse/engine.ts';
import { createRandom, type Random } from '../../../fuzz/random.ts';
import { engineDatabases, everything } from '../engine-databases.ts';
import { ask, numbers, openStore, rowsOf, withClickHouse } from '../open-store.ts';

const second = 1_000_000_000n;
/** Windows of values a second apart have so many. */
const perWindow = 600;
const never = new AbortController().signal;

/** Columns against the values that they are of: where they say something they say it right. */
const wrongSums = `WITH arrayFilter(n -> NOT isNaN(n), numbers) AS real
SELECT parameter, window, count, summed, reals, sums, least, greatest, oldest, newest FROM windows
WHERE (summed NOT IN (0, count)) OR (summed > 0 AND (reals != length(real)
    OR abs(arraySum(sums) - arrayReduce('sumKahan', real)) > 1e-9
    OR (reals > 0 AND (least != arrayMin(real) OR greatest != arrayMax(real)))))
  OR (kind = 'numeric' AND count > 0 AND (oldest.time != arrayMin(times) OR newest.time != arrayMax(times)
    OR NOT arrayExists((t, n) -> t = newest.time AND (n = newest.number OR isNaN(n)), times, numbers)
    OR NOT arrayExists((t, n) -> t = oldest.time AND (n = oldest.number OR isNaN(n)), times, numbers)))`;

function dense(base: bigint, count: number, random: Random, tags: readonly [string, string][] = []): Rows {
  const values = Array.from({ length: count }, () =>
    random.once(50) ? Number.NaN : random.below(1000) / 10 - 50,
  );
  const rows = numbers(base, values);
  return { ...rows, offsets: rows.offsets.map((row) => row * 1e9), tagSets: [tagSet(tags)] };
}

describe('sums and edges of windows', { skip: engineMissing || notAsked }, () => {
  const { fresh } = engineDatabases('sums');
  const run = (url: string, text: string) =>
    withClickHouse(url, (clickhouse) => clickhouse.command({ text, params: {} }));

  /** Stores on one database: one reads as many values are read, the other tells all apart. */
  async function withStores(use: (many: Store, few: Store, url: string) => Promise<void>): Promise<void> {
    const url = fresh();
    const many = await openStore(url, { fewValues: 0 });
    const few = await openStore(url, { fewValues: 1e9 });
    try {
      await use(many, few, url);
    } finally {
      await many.close();
      await few.close();
    }
  }

  async function answerOf(store: Store, query: ParameterDataQuery): Promise<unknown[]> {
    const rows: unknown[] = [];
    for await (const block of store.aggregate(planQuery('w', query) as AggregatePlan, never)) {
      rows.push(JSON.parse(JSON.stringify(block, (_key, value) => plain(value))));
    }
    return rows;
  }

  async function compare(many: Store, few: Store, random: Random): Promise<void> {
    const asked = (['Sum', 'Count', 'Min', 'Max', 'Mean', 'First', 'Last'] as const).filter(() =>
      random.once(2),
    );
    const from = second * BigInt(random.below(4000) - 500);
    const query: ParameterDataQuery = {
      parameters: (asked.length > 0 ? asked : (['Mean'] as const)).map((aggregation) => ({
        kind: Kind.Numeric,
        name: 'p',
        aggregation,
      })),
      streamIds: ['s', 'r'],
      ...(random.once(2) && { from, to: from + second * BigInt(random.below(5000)) }),
      groupBy: random.once(2) ? ['streamId'] : [],
      ...(random.once(2) && {
        groupByTime: { width: second * BigInt(random.below(2) ? 600 : 420), interpolation: 'None' },
      }),
    } as ParameterDataQuery;
    assert.deepEqual(
      await answerOf(many, query),
      await answerOf(few, query),
      JSON.stringify(query, (_key, value) => plain(value)),
    );
  }

  it('answer as values told apart do, whatever is cut, replaced and deleted', () =>
    withStores(async (many, few, url) => {
      const random = createRandom(31);
      for (let round = 0; round < 4; round++) {
        // First what is clean, then tags beside each other, what replaces, and what is deleted.
        const base = second * BigInt(round * 3 * perWindow);
        for (const stream of ['s', 'r']) await many.append(rowsOf(stream, dense(base, 1700, random)));
        if (round === 1) await many.append(rowsOf('s', dense(base, 400, random, [['lap', '1']])));
        if (round === 2) await many.append(rowsOf('r', dense(base + 300n * second, 40, random)));
        if (round === 3) {
          await many.deleteRows({ ...everything, streamIds: ['s'], from: 5n * second, to: 900n * second });
        }
        for (let i = 0; i < 4; i++) await compare(many, few, random);
        assert.deepEqual(await ask(url, wrongSums), []);
      }
      await run(url, 'OPTIMIZE TABLE windows FINAL');
      assert.deepEqual(await ask(url, wrongSums), []);
      for (let i = 0; i < 4; i++) await compare(many, few, random);
    }));

  it('are not kept of numbers whose sum might leave the doubles', () =>
    withStores(async (many, few, url) => {
      await many.append(rowsOf('s', numbers(0n, [1e300, 1, -1e300])));
      await many.append(rowsOf('r', numbers(0n, [1, Number.POSITIVE_INFINITY])));
      assert.deepEqual(await ask(url, 'SELECT DISTINCT summed, sums FROM windows'), [['0', []]]);
      const random = createRandom(7);
      for (let i = 0; i < 3; i++) await compare(many, few, random);
    }));

  it('keep what rounding loses', () =>
    withStores(async (many, _few, url) => {
      for (const value of [1e16, 1, -1e16])
        await many.append(rowsOf('s', numbers(BigInt(Math.abs(value)), [value, 0.25])));
      assert.deepEqual(await ask(url, 'SELECT arraySort(groupArrayArray(sums)) FROM windows'), [
        [[-1e16, 0.25, 0.25, 1.25, 1e16]],
      ]);
    }));
});

/** Sums in different orders may differ in their last digits. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number')
    return Number.isFinite(value) ? Number(value.toPrecision(11)) : String(value);
  return ArrayBuffer.isView(value) ? Array.from(value as Float64Array, plain) : value;
}
