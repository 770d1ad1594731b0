import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { type Column, Kind } from '../../../../src/domain/parameter-data.ts';
import type { Aggregation, ParameterDataQuery } from '../../../../src/domain/query.ts';
import { noTags, tagSet } from '../../../../src/domain/tags.ts';
import { isAggregate, planQuery } from '../../../../src/query/plan/plan.ts';
import type { EmbeddedStore } from '../../../../src/store/embedded/store.ts';
import { until } from '../../../until.ts';
import { storeFolder } from '../store-folder.ts';

const folder = storeFolder('left-totals');
/** Three row groups: 0 to 8191, to 16383, and the rest. The time of a row is its number. */
const count = 20_000;
const aggregations = ['Count', 'Sum', 'Min', 'Max', 'First', 'Last'] as const;
const valueAt = (row: number) => ((row * 7919) % 10_007) / 1000;
let store: EmbeddedStore;
let deleted: Set<number>;

beforeEach(() => {
  deleted = new Set();
});

/** Opens a store with all rows in one part; row i has lap `lapOf(i)`, or no tags. */
async function fill(lapOf: (row: number) => string | undefined = () => undefined): Promise<void> {
  const laps = [...new Set(Array.from({ length: count }, (_, i) => lapOf(i)))];
  const written = await folder.open({ headBytes: 64 << 20, slabBytes: 16 << 20 });
  const columnOf = (name: string, of: (row: number) => number): Column => ({
    kind: Kind.Numeric,
    name,
    values: Float64Array.from({ length: count }, (_, i) => of(i)),
    present: undefined,
  });
  const rows = {
    count,
    base: 0n,
    offsets: Float64Array.from({ length: count }, (_, i) => i),
    tagSets: laps.map((lap) => (lap === undefined ? noTags : tagSet([['lap', lap]]))),
    tagIndex:
      laps.length === 1 ? undefined : Uint32Array.from({ length: count }, (_, i) => laps.indexOf(lapOf(i))),
    columns: [
      columnOf('a', valueAt),
      columnOf('b', (row) => (row === 100 ? Number.NaN : row / 7)),
      columnOf('large', (row) => [1.5e308, Number.NEGATIVE_INFINITY, 1e308][Math.floor(row / 8192)]!),
    ],
  };
  await written.append({
    workspace: 'w',
    changes: [{ type: 'rows', topic: 't', streamId: 's', rows: [rows] }],
  });
  store = await folder.reopenInParts(written, 1);
  await until(() => store.health().headBytes === 0);
}

async function remove(from: number, to: number, name?: string): Promise<void> {
  const selection = { workspace: 'w', streamIds: ['s'], topic: undefined, tagFilters: [] };
  const parameters = name === undefined ? undefined : [{ kind: Kind.Numeric, name }];
  await store.deleteRows({ ...selection, from: BigInt(from), to: BigInt(to) }, parameters);
  if (name !== 'b') for (let row = from; row <= to; row++) deleted.add(row);
}

/** The answer row by row, and how many rows were gone through. */
async function ask(
  query: Partial<ParameterDataQuery> = {},
  wanted: readonly Aggregation[] = aggregations,
  name = 'a',
): Promise<{ readonly answer: number[][]; readonly rows: number }> {
  const parameters = wanted.map((aggregation) => ({ kind: Kind.Numeric, name, aggregation }));
  const plan = planQuery('w', { ...query, parameters });
  assert.ok(isAggregate(plan));
  const answer: number[][] = [];
  let rows = 0;
  const never = new AbortController().signal;
  const countRows = (more: number) => {
    rows += more;
  };
  for await (const block of store.aggregate(plan, never, countRows)) {
    for (let row = 0; row < block.count; row++)
      answer.push(block.columns.map((column) => (column as { values: Float64Array }).values[row]!));
  }
  return { answer, rows };
}

/** The same as the plainest loop has it. */
function expected(isWanted: (row: number) => boolean = () => true): number[] {
  const left = Array.from({ length: count }, (_, i) => i).filter((i) => !deleted.has(i) && isWanted(i));
  const values = left.map(valueAt);
  const thousandths = values.reduce((sum, value) => sum + Math.round(value * 1000), 0);
  const [min, max] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  return [values.length, thousandths / 1000, min, max, values[0]!, values.at(-1)!];
}

/** The double nearest to the mean: of whole thousandths, divided once. */
function expectedMean(): number {
  const left = Array.from({ length: count }, (_, i) => i).filter((i) => !deleted.has(i));
  const thousandths = left.reduce((sum, row) => sum + Math.round(valueAt(row) * 1000), 0);
  return thousandths / (1000 * left.length);
}

describe('totals of row groups that deletes reach', () => {
  it('are found once, and again after the next delete', async () => {
    await fill();
    // The third row group is read like any other where no delete reaches it, but all its neighbours.
    for (const [from, to, alone] of [
      [0, 9, 0],
      [5000, 5600, 0],
      [8000, 8300, count - 2 * 8192],
      [16_000, 16_384, 0],
    ] as const) {
      await remove(from, to);
      const first = await ask();
      assert.deepEqual(first.answer, [expected()]);
      assert.ok(first.rows > 0);
      assert.deepEqual(await ask(), { answer: first.answer, rows: alone });
      assert.deepEqual((await ask({}, ['Mean'])).answer, [[expectedMean()]]);
    }
  });

  it('are found as far as they are asked for', async () => {
    await fill();
    await remove(10, 20);
    const [counted, sum, min] = expected();
    assert.deepEqual(await ask({}, ['Count']), { answer: [[counted]], rows: 8192 });
    assert.deepEqual(await ask({}, ['Sum']), { answer: [[sum]], rows: 8192 });
    assert.deepEqual(await ask({}, ['Min']), { answer: [[min]], rows: 8192 });
    assert.deepEqual(await ask(), { answer: [expected()], rows: 0 });
  });

  it('are not used where a bucket, a time or a value that is not a number asks for more', async () => {
    await fill();
    await remove(10, 20);
    await remove(9000, 9100);
    await ask();
    const from = await ask({ from: 15n });
    assert.deepEqual(from.answer, [expected((row) => row >= 15)]);
    assert.equal(from.rows, count - 8192);
    assert.deepEqual((await ask({ to: 9050n })).answer, [expected((row) => row <= 9050)]);
    const buckets = await ask({ groupByTime: { width: 5000n, interpolation: 'None' } });
    const numbers = [0, 1, 2, 3];
    assert.deepEqual(
      buckets.answer,
      numbers.map((bucket) => expected((row) => Math.floor(row / 5000) === bucket)),
    );
    for (let time = 0; time < 2; time++) {
      const { answer } = await ask({}, ['Count', 'Sum', 'Max'], 'b');
      assert.equal(answer[0]![0], count - deleted.size);
      assert.ok(!Number.isNaN(answer[0]![1]!));
      assert.equal(answer[0]![2], (count - 1) / 7);
    }
  });

  it('are right for equal values that are too large to be added, or infinite', async () => {
    await fill();
    await remove(10, 20);
    await remove(9000, 9100);
    // Of the last group one row is left.
    await remove(16_385, count);
    await ask({}, ['Min', 'Max'], 'large');
    for (let time = 0; time < 2; time++) {
      assert.deepEqual((await ask({ to: 8191n }, ['Mean'], 'large')).answer, [[1.5e308]]);
      const infinite = { from: 8192n, to: 16_383n };
      assert.deepEqual((await ask(infinite, ['Sum'], 'large')).answer, [[Number.NEGATIVE_INFINITY]]);
      assert.deepEqual((await ask({ from: 16_384n }, ['Sum'], 'large')).answer, [[1e308]]);
    }
  });

  it('are those of each parameter', async () => {
    await fill();
    await remove(10, 20, 'a');
    await remove(15, 40, 'b');
    for (let time = 0; time < 2; time++) {
      assert.deepEqual((await ask()).answer, [expected()]);
      assert.deepEqual((await ask({}, ['Count'], 'b')).answer, [[count - 26]]);
    }
  });

  it('leave out a group of which nothing is left', async () => {
    await fill();
    await remove(0, 4000);
    await remove(4001, 8191);
    for (let time = 0; time < 2; time++) assert.deepEqual((await ask()).answer, [expected()]);
  });
});

describe('totals of row groups whose tags matter', () => {
  // The first row group has lap 1, the second both, the third lap 2.
  const lapOf = (row: number) => (row < 12_000 ? '1' : '2');
  const filters = [{ tag: 'lap', operator: 'Equal' as const, values: ['1'] }];

  it('are kept where all rows have the same', async () => {
    await fill(lapOf);
    await remove(3, 5);
    const byLap = [expected((row) => lapOf(row) === '1'), expected((row) => lapOf(row) === '2')];
    const first = await ask({ groupBy: ['lap'] });
    assert.deepEqual(first, { answer: byLap, rows: count });
    assert.deepEqual(await ask({ groupBy: ['lap'] }), { answer: byLap, rows: 8192 });
    assert.deepEqual(await ask({ tagFilters: filters }), { answer: [byLap[0]], rows: 8192 });
    assert.deepEqual(await ask({ tagFilters: filters, groupBy: ['lap'] }), {
      answer: [byLap[0]],
      rows: 8192,
    });
  });

  it('are found again where nobody asked for tags before', async () => {
    await fill(lapOf);
    await remove(3, 5);
    await remove(12_100, 12_100);
    await remove(19_000, 19_001);
    assert.deepEqual((await ask()).answer, [expected()]);
    for (let time = 0; time < 2; time++)
      assert.deepEqual((await ask({ tagFilters: filters })).answer, [expected((row) => lapOf(row) === '1')]);
    assert.deepEqual(await ask(), { answer: [expected()], rows: 0 });
  });
});
