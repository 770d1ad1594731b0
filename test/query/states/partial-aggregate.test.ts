import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isPresent, Kind } from '../../../src/domain/parameter-data.ts';
import { aggregations } from '../../../src/domain/query.ts';
import { noTags, tagSet } from '../../../src/domain/tags.ts';
import { type Aggregator, createAggregator } from '../../../src/query/aggregator.ts';
import { queryMemoryPool } from '../../../src/query/bounds/query-memory.ts';
import { type AggregatePlan, isAggregate, planQuery } from '../../../src/query/plan/plan.ts';
import type { ByteValues } from '../../../src/query/runs/rows-to-aggregate.ts';
import { buffersOf } from '../../../src/query/states/partial-aggregate.ts';
import { endless, numbers, rowsAt } from '../runs-of.ts';

const never = () => undefined;

interface Block {
  readonly stream: number;
  readonly lap: string | undefined;
  readonly rows: readonly { readonly value: number | null; readonly text: string | null }[];
  readonly start: number;
}

const block: fc.Arbitrary<Block> = fc.record({
  stream: fc.nat(5),
  lap: fc.constantFrom(undefined, '1', '2'),
  rows: fc.array(
    fc.record({
      // Whole numbers, so that no order of additions is wrong by a bit.
      value: fc.oneof(fc.integer({ min: -1000, max: 1000 }), fc.constantFrom(null, Number.NaN)),
      text: fc.option(fc.constantFrom('', 'a', 'é', 'long '.repeat(9)), { nil: null }),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  start: fc.nat(60),
});

function planOf(groupBy: readonly string[], width: bigint | undefined, from: bigint | undefined) {
  const all = aggregations.filter((one) => one !== 'None');
  const plan = planQuery('w', {
    parameters: [
      ...all.map((aggregation) => ({ kind: Kind.Numeric, name: 'a', aggregation }) as const),
      ...(['First', 'Last'] as const).map(
        (aggregation) => ({ kind: Kind.String, name: 's', aggregation }) as const,
      ),
    ],
    groupBy,
    ...(from !== undefined && { from }),
    ...(width !== undefined && { groupByTime: { width, interpolation: 'None' as const } }),
  });
  assert.ok(isAggregate(plan));
  return plan;
}

const range = { first: 0n, last: 100n };
const of = (plan: AggregatePlan) => createAggregator(plan, range, endless);

function addTo(aggregator: Aggregator, blocks: readonly Block[]): void {
  for (const { stream, lap, rows, start } of blocks) {
    aggregator.openStream({ topic: 't', streamId: `s${stream}` });
    aggregator.add({
      ...rowsAt(
        rows.map((_, i) => BigInt(start + i)),
        [numbers(rows.map(({ value }) => value)), texts(rows.map(({ text }) => text))],
      ),
      tagSets: [lap === undefined ? noTags : tagSet([['lap', lap]])],
    });
  }
}

function texts(values: readonly (string | null)[]): ByteValues {
  let length = 0;
  const ends = Uint32Array.from(values, (value) => {
    length += Buffer.byteLength(value ?? '');
    return length;
  });
  const present = new Uint8Array((values.length + 7) >> 3);
  values.forEach((value, row) => {
    if (value !== null) present[row >> 3]! |= 1 << (row & 7);
  });
  return { bytes: Buffer.from(values.join('')), ends, present };
}

async function rowsOf(aggregator: Aggregator): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const { count, base, offsets, columns, tags } of aggregator.finish(never)) {
    for (let row = 0; row < count; row++) {
      const cells = columns.map((column) => {
        if (column === undefined || !isPresent(column.present, row)) return null;
        if (column.kind === Kind.Numeric) return column.values[row];
        return Buffer.from(column.bytes.subarray(row && column.ends[row - 1]!, column.ends[row])).toString();
      });
      rows.push([
        base + BigInt(offsets[row]!),
        ...tags.map(({ texts: found, index }) => found[index?.[row] ?? 0]),
        ...cells,
      ]);
    }
  }
  return rows;
}

/** Of StdDev the last digits may depend on how rows were added. */
function withoutLastDigits(rows: readonly unknown[]): unknown {
  return (rows as unknown[][]).map((row) =>
    row.map((cell) => (typeof cell === 'number' && !Number.isInteger(cell) ? cell.toPrecision(12) : cell)),
  );
}

describe('rows that one aggregator gives to another', () => {
  const groupings = fc.constantFrom<string[]>([], ['streamId'], ['lap'], ['lap', 'streamId']);
  const widths = fc.constantFrom(undefined, 1n, 7n, 1000n);

  it('are what they would be had it added them itself, for all aggregations', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(block, { maxLength: 6 }), { minLength: 1, maxLength: 4 }),
        groupings,
        widths,
        fc.constantFrom(undefined, -5n),
        async (portions, groupBy, width, from) => {
          const plan = planOf(groupBy, width, from);
          const [whole, joined] = [of(plan), of(plan)];
          addTo(whole, portions.flat());
          for (const [i, portion] of portions.entries()) {
            const part = i === 0 ? joined : of(plan);
            addTo(part, portion);
            if (i === 0) continue;
            const given = part.give();
            // As between threads.
            await joined.join(structuredClone(given, { transfer: buffersOf(given) }), never);
          }
          assert.deepEqual(withoutLastDigits(await rowsOf(joined)), withoutLastDigits(await rowsOf(whole)));
        },
      ),
    );
  });

  it('are the same bit for bit where nothing of their groups was there', async () => {
    const values = fc.array(fc.double(), { minLength: 1, maxLength: 40, size: 'max' });
    await fc.assert(
      fc.asyncProperty(values, values, widths, async (some, others, width) => {
        const plan = planOf(['streamId'], width, undefined);
        const [whole, joined, part] = [of(plan), of(plan), of(plan)];
        const portions = [some, others].map((all, stream) => [
          { stream, lap: undefined, start: 3, rows: all.map((value) => ({ value, text: null })) },
        ]);
        for (const portion of portions) addTo(whole, portion);
        addTo(joined, portions[0]!);
        addTo(part, portions[1]!);
        await joined.join(part.give(), never);
        assert.deepEqual(await rowsOf(joined), await rowsOf(whole));
      }),
    );
  });

  it('take memory of the one that they are joined to', async () => {
    const pool = queryMemoryPool(3_000_000, 10_000_000);
    const plan = planOf([], 1n, undefined);
    const memory = pool.open();
    const base = createAggregator(plan, range, memory);
    const blocks = Array.from({ length: 5000 }, (_, i) => ({
      stream: 0,
      lap: undefined,
      start: 8 * i,
      rows: Array.from({ length: 8 }, () => ({ value: 1, text: null })),
    }));
    const part = of(plan);
    addTo(part, blocks);
    await assert.rejects(base.join(part.give(), never), { code: 'query_too_large' });
    memory.release();
    assert.equal(pool.usedBytes, 0);
  });
});
