import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import type { Aggregation } from '../../../../src/domain/query.ts';
import type { CalculatingQuery } from '../../../../src/expression/calculation.ts';
import { isFlaw, parseExpression } from '../../../../src/expression/parse.ts';
import { isAggregate, planQuery } from '../../../../src/query/plan/plan.ts';
import type { EmbeddedStore } from '../../../../src/store/embedded/store.ts';
import { until } from '../../../until.ts';
import { type Random, seededRandom } from '../random.ts';
import { rowsOf, type TestRow } from '../rows.ts';
import { storeFolder } from '../store-folder.ts';

const folder = storeFolder('summed');
const second = 1_000_000_000n;
const start = 1_700_000_000n * second;
const streams = 48;
/** So few that none of them is read from the columns that are kept for sums. */
const few = 16;

const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `s${from + i}`);

/** Rows a second apart, or as `shape` has them, of a stream from a row on. */
function rowsFrom(random: Random, stream: number, first: number, count: number): TestRow[] {
  const shape = stream % 8;
  return Array.from({ length: count }, (_, i) => {
    const row = first + i;
    const jitter = shape === 1 ? BigInt((row * 7919) % 1000) : 0n;
    const value = Math.round(1000 * (Math.sin(row / 50) * 100 + random.int(0, 9))) / 1000;
    const cells: Record<string, number | string | null> = { speed: value, count: random.int(0, 1_000_000) };
    if (shape === 2 && row % 9 === 0) cells['speed'] = null;
    if (shape === 3 && row % 300 === 7) cells['speed'] = Number.NaN;
    if (shape === 4 && row % 500 === 11) cells['speed'] = Math.PI * row;
    if (shape === 5) delete cells['count'];
    const tags = shape === 6 ? { tags: [['lap', String(row >> 6)] as const] } : {};
    return { time: start + BigInt(row) * second + jitter, cells, ...tags };
  });
}

async function write(store: EmbeddedStore, random: Random, first: number, count: number): Promise<void> {
  for (let stream = 0; stream < streams; stream++) {
    const rows = rowsFrom(random, stream, first, count);
    const change = { type: 'rows', topic: 't', streamId: `s${stream}`, rows: [rowsOf(rows)] } as const;
    await store.append({ workspace: 'w', changes: [change] });
  }
}

async function ask(store: EmbeddedStore, query: CalculatingQuery): Promise<Map<string, (number | null)[]>> {
  const plan = planQuery('w', query);
  assert.ok(isAggregate(plan));
  const found = new Map<string, (number | null)[]>();
  for await (const { count, base, offsets, columns, tags } of store.aggregate(
    plan,
    new AbortController().signal,
  )) {
    for (let row = 0; row < count; row++) {
      const group = tags.map(({ texts, index }) => texts[index?.[row] ?? 0]).join();
      const values = columns.map((column) => {
        if (column?.kind !== Kind.Numeric) return null;
        const { present, values: numbers } = column;
        return present === undefined || (present[row >> 3]! >> (row & 7)) & 1 ? numbers[row]! : null;
      });
      found.set(`${group} ${base + BigInt(offsets[row]!)}`, values);
    }
  }
  return found;
}

const sums: readonly Aggregation[] = ['Count', 'Sum', 'Mean'];
const all: readonly Aggregation[] = [...sums, 'Min', 'Max', 'Spread'];
const columns = (aggregations: readonly Aggregation[], names: readonly string[]) =>
  names.flatMap((name) => aggregations.map((aggregation) => ({ kind: Kind.Numeric, name, aggregation })));
const columnsOf = (...names: string[]) => columns(sums, names);

/** Calculated columns, each aggregated in several ways, without the parameters themselves. */
function calculated(...texts: string[]): Pick<CalculatingQuery, 'parameters' | 'calculated'> {
  return {
    parameters: [],
    calculated: texts.flatMap((name) => {
      const expression = parseExpression(name);
      assert.ok(!isFlaw(expression));
      return (['Count', 'Mean', 'Max'] as const).map((aggregation) => ({ name, expression, aggregation }));
    }),
  };
}

const queries: readonly (Partial<CalculatingQuery> & Pick<CalculatingQuery, 'parameters'>)[] = [
  { parameters: columnsOf('speed'), groupByTime: { width: 360n * second, interpolation: 'None' } },
  { parameters: columnsOf('count', 'speed'), groupByTime: { width: 1000n * second, interpolation: 'None' } },
  { parameters: columnsOf('speed') },
  {
    parameters: columns(all, ['speed', 'count']),
    groupByTime: { width: 450n * second, interpolation: 'None' },
  },
  { parameters: columns(['Max'], ['count']), from: start + 100n * second },
  { parameters: columnsOf('count'), from: start + 333n * second, to: start + 2222n * second },
  { parameters: columnsOf('count', 'speed'), groupByTime: { width: 7n * second, interpolation: 'None' } },
  {
    parameters: columnsOf('speed', 'nobody wrote'),
    from: start + 1500n * second,
    groupByTime: { width: 129n * second, interpolation: 'None' },
  },
  {
    ...calculated('speed / 3.6', 'speed * count', '"nobody wrote" + count'),
    groupByTime: { width: 60n * second, interpolation: 'None' },
  },
  {
    ...calculated('derivative(speed)', 'integral(speed)', 'fill(speed) - count', 'difference(count)'),
    groupByTime: { width: 7n * second, interpolation: 'None' },
  },
  { ...calculated("over(sum(count), 'lap')"), groupByTime: { width: 60n * second, interpolation: 'None' } },
  {
    ...calculated("movingMean(speed, '20s')", "movingMax(count, '9s')", "lowpass(speed, '2s')"),
    from: start,
  },
  {
    ...calculated('sum(count)', 'previous(speed)'),
    parameters: columnsOf('speed'),
    from: start + 333n * second,
    to: start + 1800n * second,
    groupByTime: { width: 360n * second, interpolation: 'None' },
  },
];

/** Asks for all streams at once, and for a few at a time: these answers come the plain way. */
async function assertSame(store: EmbeddedStore, what: string): Promise<void> {
  for (const [i, query] of queries.entries()) {
    const of = (streamIds: string[]) => ({ topic: 't', streamIds, groupBy: ['streamId'], ...query });
    const plain = new Map<string, (number | null)[]>();
    for (let from = 0; from < streams; from += few) {
      for (const [key, values] of await ask(store, of(ids(from, from + few)))) plain.set(key, values);
    }
    for (const round of ['read', 'kept']) {
      const found = await ask(store, of(ids(0, streams)));
      assert.equal(found.size, plain.size, `${what}, query ${i}, ${round}`);
      for (const [key, values] of plain)
        assertNear(found.get(key), values, () => `${what}, ${i}, ${round}, ${key}`);
    }
  }
}

function assertNear(
  found: readonly (number | null)[] | undefined,
  wanted: readonly (number | null)[],
  what: () => string,
): void {
  if (found === undefined) assert.fail(what());
  for (const [i, value] of wanted.entries()) {
    const other: number | null = found[i] ?? null;
    if (value === null || other === null || Number.isNaN(value)) assert.deepEqual(other, value, what());
    else if (!(Math.abs(other - value) <= 1e-12 * Math.max(1, Math.abs(value))))
      assert.fail(`${what()}: ${other} for ${value}`);
  }
}

/** How many values there are. */
async function countOf(store: EmbeddedStore): Promise<number> {
  const [values] = (await ask(store, { topic: 't', parameters: columnsOf('count') })).values();
  return values![0]!;
}

async function open(): Promise<EmbeddedStore> {
  return folder.open({ slabBytes: 4 << 20, headBytes: 32 << 20 });
}

/** A start moves what it finds in the log to parts. */
async function moveToParts(store: EmbeddedStore): Promise<EmbeddedStore> {
  await folder.close(store);
  const again = await open();
  await until(() => again.health().headBytes === 0);
  return again;
}

describe('sums of many streams', () => {
  it('are those of each stream by itself, in parts and in memory', async () => {
    const random = seededRandom(1);
    let store = await open();
    await write(store, random, 0, 700);
    await assertSame(store, 'in memory');
    store = await moveToParts(store);
    await assertSame(store, 'in one part');
    await write(store, random, 700, 450);
    await assertSame(store, 'the rest in memory');
    store = await moveToParts(store);
    await assertSame(store, 'in two parts');
  });

  it('are right of late and repeated rows, deletes and retention', async () => {
    const random = seededRandom(2);
    // Stores do not believe a clock that leaps.
    folder.now = Number(start / 1_000_000n) + 2_000_000;
    let store = await open();
    await write(store, random, 0, 1500);
    store = await moveToParts(store);
    for (let stream = 8; stream < streams; stream += 2) {
      const rows = rowsFrom(random, stream, 700 + stream, 230);
      const change = { type: 'rows', topic: 't', streamId: `s${stream}`, rows: [rowsOf(rows)] } as const;
      await store.append({ workspace: 'w', changes: [change] });
    }
    await assertSame(store, 'late rows in memory');
    store = await moveToParts(store);
    assert.ok(store.health().parts >= 2);
    await assertSame(store, 'late rows in a part');
    const selection = { workspace: 'w', topic: 't', tagFilters: [] };
    await store.deleteRows({
      ...selection,
      streamIds: ['s16', 's17', 's40'],
      from: start + 200n * second,
      to: start + 640n * second,
    });
    await assertSame(store, 'a delete');
    await write(store, random, 1500, 100);
    await assertSame(store, 'a delete, and rows in memory');
    const before = await countOf(store);
    await store.append({
      workspace: 'w',
      changes: [{ type: 'topic', topic: 't', retention: 1600n * second }],
    });
    await assertSame(store, 'retention');
    assert.ok((await countOf(store)) < before - 300 * streams);
    store = await moveToParts(store);
    await assertSame(store, 'retention, in parts');
  });
});
