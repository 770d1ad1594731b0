import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import type { RequestedParameter } from '../../../../src/domain/query.ts';
import { maxTimestamp, minTimestamp } from '../../../../src/domain/timestamp.ts';
import { isAggregate, planQuery, type ReadPlan } from '../../../../src/query/plan/plan.ts';
import type { EmbeddedStore } from '../../../../src/store/embedded/store.ts';
import { aggregate } from '../../../query/reference-aggregates.ts';
import { forSeeds, type Random, seededRandom } from '../random.ts';
import { type ReadRow, readRows } from '../read-rows.ts';
import { rowsOf, type TestRow } from '../rows.ts';
import { storeFolder } from '../store-folder.ts';

const folder = storeFolder('walk-lone');
const speed = { kind: Kind.Numeric, name: 'speed' } as const;
const gear = { kind: Kind.String, name: 'gear' } as const;
const level = { kind: Kind.Numeric, name: 'level' } as const;
const parameters = [speed, gear, level];
/** More than those from which on small row groups are told apart. */
const count = 1100;
const windows = 3;

/** Most streams have a row or two in a window; some have many, some come twice, and not all have every parameter. */
async function write(store: EmbeddedStore, random: Random, share: number): Promise<void> {
  for (let from = 0; from < count; from += 100) {
    const streams = Array.from({ length: 100 }, (_, i) => (from + i) * 7919).filter(() =>
      random.chance(share),
    );
    const changes = streams.map((number) => {
      const rows = Array.from({ length: random.chance(0.015) ? 200 : random.int(1, 3) }, () => rowOf(random));
      const [topic, streamId] = [number % 2 === 0 ? 't' : 'u', `s${number % count}`];
      return { type: 'rows', topic, streamId, rows: [rowsOf(rows)] } as const;
    });
    if (changes.length > 0) await store.append({ workspace: 'default', changes });
  }
}

function rowOf(random: Random): TestRow {
  const time = BigInt(random.int(0, windows - 1)) * 2n ** 50n + BigInt(random.int(0, 1000)) * 10n ** 9n;
  const own = random.int(0, 100);
  return {
    time,
    ...(random.chance(0.3) && { tags: [['lap', random.pick(['1', '2'])]] as const }),
    cells: {
      ...(random.chance(0.9) && { speed: random.chance(0.05) ? null : own }),
      ...(random.chance(0.3) && { gear: random.pick(['N', 'R']) }),
      level: random.int(0, 9),
    },
  };
}

function planOf(from: Partial<ReadPlan>): ReadPlan {
  return {
    workspace: 'default',
    streamIds: undefined,
    topic: undefined,
    from: minTimestamp,
    to: maxTimestamp,
    tagFilters: [],
    parameters,
    order: 'Asc',
    limit: undefined,
    after: undefined,
    ...from,
  };
}

const asked = [
  { ...speed, aggregation: 'Mean' },
  { ...speed, aggregation: 'Max' },
  { ...speed, aggregation: 'Median' },
  { ...level, aggregation: 'Sum' },
  { ...level, aggregation: 'First' },
  { ...level, aggregation: 'Last' },
  { ...gear, aggregation: 'Count' },
] as const satisfies readonly RequestedParameter[];

/** Without First and Last streams are not gone through by their ids. */
const ofAnyOrder = asked.filter(({ aggregation }) => aggregation !== 'First' && aggregation !== 'Last');

interface Question {
  readonly groupBy: readonly string[];
  readonly parameters: readonly RequestedParameter[];
  readonly width?: bigint;
  readonly from?: bigint;
  readonly to?: bigint;
}

const questions: readonly Question[] = [
  { groupBy: [], parameters: ofAnyOrder },
  { groupBy: ['streamId', 'topic'], parameters: asked },
  { groupBy: ['lap'], parameters: ofAnyOrder },
  { groupBy: ['topic'], parameters: ofAnyOrder, width: 2n ** 38n },
  { groupBy: [], parameters: ofAnyOrder.slice(3), from: 300n * 10n ** 9n, to: 2n ** 50n + 500n * 10n ** 9n },
];

type Groups = Map<string, (number | string | null)[]>;

/** The answer by group and bucket. */
async function answerOf(
  store: EmbeddedStore,
  { groupBy, parameters, width, from, to }: Question,
): Promise<Groups> {
  const plan = planQuery('default', {
    parameters,
    groupBy,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(width !== undefined && { groupByTime: { width, interpolation: 'None' } }),
  });
  assert.ok(isAggregate(plan));
  const found: Groups = new Map();
  for await (const block of store.aggregate(plan, new AbortController().signal)) {
    for (let row = 0; row < block.count; row++) {
      const tags = block.tags.map(({ texts, index }) => texts[index?.[row] ?? 0]);
      const time = width === undefined ? 0n : block.base + BigInt(block.offsets[row]!);
      const cells = block.columns.map((column) => {
        if (column === undefined || (column.present && (column.present[row >> 3]! & (1 << (row & 7))) === 0))
          return null;
        assert.ok(column.kind === Kind.Numeric);
        return column.values[row]!;
      });
      found.set(JSON.stringify([tags, String(time)]), cells);
    }
  }
  return found;
}

/** The same from raw rows. */
function expected(
  rows: readonly ReadRow[],
  { groupBy, parameters: wanted, width, from, to }: Question,
): Groups {
  const groups = new Map<string, ReadRow[]>();
  for (const row of rows) {
    if ((from !== undefined && row.timestamp < from) || (to !== undefined && row.timestamp > to)) continue;
    if (wanted.every(({ name }) => cellOf(row, name) === null)) continue;
    const tags = groupBy.map((tag) => {
      if (tag === 'streamId' || tag === 'topic') return row[tag];
      return (JSON.parse(row.tags) as [string, string][]).find(([name]) => name === tag)?.[1];
    });
    const time = width === undefined ? 0n : row.timestamp - (row.timestamp % width);
    const key = JSON.stringify([tags, String(time)]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  const cellsOf = (own: readonly ReadRow[]) =>
    wanted.map(({ name, aggregation }) => {
      const values = own.map((row) => cellOf(row, name)).filter((value) => value !== null);
      return aggregate(aggregation!, values).value;
    });
  return new Map([...groups].map(([key, own]) => [key, cellsOf(own)]));
}

function cellOf({ cells }: ReadRow, name: string): number | string | null {
  return cells[parameters.findIndex((parameter) => parameter.name === name)] as number | string | null;
}

async function check(store: EmbeddedStore): Promise<void> {
  const rows = await readRows(store, planOf({}));
  assert.ok(rows.length > 0);
  for (const question of questions) {
    const [found, hoped] = [await answerOf(store, question), expected(rows, question)];
    assert.deepEqual([...found.keys()].sort(), [...hoped.keys()].sort());
    for (const [key, cells] of hoped) assert.deepEqual(found.get(key), cells, `${question.groupBy} ${key}`);
  }
}

describe('an aggregation of streams with a few rows', () => {
  it('is what their rows give, in parts, beside rows in the log, and after deletes', async () => {
    await forSeeds(1, 1, async (random) => {
      let store = await folder.open({ slabBytes: 4 << 20, headBytes: 32 << 20 });
      await write(store, random, 1);
      store = await folder.reopenInParts(store, 1);
      await check(store);
      await write(store, random, 0.2);
      await check(store);
      const streamIds = Array.from({ length: 200 }, (_, i) => `s${i}`);
      await store.deleteRows({ ...planOf({ streamIds }), from: 0n, to: 500n * 10n ** 9n });
      await check(store);
      await store.deleteRows({ ...planOf({ topic: 't' }), from: 2n ** 50n, to: 2n ** 50n + 10n ** 12n }, [
        level,
      ]);
      await check(store);
      store = await folder.reopenInParts(store, 1);
      await check(store);
      await folder.close(store);
    });
  });

  it('leaves out what is expired', async () => {
    const random = seededRandom(3);
    folder.now = Number(2n ** 51n / 1_000_000n);
    let store = await folder.open({ slabBytes: 4 << 20, headBytes: 32 << 20 });
    await write(store, random, 1);
    store = await folder.reopenInParts(store, 1);
    const before = (await readRows(store, planOf({}))).length;
    // Few rows, so that no merge takes them away soon.
    const retention = 2n ** 51n - 100n * 10n ** 9n;
    await store.append({ workspace: 'default', changes: [{ type: 'topic', topic: 't', retention }] });
    await check(store);
    assert.ok((await readRows(store, planOf({}))).length < before);
  });
});
