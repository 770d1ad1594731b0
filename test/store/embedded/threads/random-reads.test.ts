import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import type { Aggregation, ParameterDataQuery } from '../../../../src/domain/query.ts';
import { minTimestamp } from '../../../../src/domain/timestamp.ts';
import { answerHere } from '../../../../src/store/answers/answer-here.ts';
import type { EmbeddedStore, EmbeddedStoreOptions } from '../../../../src/store/embedded/store.ts';
import { cases } from '../../../extent.ts';
import { forSeeds, type Random } from '../random.ts';
import { type Cell, rowsOf, type TestRow } from '../rows.ts';
import { storeFolder } from '../store-folder.ts';
import { bytesOf, requestOf, termsOf } from './ask.ts';

const folder = storeFolder('random-reads');
const options: Partial<EmbeddedStoreOptions> = { readThreads: 2, littleWork: -1, quietMs: 20 };

const workspace = 'default';
const topics = ['t', 'u'] as const;
const streamIds = Array.from({ length: 30 }, (_, i) => `s${i}`);
/** Two windows meet at one of them. */
const anchors = [0n, 3n * 2n ** 50n, 17n * 10n ** 17n];
const span = 4000;

interface ModelRow {
  readonly time: bigint;
  readonly topic: string;
  readonly streamId: string;
  readonly lap: string | undefined;
  readonly cells: Map<string, number>;
}

/** The rows of all streams by `topic streamId time lap`. */
type Model = Map<string, ModelRow>;

function someTime(random: Random): bigint {
  return random.pick(anchors) + BigInt(random.int(-span, span));
}

/** Rows of a stream: in steps, or anywhere, over times that have rows already. */
function someRows(random: Random): TestRow[] {
  const count = random.pick([3, 30, 600]);
  const start = someTime(random);
  const lap = random.pick([undefined, '1', '2']);
  const names = random.pick([['p'], ['p', 'q'], ['q'], ['p', 'q', 'r']]);
  const step = random.chance(0.7) ? BigInt(random.int(1, 5)) : undefined;
  return Array.from({ length: count }, (_, i) => {
    const cells: Record<string, Cell> = {};
    for (const name of names)
      cells[name] = name === 'q' && random.chance(0.5) ? null : random.int(-1e6, 1e6) / 1000;
    if (Object.values(cells).every((cell) => cell === null)) cells[names[0]!] = random.int(0, 9);
    const time = start + (step === undefined ? BigInt(random.int(-span, span)) : BigInt(i) * step);
    return { time, cells, ...(lap !== undefined && { tags: [['lap', lap]] as const }) };
  });
}

async function write(store: EmbeddedStore, model: Model, random: Random): Promise<void> {
  const [topic, streamId] = [random.pick(topics), random.pick(streamIds)];
  const rows = someRows(random);
  for (const { time, tags, cells } of rows) {
    const lap = tags?.[0]?.[1];
    const key = `${topic} ${streamId} ${time} ${lap}`;
    const row = model.get(key) ?? { time, topic, streamId, lap, cells: new Map() };
    model.set(key, row);
    for (const [name, cell] of Object.entries(cells)) if (cell !== null) row.cells.set(name, cell as number);
  }
  await store.append({ workspace, changes: [{ type: 'rows', topic, streamId, rows: [rowsOf(rows)] }] });
}

async function deleteSome(store: EmbeddedStore, model: Model, random: Random): Promise<void> {
  const ids = random.chance(0.3) ? undefined : [random.pick(streamIds), random.pick(streamIds)];
  const topic = random.chance(0.5) ? undefined : random.pick(topics);
  const lap = random.chance(0.3) ? random.pick(['1', '2']) : undefined;
  const names = random.chance(0.6) ? undefined : [random.pick(['p', 'q', 'r'])];
  const from = someTime(random);
  const to = from + BigInt(random.pick([5, 200, 3000]));
  for (const [key, row] of model) {
    if (row.time < from || row.time > to || (lap !== undefined && row.lap !== lap)) continue;
    if (ids?.includes(row.streamId) === false || (topic !== undefined && row.topic !== topic)) continue;
    if (names === undefined) row.cells.clear();
    else for (const name of names) row.cells.delete(name);
    if (row.cells.size === 0) model.delete(key);
  }
  await store.deleteRows(
    {
      workspace,
      streamIds: ids,
      topic,
      from,
      to,
      tagFilters: lap === undefined ? [] : [{ tag: 'lap', operator: 'Equal', values: [lap] }],
    },
    names?.map((name) => ({ kind: Kind.Numeric, name })),
  );
}

async function removeStreams(store: EmbeddedStore, model: Model, random: Random): Promise<void> {
  const ids = [random.pick(streamIds), random.pick(streamIds)];
  for (const [key, { streamId }] of model) if (ids.includes(streamId)) model.delete(key);
  await store.changeStreams({ workspace, action: 'hardDelete', filter: { streamIds: ids }, now: 1 });
}

const aggregations = ['Count', 'Sum', 'Mean', 'Min', 'Max', 'First', 'Last'] as const;

function someQuery(random: Random): Partial<ParameterDataQuery> {
  const narrow = random.chance(0.5);
  const from = narrow ? someTime(random) : minTimestamp;
  const isRaw = random.chance(0.4);
  const names = random.pick([['p'], ['q'], ['p', 'r'], ['p', 'q']]);
  const which: Partial<ParameterDataQuery> = {
    ...(random.chance(0.4) && { streamIds: [random.pick(streamIds), random.pick(streamIds)] }),
    ...(random.chance(0.3) && { topic: random.pick(topics) }),
    ...(narrow && { from, to: from + BigInt(random.pick([50, 2000])) }),
    ...(random.chance(0.2) && { tagFilters: [{ tag: 'lap', operator: 'Equal', values: ['1'] }] }),
    groupBy: random.pick([[], ['streamId'], ['lap'], ['topic', 'lap'], ['streamId', 'topic']]),
  };
  const parametersAs = (aggregation: Aggregation) =>
    names.map((name) => ({ kind: Kind.Numeric, name, aggregation }) as const);
  if (!isRaw) return { ...which, parameters: parametersAs(random.pick(aggregations)) };
  const limit = random.chance(0.5) ? random.int(1, 300) : undefined;
  return {
    ...which,
    parameters: parametersAs('None'),
    order: random.pick(['Asc', 'Desc']),
    ...(limit !== undefined && { limit }),
  };
}

interface Answer {
  readonly timestamps: readonly string[];
  readonly numericValues: Readonly<Record<string, readonly (number | null)[]>>;
  readonly tagValues: Readonly<Record<string, readonly (string | null)[]>>;
}

async function ask(
  store: EmbeddedStore,
  query: Partial<ParameterDataQuery>,
): Promise<{ readonly answer: Answer; readonly nextCursor: string | undefined }> {
  const made = await store.answer({ ...requestOf(query), int64AsString: true }, termsOf());
  const answer = JSON.parse((await bytesOf(made)).toString()) as Answer;
  return { answer, nextCursor: made.nextCursor };
}

/** The rows of an answer as texts. */
function linesOf({ timestamps, numericValues, tagValues }: Answer, withTimes = true): string[] {
  const columns = [...Object.values(tagValues), ...Object.values(numericValues)];
  return timestamps.map((time, row) =>
    JSON.stringify([withTimes ? time : '', ...columns.map((values) => values[row])]),
  );
}

/** What the model has for a query, the rows as texts. */
function expectedOf(model: Model, query: Partial<ParameterDataQuery>): string[] {
  const { streamIds: ids, topic, from, to, tagFilters = [], groupBy = [], parameters = [] } = query;
  const names = parameters.map(({ name }) => name);
  const rows = [...model.values()]
    .filter(({ time }) => (from === undefined || time >= from) && (to === undefined || time <= to))
    .filter((row) => (ids?.includes(row.streamId) ?? true) && (topic === undefined || row.topic === topic))
    .filter(({ lap }) => tagFilters.length === 0 || lap === '1')
    .filter(({ cells }) => names.some((name) => cells.has(name)))
    .sort(compareRows);
  const tagsOf = (row: ModelRow) => groupBy.map((tag) => row[tag as 'lap' | 'topic' | 'streamId'] ?? null);
  const { aggregation } = parameters[0]!;
  if (aggregation === 'None') {
    if (query.order === 'Desc') rows.reverse();
    return rows.map((row) =>
      JSON.stringify([String(row.time), ...tagsOf(row), ...names.map((name) => row.cells.get(name) ?? null)]),
    );
  }
  const groups = new Map<string, ModelRow[]>();
  for (const row of rows) {
    const key = JSON.stringify(tagsOf(row));
    const own = groups.get(key);
    if (own === undefined) groups.set(key, [row]);
    else own.push(row);
  }
  return [...groups].map(([key, own]) => {
    const values = names.map((name) =>
      aggregate(
        own.map(({ cells }) => cells.get(name)).filter((cell) => cell !== undefined),
        aggregation as (typeof aggregations)[number],
      ),
    );
    return JSON.stringify(['', ...(JSON.parse(key) as unknown[]), ...values]);
  });
}

/** Thousandths are summed as whole numbers. */
function aggregate(values: readonly number[], aggregation: (typeof aggregations)[number]): number | null {
  if (values.length === 0) return null;
  const sum = values.reduce((total, value) => total + Math.round(value * 1000), 0) / 1000;
  switch (aggregation) {
    case 'Count':
      return values.length;
    case 'Sum':
      return sum;
    case 'Mean':
      return sum / values.length;
    case 'Min':
      return Math.min(...values);
    case 'Max':
      return Math.max(...values);
    case 'First':
      return values[0]!;
    default:
      return values.at(-1)!;
  }
}

function compareRows(a: ModelRow, b: ModelRow): number {
  if (a.time !== b.time) return a.time < b.time ? -1 : 1;
  const [before, after] = [a, b].map(({ streamId, topic, lap }) => [streamId, topic, lap ?? '']);
  for (const [i, text] of before!.entries()) if (text !== after![i]) return text < after![i]! ? -1 : 1;
  return 0;
}

/** Asks a thread, and where nothing else goes on compares with the model. */
async function compareWithModel(store: EmbeddedStore, model: Model, random: Random): Promise<void> {
  const query = someQuery(random);
  const what = JSON.stringify(query, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  const isRaw = query.parameters![0]!.aggregation === 'None';
  const expected = expectedOf(model, query);
  if (!isRaw) {
    const { answer } = await ask(store, query);
    assert.deepEqual(roundedSorted(linesOf(answer, false)), roundedSorted(expected), what);
    return;
  }
  const found: string[] = [];
  for (let cursor: string | undefined, pages = 0; pages < 400; pages++) {
    const page = { ...query, ...(cursor !== undefined && { cursor }) };
    const { answer, nextCursor } = await ask(store, page);
    assert.ok(query.limit === undefined || answer.timestamps.length <= query.limit);
    found.push(...linesOf(answer));
    cursor = nextCursor;
    if (cursor === undefined) break;
    if (pages === 8) return assert.deepEqual(found, expected.slice(0, found.length), what);
  }
  assert.deepEqual(found, expected, what);
}

/** Sums of many parts may differ in their last digit. */
function roundedSorted(lines: readonly string[]): string[] {
  const round = (value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(12)) : value);
  return lines.map((line) => JSON.stringify((JSON.parse(line) as unknown[]).map(round))).sort();
}

/** The same query at the same moment on a thread and here, while rows are written and deleted. */
async function compareWithHere(
  store: EmbeddedStore,
  random: Random,
  change: () => Promise<void>,
): Promise<void> {
  const request = { ...requestOf(someQuery(random)), int64AsString: true };
  const there = store.answer(request, termsOf());
  const here = answerHere(store, request, termsOf());
  const changed = change();
  const [one, other] = await Promise.all([there, here]);
  assert.equal(one.nextCursor, other.nextCursor);
  assert.equal((await bytesOf(one)).toString(), (await bytesOf(other)).toString());
  await changed;
}

describe('reads on threads', () => {
  it('give what a plain model has, and what the main thread gives, whatever is written and deleted', async () => {
    const [first, runs] = [Number(process.env['READS_SEED'] ?? 1), Number(process.env['READS_RUNS'] ?? 2)];
    await forSeeds(first, runs, async (random, seed) => {
      const dataDir = `${folder.root}/${seed}`;
      let store = await folder.open({ ...options, dataDir });
      const model: Model = new Map();
      const change = () => {
        const chance = random.next();
        if (chance < 0.75) return write(store, model, random);
        return chance < 0.95 ? deleteSome(store, model, random) : removeStreams(store, model, random);
      };
      for (let step = 0; step < cases(120); step++) {
        const chance = random.next();
        if (chance < 0.6) await change();
        else if (chance < 0.78) await compareWithModel(store, model, random);
        else if (chance < 0.97) await compareWithHere(store, random, change);
        else {
          await folder.close(store);
          store = await folder.open({ ...options, dataDir });
        }
        while (store.room() !== undefined) await store.room();
      }
      for (let i = 0; i < 10; i++) await compareWithModel(store, model, random);
      assert.deepEqual([store.readThreads!()!.reading, store.readThreads!()!.died], [0, 0]);
      await folder.close(store);
    });
  });
});
