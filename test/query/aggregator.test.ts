import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isPresent, Kind } from '../../src/domain/parameter-data.ts';
import type { ParameterDataQuery } from '../../src/domain/query.ts';
import { maxTimestamp, minTimestamp } from '../../src/domain/timestamp.ts';
import { PitwallError } from '../../src/errors.ts';
import { createAggregator } from '../../src/query/aggregator.ts';
import { type QueryMemory, queryMemoryPool } from '../../src/query/bounds/query-memory.ts';
import { isAggregate, planQuery } from '../../src/query/plan/plan.ts';
import { bucketOf } from '../../src/query/plan/time-buckets.ts';
import { endless, numbers, rowsAt } from './runs-of.ts';

type Row = [time: bigint, ...values: (number | null)[]];

/** Aggregates numbers at times, each of them in a block of its own or all in one. */
async function aggregate(
  query: Omit<ParameterDataQuery, 'parameters'> & Partial<ParameterDataQuery>,
  times: readonly bigint[],
  blocks: 'one' | 'many' = 'many',
  memory: QueryMemory = endless,
): Promise<Row[]> {
  const parameters = [{ kind: Kind.Numeric, name: 'a', aggregation: 'Count' as const }];
  const plan = planQuery('w', { parameters, ...query });
  assert.ok(isAggregate(plan));
  const sorted = [...times].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const aggregator = createAggregator(plan, { first: sorted[0]!, last: sorted.at(-1)! }, memory);
  aggregator.openStream({ topic: 't', streamId: 's' });
  const groups = blocks === 'one' ? [sorted] : sorted.map((time) => [time]);
  for (const group of groups) aggregator.add(rowsAt(group, [numbers(group.map(() => 1))]));
  const rows: Row[] = [];
  for await (const { count, base, offsets, columns } of aggregator.finish(() => undefined)) {
    assert.ok(count <= 8192);
    for (let row = 0; row < count; row++) {
      const values = columns.map((column) =>
        column?.kind === Kind.Numeric && isPresent(column.present, row) ? column.values[row]! : null,
      );
      rows.push([base + BigInt(offsets[row]!), ...values]);
    }
  }
  return rows;
}

const none = (width: bigint) => ({ groupByTime: { width, interpolation: 'None' as const } });

describe('buckets', () => {
  it('hold the times that they should, whatever their width, before 1970 too', async () => {
    const time = fc.oneof(
      fc.bigInt({ min: -(2n ** 51n), max: 2n ** 51n }),
      fc.bigInt({ min: -1000n, max: 1000n }),
    );
    const width = fc.oneof(
      fc.bigInt({ min: 1n, max: 100n }),
      fc.bigInt({ min: 1n, max: 2n ** 50n }),
      fc.bigInt({ min: 2n ** 50n, max: maxTimestamp }),
    );
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(time, { minLength: 1, maxLength: 20 }), width, async (times, width) => {
        const expected = new Map<bigint, number>();
        for (const time of times) {
          const start = bucketOf(time, width) * width;
          assert.ok(start <= time && time - start < width);
          expected.set(start < minTimestamp ? minTimestamp : start, (expected.get(start) ?? 0) + 1);
        }
        const wanted = [...expected].sort(([a], [b]) => (a < b ? -1 : 1));
        assert.deepEqual(await aggregate(none(width), times), wanted);
        // Rows of one block lie less than 2^52 ns apart.
        const span =
          times.reduce((most, time) => (time > most ? time : most)) -
          times.reduce((least, time) => (time < least ? time : least));
        if (span < 2n ** 52n) assert.deepEqual(await aggregate(none(width), times, 'one'), wanted);
      }),
    );
  });

  it('reach to both ends of time', async () => {
    assert.deepEqual(await aggregate(none(2n ** 62n + 1n), [minTimestamp, maxTimestamp]), [
      [minTimestamp, 1],
      [2n ** 62n + 1n, 1],
    ]);
    await assert.rejects(aggregate(none(1n), [minTimestamp, maxTimestamp]), { code: 'too_many_buckets' });
  });

  it('come in blocks whose offsets are exact', async () => {
    const times = [0n, 2n ** 53n - 1n, 2n ** 54n + 1n, maxTimestamp];
    assert.deepEqual(
      (await aggregate(none(2048n), times)).map(([time]) => time),
      times.map((time) => bucketOf(time, 2048n) * 2048n),
    );
    // The first bucket of all is cut, so what is 2^53 ns and a little after its number is less after its row.
    const early = [minTimestamp, minTimestamp + 2n ** 53n - 2n];
    assert.deepEqual(
      (await aggregate(none(7n), early)).map(([time]) => time),
      [minTimestamp, bucketOf(early[1]!, 7n) * 7n],
    );
  });

  it('are filled by group and stay in order over many blocks', async () => {
    const query = { groupByTime: { width: 1n, interpolation: 'Previous' as const }, from: -5n, to: 29_994n };
    const rows = await aggregate(query, [0n, 20_000n], 'one');
    assert.equal(rows.length, 30_000);
    rows.forEach(([time, value], i) => {
      assert.deepEqual([time, value], [BigInt(i) - 5n, i < 5 ? null : 1]);
    });
    const last = await aggregate({ ...query, order: 'Desc', limit: 2 }, [0n, 20_000n], 'one');
    assert.deepEqual(last, [
      [29_994n, 1],
      [29_993n, 1],
    ]);
  });
});

describe('the memory of a query', () => {
  it('has an end, for one and for all together', async () => {
    const pool = queryMemoryPool(20_000, 30_000);
    const times = Array.from({ length: 2000 }, (_, i) => BigInt(i));
    const isCode = (code: string) => (error: unknown) => error instanceof PitwallError && error.code === code;
    const [one, other] = [pool.open(), pool.open()];
    await assert.rejects(aggregate(none(1n), times, 'one', one), isCode('query_too_large'));
    await assert.rejects(aggregate(none(1n), times, 'one', other), isCode('overloaded'));
    one.release();
    other.release();
    assert.equal(pool.usedBytes, 0);
    assert.equal((await aggregate(none(100n), times, 'one', pool.open())).length, 20);
  });
});
