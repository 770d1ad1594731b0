import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import type { Aggregation } from '../../../../src/domain/query.ts';
import { tagSet } from '../../../../src/domain/tags.ts';
import { isAggregate, planQuery } from '../../../../src/query/plan/plan.ts';
import type { EmbeddedStore } from '../../../../src/store/embedded/store.ts';
import { aggregate } from '../../../query/reference-aggregates.ts';
import { until } from '../../../until.ts';
import { type Random, seededRandom } from '../random.ts';
import { type Cell, rowsOf, type TestRow } from '../rows.ts';
import { storeFolder } from '../store-folder.ts';

const folder = storeFolder('summed-random');
const second = 1_000_000_000n;
const start = 1_700_000_000n * second;
const streams = 120;
/** Each with a folder of its own. */
const rounds = Number(process.env['SUMMED_ROUNDS'] ?? 1);
const names = ['a', 'b', 'c'] as const;
const aggregations: readonly Aggregation[] = ['Count', 'Sum', 'Mean', 'Min', 'Max'];

/** What a store should have: by stream, time and tags the values by name. */
type Model = Map<string, Map<string, { readonly time: bigint; readonly cells: Map<string, number> }>>;

/** How the rows of a stream look: most are as summed columns want them, others not. */
function shapeOf(random: Random) {
  const kind = random.int(0, 19);
  return {
    step: kind === 0 ? 0n : BigInt(random.pick([1, 1, 1, 3])) * second,
    jitter: kind === 1 ? 1000 : 0,
    absent: kind === 2 ? 0.1 : 0,
    oddity: kind === 3 ? random.pick([Number.NaN, Math.PI, -0, 2 ** 60, -(2 ** 52) - 1]) : undefined,
    lapRows: kind === 4 ? 50 : 0,
    /** Parameters that it writes together; several times in turn where there are several. */
    families: kind === 5 ? [['a'], ['b', 'c']] : kind === 6 ? [['a', 'b'], ['c']] : [random.pick(sets)],
    scale: random.pick([1, 10, 1000]),
    size: random.pick([1, 100, 2 ** 30, 2 ** 43]),
  };
}

const sets: readonly (readonly string[])[] = [['a', 'b', 'c'], ['a', 'b', 'c'], ['a'], ['b', 'c']];
type Shape = ReturnType<typeof shapeOf>;

function rowsFrom(random: Random, shape: Shape, first: number, count: number, turn: number): TestRow[] {
  const family = shape.families[turn % shape.families.length]!;
  return Array.from({ length: count }, (_, i) => {
    const row = first + i;
    const cells: Record<string, Cell> = {};
    for (const name of family) {
      const value = (Math.round((random.next() - 0.3) * shape.size) || 0) / shape.scale;
      const isOdd = shape.oddity !== undefined && random.chance(0.01);
      cells[name] = isOdd ? shape.oddity! : value;
    }
    if (family.length > 1 && random.chance(shape.absent)) cells[family[0]!] = null;
    const tags: [string, string][] =
      shape.lapRows > 0 || shape.step === 0n
        ? [['lap', String(shape.step === 0n ? row : row % shape.lapRows)]]
        : [];
    const time = start + BigInt(row) * shape.step + BigInt(random.int(0, shape.jitter));
    return { time, tags, cells };
  });
}

async function write(store: EmbeddedStore, model: Model, streamId: string, rows: TestRow[]): Promise<void> {
  const distinct = new Map(rows.map((row) => [keyOf(row), row]));
  const change = { type: 'rows', topic: 't', streamId, rows: [rowsOf([...distinct.values()])] } as const;
  await store.append({ workspace: 'w', changes: [change] });
  const ofStream = model.get(streamId) ?? new Map();
  model.set(streamId, ofStream);
  for (const [key, { time, cells }] of distinct) {
    const known = ofStream.get(key) ?? { time, cells: new Map() };
    for (const [name, value] of Object.entries(cells)) if (value !== null) known.cells.set(name, value);
    ofStream.set(key, known);
  }
}

function keyOf({ time, tags = [] }: TestRow): string {
  return `${time} ${tagSet(tags).key}`;
}

interface Question {
  readonly names: readonly string[];
  readonly from: bigint;
  readonly to: bigint;
  /** Of buckets, ns. */
  readonly width: bigint;
}

/** By stream and bucket the values of each parameter, in order of aggregations. */
async function ask(store: EmbeddedStore, question: Question): Promise<Map<string, (number | null)[]>> {
  const plan = planQuery('w', {
    topic: 't',
    groupBy: ['streamId'],
    from: question.from,
    to: question.to,
    groupByTime: { width: question.width, interpolation: 'None' },
    parameters: question.names.flatMap((name) =>
      aggregations.map((aggregation) => ({ kind: Kind.Numeric, name, aggregation })),
    ),
  });
  assert.ok(isAggregate(plan));
  const found = new Map<string, (number | null)[]>();
  const blocks = store.aggregate(plan, new AbortController().signal);
  for await (const { count, base, offsets, columns, tags } of blocks) {
    for (let row = 0; row < count; row++) {
      const stream = tags.map(({ texts, index }) => texts[index?.[row] ?? 0]).join();
      const values = columns.map((column) => {
        if (column?.kind !== Kind.Numeric) return null;
        const isThere = column.present === undefined || (column.present[row >> 3]! >> (row & 7)) & 1;
        return isThere ? column.values[row]! : null;
      });
      found.set(`${stream} ${base + BigInt(offsets[row]!)}`, values);
    }
  }
  return found;
}

async function assertAnswers(store: EmbeddedStore, model: Model, question: Question, what: string) {
  const { from, to, width } = question;
  const buckets = new Map<string, Map<string, number[]>>();
  for (const [streamId, rows] of model)
    for (const { time, cells } of rows.values()) {
      if (time < from || time > to) continue;
      for (const name of question.names) {
        if (!cells.has(name)) continue;
        const key = `${streamId} ${time - (time % width)}`;
        const bucket = buckets.get(key) ?? new Map<string, number[]>();
        buckets.set(key, bucket);
        const values = bucket.get(name) ?? [];
        bucket.set(name, values);
        values.push(cells.get(name)!);
      }
    }
  const found = await ask(store, question);
  assert.deepEqual([...found.keys()].sort(), [...buckets.keys()].sort(), what);
  for (const [key, bucket] of buckets) {
    const wanted = question.names.flatMap((name) =>
      aggregations.map((aggregation) => aggregate(aggregation, bucket.get(name) ?? [])),
    );
    for (const [i, { value, slack }] of wanted.entries()) {
      const other = found.get(key)![i]!;
      const isEqual =
        value === null || other === null || slack === undefined
          ? Object.is(value, other)
          : Number.isNaN(value as number)
            ? Number.isNaN(other)
            : Math.abs(other - Number(value)) <= slack || other === value;
      if (!isEqual) assert.fail(`${what}: ${key}, ${i}: ${other} for ${value}`);
    }
  }
}

function questionOf(random: Random): Question {
  const from = start + BigInt(random.pick([-10, -10, random.int(0, 900)])) * second;
  const to = random.chance(0.7) ? start + 100_000n * second : from + BigInt(random.int(600, 2500)) * second;
  const width = BigInt(random.pick([7, 60, 360, 1000, 100_000])) * second;
  const wanted = random.pick([['a'], ['a', 'b', 'c'], ['c'], ['b', 'c']]);
  return { names: wanted, from, to, width };
}

/** A start moves what it finds in the log to parts. */
async function moveToParts(store: EmbeddedStore): Promise<EmbeddedStore> {
  await folder.close(store);
  const again = await open();
  await until(() => again.health().headBytes === 0);
  return again;
}

const open = () => folder.open({ slabBytes: 4 << 20, headBytes: 32 << 20 });

describe('sums of many streams of any shape', () => {
  for (let seed = 1; seed <= rounds; seed++)
    it(`are those of a plain model, over late rows, deletes, families and retention: seed ${seed}`, async () => {
      const random = seededRandom(seed);
      folder.now = Number(start / 1_000_000n) + 2_000_000;
      const model: Model = new Map();
      const shapes = Array.from({ length: streams }, () => shapeOf(random));
      const next = shapes.map(() => 0);
      let store = await open();
      for (let turn = 0; turn < 4; turn++) {
        for (const [stream, shape] of shapes.entries()) {
          const count = random.chance(0.03) ? 1 : random.int(130, 330);
          const isLate = turn > 1 && random.chance(0.03);
          const first = isLate ? random.int(0, next[stream]!) : next[stream]!;
          if (turn > 0 && random.chance(0.1)) continue;
          await write(store, model, `s${stream}`, rowsFrom(random, shape, first, count, turn));
          next[stream] = Math.max(next[stream]!, first + count);
        }
        if (random.chance(0.5)) store = await moveToParts(store);
        if (turn === 1 || turn === 3) await deleteSome(store, model, random);
        for (let i = 0; i < 3; i++)
          await assertAnswers(store, model, questionOf(random), `turn ${turn}, question ${i}`);
      }
      const oldest = start + 300n * second;
      const retention = BigInt(folder.now) * 1_000_000n - oldest;
      await store.append({ workspace: 'w', changes: [{ type: 'topic', topic: 't', retention }] });
      for (const rows of model.values())
        for (const [key, { time }] of rows) if (time < oldest) rows.delete(key);
      for (const what of ['retention', 'retention, in parts']) {
        for (let i = 0; i < 3; i++) await assertAnswers(store, model, questionOf(random), `${what}, ${i}`);
        store = await moveToParts(store);
      }
    });
});

async function deleteSome(store: EmbeddedStore, model: Model, random: Random): Promise<void> {
  const streamIds = Array.from({ length: 4 }, () => `s${random.int(0, streams - 1)}`);
  const from = start + BigInt(random.int(0, 800)) * second;
  const to = from + BigInt(random.int(0, 500)) * second;
  const taken = random.pick([undefined, ['a'], ['b', 'c']]);
  const parameters = taken?.map((name) => ({ kind: Kind.Numeric, name }));
  await store.deleteRows({ workspace: 'w', topic: 't', streamIds, from, to, tagFilters: [] }, parameters);
  for (const streamId of streamIds)
    for (const { time, cells } of model.get(streamId)?.values() ?? [])
      if (time >= from && time <= to) for (const name of taken ?? names) cells.delete(name);
}
