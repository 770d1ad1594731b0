import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isPresent, Kind, type ParameterKey } from '../../../../src/domain/parameter-data.ts';
import {
  type Aggregation,
  aggregations,
  interpolations,
  type ParameterDataQuery,
  type TagFilter,
  tagOperators,
} from '../../../../src/domain/query.ts';
import type { ResultBlock } from '../../../../src/domain/result.ts';
import { type TagPair, tagSet } from '../../../../src/domain/tags.ts';
import { maxTimestamp, minTimestamp } from '../../../../src/domain/timestamp.ts';
import { PitwallError } from '../../../../src/errors.ts';
import { encodeCursor, encodeGroupCursor } from '../../../../src/query/plan/cursor.ts';
import { isAggregate, planQuery, type Selection } from '../../../../src/query/plan/plan.ts';
import { openEmbeddedStore } from '../../../../src/store/embedded/store.ts';
import type { Store } from '../../../../src/store/store.ts';
import { startCluster } from '../../../clickhouse/cluster/start-cluster.ts';
import { type Engine, engineMissing, notAsked, startEngine } from '../../../clickhouse/engine.ts';
import { forSeeds, type Random } from '../../embedded/random.ts';
import { readRows } from '../../embedded/read-rows.ts';
import { type Cell, rowsOf, type TestRow } from '../../embedded/rows.ts';
import { keptLog, openStore } from '../open-store.ts';
import { keepNow } from '../windows/keep-now.ts';

/** The first seed and how many: a failure names its seed. */
const firstSeed = Number(process.env['PITWALL_SEED'] ?? 1);
const seeds = Number(process.env['PITWALL_SEEDS'] ?? (notAsked ? 1 : 6));
const queriesPerSeed = notAsked ? 40 : 60;
/** With TEST_STORE=cluster, over two shards. */
const cluster = process.env['TEST_STORE'] === 'cluster' ? 'many' : undefined;

const now = 1_700_000_000_000;
const second = 1_000_000_000n;

describe('a store in ClickHouse and an embedded one', { skip: engineMissing }, () => {
  let engine: Pick<Engine, 'urlOf' | 'stop'>;
  const root = mkdtempSync(join(tmpdir(), 'pitwall-same-'));
  before(async () => {
    engine = await (cluster === undefined ? startEngine() : startCluster(cluster, [1, 1]));
  });
  after(async () => {
    await engine.stop();
    rmSync(root, { recursive: true });
  });

  async function withStores(seed: number, use: (stores: readonly [Store, Store]) => Promise<void>) {
    const { log } = keptLog();
    const embedded = await openEmbeddedStore({
      dataDir: join(root, `${seed}`),
      headBytes: 64 << 20,
      interruptedAfterMs: 60_000,
      log,
    });
    const url = engine.urlOf(`same_${seed}`);
    const clickhouse = await openStore(url, {
      cluster,
      // Of many values each store has few: in every other one they are read as if they were many.
      ...(seed % 2 === 0 && { fewValues: 0 }),
    });
    const other = await openStore(url, { cluster });
    try {
      await use([embedded, inTurn(clickhouse, [other])]);
    } finally {
      for (const store of [embedded, clickhouse, other]) await store.close();
    }
  }

  it('give the same rows, aggregates and tags for the same writes', {
    timeout: 600_000,
  }, async () => {
    await forSeeds(firstSeed, seeds, (random, seed) =>
      withStores(seed, async (stores) => {
        const isWild = random.chance(0.3);
        const deletes = random.chance(0.7);
        await fill(stores, random, { isWild, deletes });
        for (let round = 0; round < queriesPerSeed; round++) {
          if (round === queriesPerSeed / 2) await fill(stores, random, { isWild, deletes });
          const query = random.chance(0.5) ? rawQuery(random) : aggregateQuery(random, isWild);
          await compareAnswers(stores, query, isWild);
          if (round % 6 === 0) await compareTagValues(stores, random, deletes);
          if (round % 20 === 0) await compareListings(stores);
          if (round % 10 === 5) {
            await keepNow(engine.urlOf(`same_${seed}`), random.pick(['merge', 'tidy'] as const), { cluster });
          }
        }
      }),
    );
  });
});

/** A store that writes through several nodes in turn. */
function inTurn(store: Store, others: readonly Store[]): Store {
  const writers = [store, ...others];
  let turn = 0;
  return { ...store, append: (batch) => writers[turn++ % writers.length]!.append(batch) };
}

/** Each in one spelling: of several nodes either may be the first to name a topic. */
const topics = ['Cars', 'TRACK', 'z'];
const streamIds = ['a', 'b', 'B', '\ue000', '😀', "s'; DROP TABLE samples; --", '`'];
const names = ['Speed', 'speed', 'x"\\y', 'mixed'];
const tagNames = ['lap', 'driver', 'a"\\b', ','];
const tagTexts = ['1', '2', '2.0', 'NED', '', '\n', '"', '\\', '😀', '\uffff', '!'];

/** @param deletes whether ranges of rows are deleted, too */
async function fill(
  stores: readonly Store[],
  random: Random,
  { isWild, deletes }: { readonly isWild: boolean; readonly deletes: boolean },
): Promise<void> {
  for (let batch = random.int(3, 8); batch > 0; batch--) {
    const changes = Array.from({ length: random.int(1, 3) }, () => ({
      type: 'rows' as const,
      topic: random.pick(topics),
      streamId: random.pick(streamIds),
      rows: [rowsOf(random.chance(0.2) ? denseRows(random, isWild) : randomRows(random, isWild))],
    }));
    for (const store of stores) await store.append({ workspace: 'w', changes });
  }
  for (let left = deletes ? random.int(1, 3) : 0; left > 0; left--) await deleteRows(stores, random);
  if (random.chance(0.5)) {
    const filter = { streamIds: [random.pick(streamIds)] };
    const action = random.pick(['softDelete', 'softDelete', 'hardDelete', 'restore'] as const);
    const change = { workspace: 'w', action, filter, now };
    const [expected, actual] = await Promise.all(stores.map((store) => store.changeStreams(change)));
    assert.deepEqual([...actual!.keys()], [...expected!.keys()]);
  }
}

async function deleteRows(stores: readonly Store[], random: Random): Promise<void> {
  const [one, other] = [randomTime(random), randomTime(random)];
  const selection: Selection = {
    workspace: 'w',
    from: one < other ? one : other,
    to: one < other ? other : one,
    streamIds: random.chance(0.3) ? undefined : streamIds.filter(() => random.chance(0.5)).concat('a'),
    topic: random.chance(0.5) ? undefined : random.pick(topics),
    tagFilters: random.chance(0.3) ? [randomFilter(random)] : [],
  };
  const parameters = random.chance(0.5) ? undefined : someKeys(random);
  const counts: number[] = [];
  for (const store of stores) counts.push(await store.deleteRows(selection, parameters));
  assert.equal(counts[1], counts[0], printed({ ...selection, parameters }));
}

function randomRows(random: Random, isWild: boolean): TestRow[] {
  const start = randomTime(random);
  const cellOf: Record<string, () => Cell> = {
    Speed: () => randomNumber(random, isWild),
    speed: () => randomNumber(random, isWild),
    'x"\\y': () => random.pick(['', 'text', 'ü\u0000"', 'x'.repeat(200)]),
    mixed: () => random.bytes(random.int(0, 5)),
  };
  const used = names.filter(() => random.chance(0.6));
  if (used.length === 0) used.push('Speed');
  const step = random.pick([0n, 1n, second / 10n, second, 3600n * second]);
  return Array.from({ length: random.int(1, 60) }, (_, i) => ({
    time: start + BigInt(i) * step,
    tags: randomTags(random),
    cells: Object.fromEntries(
      used.map((name, at) => [
        name,
        at > 0 && name !== 'mixed' && random.chance(0.2) ? null : cellOf[name]!(),
      ]),
    ),
  }));
}

/** More values than a window is meant for, or fewer, of one tag set: decimals of a few digits. */
function denseRows(random: Random, isWild: boolean): TestRow[] {
  const start = randomTime(random);
  const tags = random.chance(0.5) ? [] : randomTags(random);
  const step = random.pick([1000n, second / 1000n, second / 50n, second, 600n * second]);
  const shares = random.pick([1, 10, 1000]);
  const name = random.pick(['Speed', 'speed']);
  const numberOf = () => (isWild ? random.int(-4000, 4000) / shares : random.int(-4000, 4000) / 8);
  return Array.from({ length: random.int(200, 700) }, (_, i) => ({
    time: start + BigInt(i) * step,
    tags,
    cells: { [name]: random.chance(0.01) ? randomNumber(random, isWild) : numberOf() },
  }));
}

function randomTime(random: Random): bigint {
  if (random.chance(0.05)) return random.pick([minTimestamp, maxTimestamp - 10_000_000n * second]);
  const near = BigInt(random.int(-30, 30)) * second;
  return random.pick([near, near, near, 1_700_000_000n * second + near, -5_000_000_000n * second + near]);
}

function randomTags(random: Random): TagPair[] {
  const used = tagNames.filter(() => random.chance(0.3));
  return used.map((name) => [name, random.pick(tagTexts)]);
}

function randomNumber(random: Random, isWild: boolean): number {
  if (isWild) {
    return random.pick([NaN, Infinity, -Infinity, -0, 0, 1e308, -1e308, 5e-324, 0.1, random.next()]);
  }
  // Sums of such are exact.
  return random.chance(0.1) ? random.pick([NaN, -0, 0]) : random.int(-4000, 4000) / 8;
}

const keys: readonly ParameterKey[] = [
  { kind: Kind.Numeric, name: 'Speed' },
  { kind: Kind.Numeric, name: 'speed' },
  { kind: Kind.String, name: 'x"\\y' },
  { kind: Kind.Binary, name: 'mixed' },
  { kind: Kind.Numeric, name: 'nobody wrote this' },
  { kind: Kind.String, name: 'Speed' },
];

function someKeys(random: Random): ParameterKey[] {
  const some = keys.filter(() => random.chance(0.4));
  return some.length === 0 ? [keys[0]!] : some;
}

function randomSelection(random: Random): Omit<ParameterDataQuery, 'parameters'> {
  return {
    ...(random.chance(0.4) && { from: randomTime(random) }),
    ...(random.chance(0.4) && { to: randomTime(random) }),
    ...(random.chance(0.4) && { streamIds: streamIds.filter(() => random.chance(0.5)).concat('a') }),
    ...(random.chance(0.4) && { topic: random.pick(['CARS', 'track', 'z', 'none']) }),
    ...(random.chance(0.4) && { tagFilters: [randomFilter(random)] }),
    order: random.pick(['Asc', 'Desc']),
    ...(random.chance(0.3) && { limit: random.int(1, 20) }),
  };
}

function randomFilter(random: Random): TagFilter {
  const operator = random.pick(tagOperators);
  const isPattern = operator === 'Like' || operator === 'NotLike';
  const values = isPattern ? ['^N', '.', '2', '\\\\', '(?i)ned'] : [...tagTexts, 2];
  return { tag: random.pick(tagNames), operator, values: [random.pick<string | number>(values)] };
}

function rawQuery(random: Random): ParameterDataQuery {
  const parameters = someKeys(random).map((key) => ({ ...key, aggregation: 'None' as const }));
  const cursor = encodeCursor({
    timestamp: randomTime(random),
    topic: random.pick(topics),
    streamId: random.pick(streamIds),
    tags: tagSet(randomTags(random)).key,
  });
  return { parameters, ...randomSelection(random), ...(random.chance(0.3) && { cursor }) };
}

function aggregateQuery(random: Random, isWild: boolean): ParameterDataQuery {
  // Where 1e308 and -1e308 take each other away, what is left of smaller numbers differs (decision 009).
  const numeric = aggregations.filter((one) => one !== 'None' && !(isWild && /Sum|Mean|StdDev/.test(one)));
  const parameters = someKeys(random).flatMap(({ kind, name }) => {
    const choices: readonly Aggregation[] = kind === Kind.Numeric ? numeric : ['First', 'Last'];
    return choices.filter(() => random.chance(0.3)).map((aggregation) => ({ kind, name, aggregation }));
  });
  if (parameters.length === 0) parameters.push({ ...keys[0]!, aggregation: 'Max' });
  const groupBy = [...tagNames, 'streamId', 'topic'].filter(() => random.chance(0.2));
  const cursor = encodeGroupCursor({
    timestamp: randomTime(random),
    group: groupBy.map(() => random.pick([undefined, ...tagTexts])),
  });
  return {
    parameters,
    ...randomSelection(random),
    groupBy,
    ...(random.chance(0.2) && { cursor }),
    ...(random.chance(0.7) && {
      groupByTime: {
        width: random.pick([1n, 7n, second, 10n * second, 86_400n * second, 2n ** 62n]),
        interpolation: random.pick(interpolations),
      },
    }),
  };
}

async function compareAnswers(
  [embedded, clickhouse]: readonly [Store, Store],
  query: ParameterDataQuery,
  isWild: boolean,
): Promise<void> {
  const answers = await Promise.all([embedded, clickhouse].map((store) => answerOf(store, query)));
  const [expected, actual] = answers as [Answer, Answer];
  const told = () => {
    const at = [...expected].findIndex((row, i) => printed(row) !== printed(actual[i] ?? null));
    const [left, right] = [expected, actual].map((answer) =>
      printed(typeof answer === 'string' ? answer : (answer[at < 0 ? expected.length : at] ?? 'no row')),
    );
    return `${printed(query)}\nof ${expected.length} and ${actual.length} rows, row ${at}:\nexpected ${left}\nactual   ${right}`;
  };
  if (typeof expected === 'string' || typeof actual === 'string') {
    if (actual !== expected) assert.fail(told());
    return;
  }
  if (actual.length !== expected.length) assert.fail(told());
  const exact = query.parameters.every(({ aggregation }) => aggregation === 'None');
  expected.forEach((row, i) => {
    row.forEach((cell, j) => {
      const isSame = exact ? Object.is(actual[i]![j], cell) : isNear(actual[i]![j], cell, isWild);
      if (!isSame) assert.fail(`row ${i}, cell ${j}\n${told()}`);
    });
  });
}

/** Rows as texts and numbers, or the code of an error. */
type Answer = (string | number | null)[][] | string;

async function answerOf(store: Store, query: ParameterDataQuery): Promise<Answer> {
  try {
    const plan = planQuery('w', query);
    if (!isAggregate(plan)) {
      const rows = await readRows(store, plan);
      return rows.map(({ timestamp, topic, streamId, tags, cells }) => [
        String(timestamp),
        topic,
        streamId,
        tags,
        ...cells.map((cell) => (cell instanceof Uint8Array ? Buffer.from(cell).toString('hex') : cell)),
      ]);
    }
    const rows: (string | number | null)[][] = [];
    for await (const block of store.aggregate(plan, new AbortController().signal)) {
      rows.push(...resultRows(block));
    }
    return rows;
  } catch (error) {
    // Of two reasons for too many buckets either may be found first.
    if (error instanceof PitwallError)
      return error.code === 'too_many_buckets' ? error.code : `${error.code}: ${error.message}`;
    throw error;
  }
}

function resultRows({ count, base, offsets, columns, tags }: ResultBlock): (string | number | null)[][] {
  return Array.from({ length: count }, (_, row) => [
    String(base + BigInt(offsets[row]!)),
    ...tags.map(({ texts, index }) => texts[index?.[row] ?? 0] ?? null),
    ...columns.map((column) => {
      if (column === undefined || !isPresent(column.present, row)) return null;
      if (column.kind === Kind.Numeric) return column.values[row]!;
      const start = row === 0 ? 0 : column.ends[row - 1]!;
      return Buffer.from(column.bytes.subarray(start, column.ends[row]!)).toString('latin1');
    }),
  ]);
}

/** Zeros of both signs are equal extremes; sums of all kinds of numbers are as good as rounding lets them be. */
function isNear(actual: unknown, expected: unknown, isWild: boolean): boolean {
  if (actual === expected || Object.is(actual, expected)) return true;
  if (typeof actual !== 'number' || typeof expected !== 'number') return false;
  // What overflows on its way depends on the order in which it is added.
  if (isWild && (Math.abs(expected) > 1e300 || !Number.isFinite(expected + actual))) return true;
  return Math.abs(actual - expected) <= 1e-12 * Math.max(Math.abs(actual), Math.abs(expected), 1e-3);
}

function printed(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    typeof part === 'bigint' || (typeof part === 'number' && !Number.isFinite(part)) || Object.is(part, -0)
      ? `${Object.is(part, -0) ? '-0' : part}`
      : part,
  );
}

async function compareListings(stores: readonly Store[]): Promise<void> {
  const { signal } = new AbortController();
  const [expected, actual] = await Promise.all(
    stores.map(async ({ catalog }) => {
      const streams = await catalog.streams('w', {}, now, signal);
      const parameters = await catalog.parameters('w', {}, signal);
      return {
        streams: streams.map(({ streamId, topic, dataStart, dataEnd }) =>
          printed([streamId, topic, dataStart, dataEnd]),
        ),
        // A column without any value counts as one of binaries in the embedded store.
        parameters: parameters
          .filter(({ id, type }) => id === 'mixed' || type !== 'Binary')
          .map(({ id, type, streamIds: of }) => printed([id, type, of])),
      };
    }),
  );
  assert.deepEqual(actual!.streams.sort(), expected!.streams.sort());
  assert.deepEqual(actual!.parameters.sort(), expected!.parameters.sort());
}

async function compareTagValues(
  [embedded, clickhouse]: readonly [Store, Store],
  random: Random,
  hasDeletes: boolean,
): Promise<void> {
  const {
    from = minTimestamp,
    to = maxTimestamp,
    streamIds,
    topic,
    tagFilters = [],
  } = randomSelection(random);
  const selection: Selection = { workspace: 'w', from, to, streamIds, topic, tagFilters };
  const tag = random.pick(tagNames);
  const { signal } = new AbortController();
  const expected = await embedded.tagValues(selection, tag, signal);
  assert.deepEqual(
    await clickhouse.tagValues(selection, tag, signal),
    expected,
    printed({ ...selection, tag }),
  );
  // The embedded store may know names of deleted rows for a while.
  if (hasDeletes) return;
  const names = { ...selection, tagFilters: [] };
  assert.deepEqual(
    await clickhouse.tagNames(names, signal),
    await embedded.tagNames(names, signal),
    printed(names),
  );
}
