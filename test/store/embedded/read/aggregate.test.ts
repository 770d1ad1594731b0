import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type Column, isPresent, Kind } from '../../../../src/domain/parameter-data.ts';
import type { Aggregation, ParameterDataQuery } from '../../../../src/domain/query.ts';
import type { ResultBlock } from '../../../../src/domain/result.ts';
import { noTags } from '../../../../src/domain/tags.ts';
import { isAggregate, planQuery } from '../../../../src/query/plan/plan.ts';
import { openEmbeddedStore } from '../../../../src/store/embedded/store.ts';
import type { Store } from '../../../../src/store/store.ts';
import { until } from '../../../until.ts';
import { seededRandom } from '../random.ts';

const second = 1_000_000_000n;
const start = 1_700_000_000n * second;
let root: string;
let store: Store;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'pitwall-aggregate-'));
  store = await open();
});
afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true });
});

function open(): Promise<Store> {
  return openEmbeddedStore({
    dataDir: join(root, 'data'),
    maxFiles: 2,
    headBytes: 64 << 20,
    interruptedAfterMs: 60_000,
    log: { info() {}, warn() {}, error() {} },
  });
}

/** A start moves what it finds in the log to parts. */
async function moveToParts(): Promise<void> {
  await store.close();
  store = await open();
  await until(() => store.health().headBytes === 0);
}

/** One row a second from `first` on; a column per name. */
async function write(
  streamId: string,
  first: number,
  columns: Record<string, readonly number[]>,
): Promise<void> {
  const count = Object.values(columns)[0]!.length;
  const rows = {
    count,
    base: start + BigInt(first) * second,
    offsets: Float64Array.from({ length: count }, (_, i) => i * 1e9),
    tagSets: [noTags],
    tagIndex: undefined,
    columns: Object.entries(columns).map(
      ([name, values]): Column => ({
        kind: Kind.Numeric,
        name,
        values: Float64Array.from(values),
        present: undefined,
      }),
    ),
  };
  await store.append({ workspace: 'w', changes: [{ type: 'rows', topic: 't', streamId, rows: [rows] }] });
}

async function ask(query: ParameterDataQuery, signal = new AbortController().signal): Promise<ResultBlock[]> {
  const plan = planQuery('w', query);
  assert.ok(isAggregate(plan));
  const blocks: ResultBlock[] = [];
  for await (const block of store.aggregate(plan, signal)) blocks.push(block);
  return blocks;
}

/** Rows as [seconds from the start, texts of groupBy..., values...]. */
function rowsOf(blocks: readonly ResultBlock[]): (number | string | null | undefined)[][] {
  return blocks.flatMap(({ count, base, offsets, columns, tags }) =>
    Array.from({ length: count }, (_, row) => [
      Number((base + BigInt(offsets[row]!) - start) / second),
      ...tags.map(({ texts, index }) => texts[index?.[row] ?? 0]),
      ...columns.map((column) => {
        if (column === undefined || !isPresent(column.present, row)) return null;
        assert.ok(column.kind === Kind.Numeric);
        return column.values[row]!;
      }),
    ]),
  );
}

const all: readonly Aggregation[] = ['Count', 'Sum', 'Mean', 'Min', 'Max', 'First', 'Last', 'Spread'];
const of = (name: string, aggregations: readonly Aggregation[] = all) =>
  aggregations.map((aggregation) => ({ kind: Kind.Numeric, name, aggregation }));

/** The same without any of the code under test; thousandths are summed as whole numbers. */
function expected(values: readonly number[]): (number | null)[] {
  const numbers = values.filter((value) => !Number.isNaN(value));
  if (values.length === 0) return all.map(() => null);
  const sum = numbers.reduce((total, value) => total + Math.round(value * 1000), 0) / 1000;
  const [least, greatest] = [Math.min(...numbers), Math.max(...numbers)];
  return [
    values.length,
    sum,
    sum / numbers.length,
    least,
    greatest,
    values[0]!,
    values.at(-1)!,
    greatest - least,
  ];
}

function assertNear(found: readonly unknown[], wanted: readonly unknown[], what: string): void {
  assert.equal(found.length, wanted.length, what);
  wanted.forEach((value, i) => {
    if (typeof value !== 'number' || Number.isNaN(value))
      assert.deepEqual(found[i], value, `${what}, column ${i}`);
    else
      assert.ok(
        Math.abs((found[i] as number) - value) <= 1e-12 * Math.max(1, Math.abs(value)),
        `${what}, column ${i}: ${found[i]} for ${value}`,
      );
  });
}

/** Thousandths, with a NaN in some frames and in others a value that has no decimal form. */
function someValues(count: number, seed: number, odd: boolean): number[] {
  const random = seededRandom(seed);
  const values = Array.from({ length: count }, () => Math.round(random.next() * 100_000) / 1000);
  if (odd) for (let i = 300; i < count; i += 1700) values[i] = Number.NaN;
  return values;
}

describe('aggregations over parts', () => {
  for (const [what, odd, bucket] of [
    ['of whole row groups', false, 1_000_000],
    ['of buckets that cut frames', false, 777],
    ['of buckets of few rows', false, 7],
    ['where some frames have no statistics', true, 2500],
    ['where a bucket is a frame', true, 128],
  ] as const) {
    it(`are right ${what}`, async () => {
      const [a, b] = [someValues(20_000, 1, odd), someValues(20_000, 2, odd)];
      await write('s', 0, { a, b });
      await moveToParts();
      for (const [from, to] of [
        [0, 19_999],
        [500, 12_345],
        [8191, 8192],
      ] as const) {
        const blocks = await ask({
          parameters: [...of('a'), ...of('b', ['Max'])],
          from: start + BigInt(from) * second,
          to: start + BigInt(to) * second,
          groupByTime: { width: BigInt(bucket) * second, interpolation: 'None' },
        });
        const found = rowsOf(blocks);
        let row = 0;
        const origin = Number(start / second);
        for (let at: number = from; at <= to; row++) {
          const index = Math.floor((origin + at) / bucket);
          const end = Math.min(to + 1, (index + 1) * bucket - origin);
          const most = Math.max(...b.slice(at, end).filter((value) => !Number.isNaN(value)));
          assertNear(
            found[row]!,
            [index * bucket - origin, ...expected(a.slice(at, end)), most],
            `row ${row}`,
          );
          at = end;
        }
        assert.equal(found.length, row);
      }
    });
  }

  it('are the same from the head, from parts, and from rows that were written twice', async () => {
    const values = someValues(6000, 3, true);
    const query = {
      parameters: of('a'),
      groupByTime: { width: 1000n * second, interpolation: 'None' as const },
    };
    await write('s', 0, { a: values.map((value) => value + 1) });
    await moveToParts();
    await write('s', 2000, { a: values.slice(2000, 4000) });
    await write('s', 0, { a: values.slice(0, 2000) });
    await write('s', 4000, { a: values.slice(4000) });
    const inHead = rowsOf(await ask(query));
    await moveToParts();
    const inParts = rowsOf(await ask(query));
    assert.equal(inHead.length, 6);
    for (const [i, row] of inHead.entries()) assertNear(inParts[i]!, row, `row ${i}`);
    assertNear(inParts[0]!, [0, ...expected(values.slice(0, 1000))], 'the first bucket');
  });

  it('find the first and last of streams in their order, and of equal times by stream', async () => {
    const [one, two] = [someValues(3000, 4, false), someValues(3000, 5, false)];
    await write('two', 0, { a: two });
    await write('one', 0, { a: one });
    await write('other', 10, { b: [1] });
    await moveToParts();
    assert.deepEqual(rowsOf(await ask({ parameters: of('a', ['First', 'Last']) })), [[0, one[0], two[2999]]]);
    assert.deepEqual(
      rowsOf(await ask({ parameters: of('a', ['Last']), groupBy: ['streamId'], from: start - second })),
      [
        [-1, 'one', one[2999]],
        [-1, 'two', two[2999]],
      ],
    );
  });

  it('find the first and last values of a long stream wherever they are', async () => {
    const gappy = { b: [7, 8] };
    await write('s', 10, gappy);
    await moveToParts();
    await write('s', 0, { a: someValues(40_000, 6, false) });
    await moveToParts();
    await write('s', 30_000, { c: [5] });
    await write('s', 39_999, { a: [1.5] });
    const asked = [...of('a', ['First', 'Last']), ...of('b', ['First', 'Last']), ...of('c', ['Last'])];
    const first = someValues(1, 6, false)[0];
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(rowsOf(await ask({ parameters: asked })), [[0, first, 1.5, 7, 8, 5]]);
      assert.deepEqual(rowsOf(await ask({ parameters: of('b', ['Last']) })), [[10, 8]]);
      const [, found] = rowsOf(
        await ask({ parameters: of('a', ['Last']), from: start, to: start + 20_000n * second }),
      )[0]!;
      assert.equal(found, someValues(40_000, 6, false)[20_000]);
      await moveToParts();
    }
  });

  it('hold up nobody for long, and end when the reader has left', async () => {
    for (let i = 0; i < 20; i++) await write(`s${i}`, 0, { a: someValues(20_000, i, true) });
    await moveToParts();
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const query = { parameters: of('a', ['Median', 'StdDev', 'Mode']) };
    await ask(query);
    clearInterval(timer);
    assert.ok(turns > 1, 'the event loop went round');
    const controller = new AbortController();
    const reason = new Error('the reader has left');
    setTimeout(() => controller.abort(reason), 1);
    await assert.rejects(ask(query, controller.signal), reason);
  });

  it('look at no part for a reader who has left', async () => {
    await write('s', 0, { a: [1] });
    await moveToParts();
    const parts = join(root, 'data', 'parts');
    for (const name of readdirSync(parts)) writeFileSync(join(parts, name), 'no part');
    const reason = new Error('the reader has left');
    await assert.rejects(ask({ parameters: of('a', ['Mean']) }, AbortSignal.abort(reason)), reason);
    await assert.rejects(ask({ parameters: of('a', ['Mean']) }), { code: 'data_damaged' });
  });

  it('refuse what would take too much', async () => {
    await write('s', 0, { a: [1, 2] });
    await write('s', 1_000_000, { a: [3] });
    const buckets = (interpolation: 'None' | 'Null', from?: bigint) => ({
      parameters: of('a', ['Max']),
      groupByTime: { width: second, interpolation },
      ...(from !== undefined && { from }),
    });
    await assert.rejects(ask(buckets('Null')), { code: 'too_many_buckets' });
    await assert.rejects(ask(buckets('Null', start)), { code: 'too_many_buckets' });
    assert.equal(rowsOf(await ask(buckets('None'))).length, 3);
    await write('s', 20_000_000, { a: [4] });
    const tooFine = {
      parameters: of('a', ['Max']),
      groupByTime: { width: 1n, interpolation: 'None' as const },
    };
    await assert.rejects(ask(tooFine), { code: 'too_many_buckets' });
  });
});
