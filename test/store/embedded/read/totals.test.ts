import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type Column, isPresent, Kind } from '../../../../src/domain/parameter-data.ts';
import type { Aggregation, ParameterDataQuery } from '../../../../src/domain/query.ts';
import { noTags, tagSet } from '../../../../src/domain/tags.ts';
import { isAggregate, planQuery } from '../../../../src/query/plan/plan.ts';
import { openEmbeddedStore } from '../../../../src/store/embedded/store.ts';
import type { Store } from '../../../../src/store/store.ts';
import { until } from '../../../until.ts';
import { damageGroups } from '../damage-groups.ts';
import { forSeeds, type Random } from '../random.ts';

/** Rows come once a second from here on; the time of a row is its number. */
const second = 1_000_000_000n;
const start = 1_700_000_000n * second;
let root: string;
let store: Store;
let stream: string;

beforeEach(async () => {
  stream = 's';
  root = mkdtempSync(join(tmpdir(), 'pitwall-totals-'));
  store = await open();
});
afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true });
});

function open(): Promise<Store> {
  return openEmbeddedStore({
    dataDir: join(root, 'data'),
    maxFiles: 4,
    headBytes: 128 << 20,
    interruptedAfterMs: 60_000,
    log: { info() {}, warn() {}, error() {} },
  });
}

async function moveToParts(): Promise<void> {
  await store.close();
  store = await open();
  await until(() => store.health().headBytes === 0);
}

/** A column per name; undefined where a row has no value. */
type Columns = Readonly<Record<string, readonly (number | undefined)[]>>;

async function write(first: number, columns: Columns, tags = noTags, step = second): Promise<void> {
  const count = Object.values(columns)[0]!.length;
  const rows = {
    count,
    base: start + BigInt(first) * step,
    offsets: Float64Array.from({ length: count }, (_, i) => i * Number(step)),
    tagSets: [tags],
    tagIndex: undefined,
    columns: Object.entries(columns).map(([name, values]): Column => {
      const present = new Uint8Array((count + 7) >> 3);
      for (const [i, value] of values.entries()) if (value !== undefined) present[i >> 3]! |= 1 << (i & 7);
      const isDense = !values.includes(undefined);
      const numbers = Float64Array.from(values, (value) => value ?? 0);
      return { kind: Kind.Numeric, name, values: numbers, present: isDense ? undefined : present };
    }),
  };
  await store.append({
    workspace: 'w',
    changes: [{ type: 'rows', topic: 't', streamId: stream, rows: [rows] }],
  });
}

/** Rows as [number of the row, values...]. */
async function ask(query: ParameterDataQuery): Promise<(number | null)[][]> {
  const plan = planQuery('w', query);
  assert.ok(isAggregate(plan));
  const rows: (number | null)[][] = [];
  for await (const { count, base, offsets, columns } of store.aggregate(plan, new AbortController().signal)) {
    for (let row = 0; row < count; row++) {
      const values = columns.map((column) => {
        if (column === undefined || !isPresent(column.present, row)) return null;
        assert.ok(column.kind === Kind.Numeric);
        return column.values[row]!;
      });
      rows.push([Number((base + BigInt(offsets[row]!) - start) / second), ...values]);
    }
  }
  return rows;
}

const of = (name: string, aggregations: readonly Aggregation[]) =>
  aggregations.map((aggregation) => ({ kind: Kind.Numeric, name, aggregation }));
const buckets = (rows: number) => ({ width: BigInt(rows) * second, interpolation: 'None' as const });

/** Damages the row groups at some places of each part. */
async function damage(isDamaged: (place: number) => boolean): Promise<void> {
  await store.close();
  await damageGroups(join(root, 'data', 'parts'), isDamaged);
  store = await open();
}

const thousandths = (count: number, seed = 1) => {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state % 100_000) / 1000;
  });
};

describe('aggregations by totals', () => {
  it('of everything read no row group', async () => {
    const values = thousandths(300_000);
    for (let at = 0; at < values.length; at += 100_000)
      await write(at, { a: values.slice(at, at + 100_000) }, noTags, second / 10n);
    await moveToParts();
    const asked = { parameters: of('a', ['Count', 'Mean', 'Min', 'Max', 'First', 'Last']) };
    const before = await ask(asked);
    const mean = values.reduce((sum, value) => sum + Math.round(value * 1000), 0) / 1000 / values.length;
    const extremes = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
    assert.deepEqual(before, [[0, values.length, mean, ...extremes, values[0], values.at(-1)]]);
    await damage(() => true);
    assert.deepEqual(await ask(asked), before);
    await assert.rejects(ask({ parameters: of('a', ['P50']) }), { code: 'data_damaged' });
  });

  it('read the row groups at the edges of buckets alone', async () => {
    const values = thousandths(100_000, 2);
    await write(0, { a: values });
    await moveToParts();
    // The range begins and ends within row groups, and one bucket ends at some row of its middle.
    const border = Math.ceil(Number(start / second) / 50_000) * 50_000 - Number(start / second);
    const asked = {
      parameters: of('a', ['Max', 'Count']),
      from: start + 100n * second,
      to: start + 99_000n * second,
      groupByTime: buckets(50_000),
    };
    const before = await ask(asked);
    const edges = new Set([0, Math.floor(border / 8192), Math.floor((border + 50_000) / 8192), 12]);
    await damage((place) => !edges.has(place));
    assert.deepEqual(await ask(asked), before);
    await assert.rejects(ask({ ...asked, from: start + 30_000n * second }), { code: 'data_damaged' });
  });

  it('are those of the rows, whatever was written late, deleted, without values or not exact', async () => {
    await forSeeds(1, 3, async (random, seed) => {
      stream = `s${seed}`;
      const model = new Map<string, ModelRow>();
      for (let step = 0, steps = random.int(2, 6); step < steps; step++) {
        await writeSome(random, model);
        if (random.chance(0.6)) await moveToParts();
        if (random.chance(0.5)) await deleteSome(random, model);
      }
      await moveToParts();
      for (let deletes = random.int(0, 4); deletes > 0; deletes--) await deleteSome(random, model);
      for (let query = 0; query < 12; query++) await compare(random, model);
      await deleteSome(random, model);
      for (let query = 0; query < 12; query++) await compare(random, model);
    });
  });
});

interface ModelRow {
  readonly time: number;
  readonly lap: string | undefined;
  readonly values: Map<string, number>;
}

const names = ['a', 'b', 'c'];
const laps = [undefined, '1', '2'];
const lastRow = 60_000;

/** Many rows in order, or a few late ones; thousandths mostly, some without a value, NaN, or no decimals. */
async function writeSome(random: Random, model: Map<string, ModelRow>): Promise<void> {
  const isLate = random.chance(0.3);
  const first = random.int(0, isLate ? lastRow - 3000 : 10_000);
  const count = isLate ? random.int(1, 2000) : random.int(9000, 40_000);
  const lap = random.chance(0.6) ? undefined : random.pick(laps);
  const columns: Record<string, (number | undefined)[]> = {};
  for (const name of names) {
    if (name !== 'a' && random.chance(0.4)) continue;
    const [gaps, odd, isFine] = [random.chance(0.2), random.chance(0.2), random.chance(0.2)];
    columns[name] = Array.from({ length: count }, () => {
      if (gaps && random.chance(0.01)) return undefined;
      if (odd && random.chance(0.0001)) return Number.NaN;
      return isFine ? random.next() * 100 : Math.round(random.next() * 1e6) / 1000;
    });
  }
  await write(first, columns, lap === undefined ? noTags : tagSet([['lap', lap]]));
  for (let i = 0; i < count; i++) {
    const key = `${first + i} ${lap}`;
    const row = model.get(key) ?? { time: first + i, lap, values: new Map() };
    for (const [name, values] of Object.entries(columns))
      if (values[i] !== undefined) row.values.set(name, values[i]!);
    if (row.values.size > 0) model.set(key, row);
  }
}

async function deleteSome(random: Random, model: Map<string, ModelRow>): Promise<void> {
  const from = random.int(0, lastRow);
  const to = from + (random.chance(0.7) ? random.int(0, 300) : random.int(0, 20_000));
  const parameters = random.chance(0.7) ? undefined : [{ kind: Kind.Numeric, name: random.pick(names) }];
  const lap = random.chance(0.8) ? undefined : random.pick(['1', '2']);
  const tagFilters = lap === undefined ? [] : [{ tag: 'lap', operator: 'Equal' as const, values: [lap] }];
  const times = { from: start + BigInt(from) * second, to: start + BigInt(to) * second };
  const selection = { workspace: 'w', streamIds: [stream], topic: undefined, ...times, tagFilters };
  await store.deleteRows(selection, parameters);
  for (const [key, row] of model) {
    if (row.time < from || row.time > to || (lap !== undefined && row.lap !== lap)) continue;
    for (const name of parameters === undefined ? names : parameters.map((of) => of.name))
      row.values.delete(name);
    if (row.values.size === 0) model.delete(key);
  }
}

async function compare(random: Random, model: ReadonlyMap<string, ModelRow>): Promise<void> {
  const wanted = names.filter(() => random.chance(0.5));
  if (wanted.length === 0) wanted.push('a');
  const kinds: readonly Aggregation[] = ['Count', 'Sum', 'Mean', 'Min', 'Max', 'First', 'Last', 'Spread'];
  const asked = wanted.flatMap((name) => {
    const chosen = kinds.filter(() => random.chance(0.4));
    return (chosen.length === 0 ? (['Mean'] as const) : chosen).map((aggregation) => ({ name, aggregation }));
  });
  const width = random.pick([undefined, 20_000, 9000, 3600, 100]);
  const [from, to] = random.chance(0.4)
    ? [undefined, undefined]
    : [random.int(0, 30_000), random.int(30_000, lastRow)];
  const lap = random.chance(0.7) ? undefined : random.pick(['1', '2', '3']);
  const operator = random.pick(['Equal', 'NotEqual'] as const);
  const tag = random.chance(0.8) ? 'lap' : 'driver';
  const isWanted = (row: ModelRow) =>
    lap === undefined || (tag === 'lap' && row.lap === lap) === (operator === 'Equal');
  const byLap = random.chance(0.3);
  const query: ParameterDataQuery = {
    streamIds: [stream],
    parameters: asked.map(({ name, aggregation }) => ({ kind: Kind.Numeric, name, aggregation })),
    ...(from !== undefined && { from: start + BigInt(from) * second, to: start + BigInt(to) * second }),
    ...(width !== undefined && { groupByTime: buckets(width) }),
    ...(lap !== undefined && { tagFilters: [{ tag, operator, values: [lap] }] }),
    ...(byLap && { groupBy: [random.pick(['lap', 'lap', 'driver'])] }),
  };
  const rows = [...model.values()]
    .filter(
      (row) =>
        row.time >= (from ?? 0) &&
        row.time <= (to ?? Number.POSITIVE_INFINITY) &&
        isWanted(row) &&
        wanted.some((name) => row.values.has(name)),
    )
    .sort((x, y) => x.time - y.time || (x.lap ?? '').localeCompare(y.lap ?? ''));
  const origin = Number(start / second);
  const groups = new Map<string, { time: number; lap: string; rows: ModelRow[] }>();
  for (const row of rows) {
    const bucket = width === undefined ? undefined : Math.floor((origin + row.time) / width) * width - origin;
    const lapOf = query.groupBy?.[0] === 'lap' ? (row.lap ?? '') : '';
    const key = `${bucket} ${lapOf}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { time: bucket ?? from ?? row.time, lap: lapOf, rows: [row] });
    else group.rows.push(row);
  }
  const expected = [...groups.values()].sort((x, y) => x.time - y.time || x.lap.localeCompare(y.lap));
  const found = await ask(query);
  const text = JSON.stringify(query, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  assert.deepEqual(
    found.map(([time]) => time),
    expected.map(({ time }) => time),
    text,
  );
  // What was found the first time may be kept by now.
  assert.deepEqual(await ask(query), found, text);
  for (const [i, group] of expected.entries()) {
    asked.forEach(({ name, aggregation }, column) => {
      const values = group.rows.map((row) => row.values.get(name)).filter((value) => value !== undefined);
      assertSame(found[i]![column + 1]!, aggregation, values, `${text}, row ${i}, column ${column}`);
    });
  }
}

function assertSame(
  found: number | null,
  aggregation: Aggregation,
  all: readonly number[],
  what: string,
): void {
  const numbers = all.filter((value) => !Number.isNaN(value));
  const sum = numbers.reduce((a, b) => a + b, 0);
  const least = () => numbers.reduce((a, b) => Math.min(a, b));
  const most = () => numbers.reduce((a, b) => Math.max(a, b));
  const plain: Partial<Record<Aggregation, () => number>> = {
    Count: () => all.length,
    First: () => all[0]!,
    Last: () => all.at(-1)!,
    Min: least,
    Max: most,
    Spread: () => most() - least(),
    Sum: () => sum,
    Mean: () => sum / numbers.length,
  };
  const counted = ['Count', 'First', 'Last'].includes(aggregation) ? all : numbers;
  if (counted.length === 0) assert.equal(found, null, what);
  else if (aggregation === 'Sum' || aggregation === 'Mean') {
    const expected = plain[aggregation]!();
    assert.ok(Math.abs(found! - expected) <= 1e-9 * Math.abs(expected), `${what}: ${found} for ${expected}`);
  } else assert.equal(found, plain[aggregation]!(), what);
}
