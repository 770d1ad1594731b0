import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { TagPair } from '../../../src/domain/tags.ts';
import { PitwallError } from '../../../src/errors.ts';
import type { CalculatingQuery } from '../../../src/expression/calculation.ts';
import { isFlaw, parseExpression } from '../../../src/expression/parse.ts';
import { openEmbeddedStore } from '../../../src/store/embedded/store.ts';
import type { Store } from '../../../src/store/store.ts';
import { type Engine, engineMissing, startEngine } from '../../clickhouse/engine.ts';
import { openStore } from '../clickhouse/open-store.ts';
import { forSeeds, type Random, seededRandom } from '../embedded/random.ts';
import { rowsOf, type TestRow } from '../embedded/rows.ts';
import { following, texts } from './page-texts.ts';
import { readPage, readPages } from './read-page.ts';

/** The first seed and how many: a failure names its seed. */
const firstSeed = Number(process.env['PITWALL_SEED'] ?? 1);
const seeds = Number(process.env['PITWALL_SEEDS'] ?? 0);

const second = 1_000_000_000n;
const start = 1_700_000_000n * second;

describe('pages of what looks along rows', () => {
  const root = mkdtempSync(join(tmpdir(), 'pitwall-pages-'));
  const open = () =>
    openEmbeddedStore({
      dataDir: root,
      headBytes: 64 << 20,
      interruptedAfterMs: 60_000,
      sealOnCloseMs: 60_000,
      log: { info() {}, warn() {}, error() {} },
    });
  let store: Store;
  before(async () => {
    store = await open();
  });
  after(async () => {
    await store.close();
    rmSync(root, { recursive: true });
  });

  it('give what one page gives, bit for bit', { timeout: 600_000 }, () =>
    forSeeds(firstSeed, seeds || 6, (random, seed) =>
      tryPages(store, random, `random ${seed}`, { queries: 4, pages: 10 }),
    ),
  );

  describe('on ClickHouse', { skip: engineMissing }, () => {
    let engine: Engine;
    before(async () => {
      engine = await startEngine();
    });
    after(() => engine.stop());

    it('too', { timeout: 600_000 }, async () => {
      const other = await openStore(engine.urlOf('pages'));
      try {
        // A page is a query of the engine, which takes it a hundred times as long as the rows of it.
        await forSeeds(firstSeed, seeds || 2, (random, seed) =>
          tryPages(other, random, `random ${seed}`, { queries: 2, pages: 4 }),
        );
      } finally {
        await other.close();
      }
    });
  });

  for (const [what, calculated] of [
    ['a state in the cursor', ['integral(A)', "lowpass(A, '1s')"]],
    ['a window that no cursor has room for', ["movingMean(A, '10s')", 'fill(B) - previous(A)']],
  ] as const) {
    it(`read few rows again: with ${what}`, async () => {
      const topic = `few ${what}`;
      const rows = Array.from({ length: 100_000 }, (_, i) => ({
        time: start + BigInt(i) * 10_000_000n,
        cells: { A: Math.sin(i), B: i % 3 === 0 ? i : null },
      }));
      await write(store, topic, 'a', rows);
      // In row groups of a part, not in one of memory.
      await store.close();
      store = await open();
      const query = queryOf(topic, calculated);
      const whole = await readPage(store, query);
      const pages = await readPages(store, query, () => 10_000);
      assert.deepEqual(
        pages.flatMap((page) => page.rows),
        whole.rows,
      );
      assert.equal(pages.length, 10);
      // All rows before the cursor again would be five times as many.
      const read = pages.reduce((sum, page) => sum + page.read, 0);
      assert.ok(read < 2.5 * whole.read, `${read} rows were read, of ${whole.read}`);
    });
  }

  it('go on from what was remembered, whatever is written before the cursor meanwhile', async () => {
    const cells = (value: number) => ({ A: value });
    const at = (seconds: number) => start + BigInt(seconds) * second;
    await write(
      store,
      'late',
      'a',
      [1, 2, 3, 4].map((value) => ({ time: at(value), cells: cells(value) })),
    );
    const query = queryOf('late', ['sum(A)']);
    const first = await readPage(store, { ...query, limit: 2 });
    await write(store, 'late', 'a', [{ time: at(1), tags: [['Lap', '1']], cells: cells(100) }]);
    await write(store, 'late', 'b', [
      { time: at(1), cells: cells(1000) },
      { time: at(3), cells: cells(1) },
    ]);
    const next = await readPage(store, { ...query, cursor: first.nextCursor! });
    const sums = [...first.rows, ...next.rows].map(([place, sum]) => [
      place.split(' ')[1]!.split(',')[0],
      sum,
    ]);
    assert.deepEqual(sums, [
      ['a', 1],
      ['a', 3],
      ['a', 6],
      ['b', 1],
      ['a', 10],
    ]);
  });

  it('know the rows before of a stream that is silent where a window first is too large for a cursor and then is not', async () => {
    const at = (milliseconds: number) => start + BigInt(milliseconds) * 1_000_000n;
    const dense = Array.from({ length: 300 }, (_, i) => at(i * 10));
    const sparse = Array.from({ length: 3000 }, (_, i) => at(1_000_000 + i * 20_000));
    await write(
      store,
      'silent',
      'a',
      [...dense, ...sparse].map((time, i) => ({ time, cells: { A: Math.sin(i) } })),
    );
    await write(store, 'silent', 'b', [
      { time: at(5), cells: { A: 10 } },
      { time: at(100_000_000), cells: { A: 20 } },
    ]);
    const query = queryOf('silent', ["movingMean(A, '10s')", 'previous(A)']);
    const whole = await readPage(store, query);
    const limits = [150, 150];
    const pages = await readPages(store, query, () => limits.shift() ?? 500);
    assert.deepEqual(
      pages.flatMap((page) => page.rows),
      whole.rows,
    );
  });

  it('begin anew from `from` where the cursor is of another query', async () => {
    const rows = [1, 2, 3, 4, 5].map((value) => ({
      time: start + BigInt(value) * second,
      cells: { A: value },
    }));
    await write(store, 'other', 'a', rows);
    const query = queryOf('other', ['sum(A)']);
    const { nextCursor: cursor } = await readPage(store, { ...query, limit: 2 });
    assert.match(cursor!, /\./);
    const numbers = async (asked: CalculatingQuery) =>
      (await readPage(store, { ...asked, cursor: cursor! })).rows.map(([, value]) => value);
    assert.deepEqual(await numbers(query), [6, 10, 15]);
    assert.deepEqual(await numbers(queryOf('other', ['sum(A * 2)'])), [12, 20, 30]);
    assert.deepEqual(await numbers({ ...query, from: start + 2n * second }), [5, 9, 14]);
    assert.deepEqual(await numbers({ ...query, topic: 'Other' }), [6, 10, 15]);
    const withoutState = cursor!.slice(0, cursor!.indexOf('.'));
    const plain = await readPage(store, { ...query, cursor: withoutState });
    assert.deepEqual(
      plain.rows.map(([, value]) => value),
      [6, 10, 15],
    );
  });

  it('are refused, or someone else is told wrong values, where a state was forged', async () => {
    const random = seededRandom(7);
    await write(store, 'forged', 'a', randomRows(random));
    await write(store, 'forged', 'b', randomRows(random));
    const query = { ...queryOf('forged', ["over(movingMean(A, '1s'), 'Lap')", 'sum(A)']), limit: 7 };
    const { nextCursor: cursor } = await readPage(store, query);
    const [place, state] = cursor!.split('.') as [string, string];
    const bytes = Buffer.from(state, 'base64url');
    let refused = 0;
    for (let i = 16; i < bytes.length; i++) {
      for (const change of ['cut', 'turn'] as const) {
        const forged = change === 'cut' ? bytes.subarray(0, i) : Buffer.from(bytes);
        if (change === 'turn') forged[i]! ^= 1 << random.int(0, 7);
        try {
          const page = await readPage(store, {
            ...query,
            cursor: `${place}.${forged.toString('base64url')}`,
          });
          assert.equal(change, 'turn');
          assert.equal(page.rows.length, 7);
        } catch (error) {
          if (!(error instanceof PitwallError)) throw error;
          assert.equal(error.code, 'invalid_value');
          assert.equal(error.errors[0]?.path, 'cursor');
          refused++;
        }
      }
    }
    assert.ok(refused >= bytes.length - 16, `${refused} were refused`);
  });
});

/**
 * Random rows and queries, some of which have a state that no cursor has room for.
 * @param pages where there are rows enough, an answer has twice as many on average
 */
async function tryPages(
  store: Store,
  random: Random,
  topic: string,
  { queries, pages: least }: { readonly queries: number; readonly pages: number },
): Promise<void> {
  const streams = random.pick([1, 3, 40]);
  for (let i = 0; i < streams; i++) await write(store, topic, `stream ${i}`, randomRows(random));
  for (let i = 0; i < queries; i++) {
    const some = random.pick([texts, following]);
    const calculated = some.filter(() => random.chance(0.2));
    if (calculated.length === 0) calculated.push(random.pick(some));
    const query: CalculatingQuery = {
      ...queryOf(topic, calculated),
      ...(random.chance(0.5) && { from: start + BigInt(random.int(0, 30)) * second }),
      ...(random.chance(0.3) && {
        tagFilters: [{ tag: 'Lap', operator: random.pick(['Equal', 'NotEqual'] as const), values: ['2'] }],
      }),
    };
    const { rows } = await readPage(store, query);
    const most = Math.max(random.pick([1, 5, 20]), Math.ceil(rows.length / least));
    const pages = await readPages(store, query, () => random.int(1, most));
    assert.deepEqual(
      pages.flatMap((page) => page.rows),
      rows,
      `${calculated} from ${query.from}, pages of ${most}`,
    );
  }
}

/** In any order, some at the same time, some without a value, with numbers of all kinds. */
function randomRows(random: Random): TestRow[] {
  const scale = random.pick([1, 1e9, 1e-9]);
  const odd = random.chance(0.3) ? 0.04 : 0;
  return Array.from({ length: random.int(10, 120) }, () => {
    const tags: TagPair[] = [];
    if (random.chance(0.7)) tags.push(['Lap', random.pick(['1', '2', 'dernière'])]);
    if (random.chance(0.2)) tags.push(['Car', 'x']);
    return {
      time: start + (BigInt(random.int(0, 120)) * second) / 3n,
      tags,
      cells: {
        A: random.chance(0.1) ? null : randomNumber(random, scale, odd),
        B: random.chance(0.4) ? null : randomNumber(random, scale, odd),
      },
    };
  });
}

function randomNumber(random: Random, scale: number, odd: number): number {
  if (random.chance(odd))
    return random.pick([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 1e25]);
  return (random.next() - 0.5) * scale;
}

function queryOf(topic: string, calculated: readonly string[]): CalculatingQuery {
  return {
    topic,
    parameters: [],
    calculated: calculated.map((text, i) => {
      const expression = parseExpression(text);
      assert.ok(!isFlaw(expression), text);
      return { name: `C${i}`, expression, aggregation: 'None' };
    }),
  };
}

async function write(store: Store, topic: string, streamId: string, rows: readonly TestRow[]): Promise<void> {
  await store.append({
    workspace: 'w',
    changes: [{ type: 'rows', topic, streamId, rows: [rowsOf(rows)] }],
  });
}
