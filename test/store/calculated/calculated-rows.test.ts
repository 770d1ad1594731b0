import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { inspect } from 'node:util';
import { isPresent, Kind } from '../../../src/domain/parameter-data.ts';
import type { CalculatingQuery } from '../../../src/expression/calculation.ts';
import { isAggregate, planQuery } from '../../../src/query/plan/plan.ts';
import { openEmbeddedStore } from '../../../src/store/embedded/store.ts';
import type { Store } from '../../../src/store/store.ts';
import { type Engine, engineMissing, startEngine } from '../../clickhouse/engine.ts';
import { openStore } from '../clickhouse/open-store.ts';
import { forSeeds, type Random } from '../embedded/random.ts';
import { type ReadRow, readRows } from '../embedded/read-rows.ts';
import { rowsOf } from '../embedded/rows.ts';
import { type ExpectedRow, groupOf, plainData } from './plain-data.ts';
import { names, randomQuery, randomRows, randomTime, streamIds } from './random-calculations.ts';
import { readPage, readPages } from './read-page.ts';

/** The first seed and how many: a failure names its seed. */
const firstSeed = Number(process.env['PITWALL_SEED'] ?? 1);
const seeds = Number(process.env['PITWALL_SEEDS'] ?? 0);

describe('calculated rows are what the plain interpreter says', () => {
  const root = mkdtempSync(join(tmpdir(), 'pitwall-calculated-'));
  after(() => rmSync(root, { recursive: true }));

  it('on the embedded store', { timeout: 600_000 }, () =>
    forSeeds(firstSeed, seeds || 6, async (random, seed) => {
      const open = () =>
        openEmbeddedStore({
          dataDir: join(root, String(seed)),
          headBytes: 64 << 20,
          interruptedAfterMs: 60_000,
          log: { info() {}, warn() {}, error() {} },
        });
      await tryStore(random, open, 8);
    }),
  );

  describe('on ClickHouse', { skip: engineMissing }, () => {
    let engine: Engine;
    before(async () => {
      engine = await startEngine();
    });
    after(() => engine.stop());

    it('too', { timeout: 600_000 }, () =>
      forSeeds(firstSeed, seeds || 1, (random, seed) =>
        // A page is a query of the engine, which takes it a hundred times as long as the rows of it.
        tryStore(random, () => openStore(engine.urlOf(`calculated_${seed}`)), 2),
      ),
    );
  });
});

/**
 * Writes and deletes by chance, with a restart between them, each followed by queries.
 * @param pages where there are rows enough, an answer that is paged has twice as many on average
 */
async function tryStore(random: Random, open: () => Promise<Store>, pages: number): Promise<void> {
  const data = plainData();
  let store = await open();
  try {
    for (let round = 0; round < 4; round++) {
      for (let writes = random.int(1, 4); writes > 0; writes--) {
        const [streamId, rows] = [random.pick(streamIds), randomRows(random)];
        data.write(streamId, rows);
        await store.append({
          workspace: 'w',
          changes: [{ type: 'rows', topic: 'cars', streamId, rows: [rowsOf(rows)] }],
        });
      }
      if (random.chance(0.3)) {
        await store.close();
        store = await open();
      }
      if (random.chance(0.3)) await remove(store, data, random);
      for (let queries = 0; queries < 12; queries++) {
        const query = randomQuery(random);
        const wanted = data.answer(query);
        const told = inspect({
          ...query,
          calculated: query.calculated!.map(({ expression }) => expression.text),
        });
        compareRows(await rowsOfQuery(store, query), wanted, told);
        if (random.chance(0.4)) await comparePages(store, query, random, { pages, told });
        if (random.chance(0.5)) await compareGroups(store, { ...query, order: 'Asc' }, random, data, told);
        if (random.chance(0.6)) continue;
        // What ClickHouse calculates by itself.
        const ofRows = { ...randomQuery(random, false), order: 'Asc' as const };
        const texts = ofRows.calculated!.map(({ expression }) => expression.text);
        await compareGroups(store, ofRows, random, data, inspect({ ...ofRows, calculated: texts }));
      }
    }
  } finally {
    await store.close();
  }
}

async function remove(store: Store, data: ReturnType<typeof plainData>, random: Random): Promise<void> {
  const [one, other] = [randomTime(random), randomTime(random)];
  const [from, to] = one < other ? [one, other] : [other, one];
  const streamId = random.pick(streamIds);
  const name = random.chance(0.6) ? random.pick(names) : undefined;
  data.remove(streamId, from, to, name);
  const selection = { workspace: 'w', streamIds: [streamId], topic: undefined, from, to, tagFilters: [] };
  await store.deleteRows(selection, name === undefined ? undefined : [{ kind: Kind.Numeric, name }]);
}

async function rowsOfQuery(store: Store, query: CalculatingQuery): Promise<ReadRow[]> {
  const plan = planQuery('w', query);
  assert.ok(!isAggregate(plan));
  return readRows(store, plan);
}

/** Pages of any lengths give the rows of one page, bit for bit. */
async function comparePages(
  store: Store,
  query: CalculatingQuery,
  random: Random,
  { pages: least, told }: { readonly pages: number; readonly told: string },
): Promise<void> {
  const { rows } = await readPage(store, query);
  const most = Math.max(random.pick([1, 5, 20]), Math.ceil(rows.length / least));
  const pages = await readPages(store, query, () => random.int(1, most));
  assert.deepEqual(
    pages.flatMap((page) => page.rows),
    rows,
    `pages of ${most}: ${told}`,
  );
}

function compareRows(found: readonly ReadRow[], wanted: readonly ExpectedRow[], told: string): void {
  const place = ({ timestamp, streamId, tags }: ReadRow | ExpectedRow) => `${timestamp} ${streamId} ${tags}`;
  assert.deepEqual(found.map(place), wanted.map(place), told);
  for (const [row, { cells }] of wanted.entries())
    for (const [i, cell] of cells.entries())
      compareNumbers(
        found[row]!.cells[i] ?? undefined,
        cell,
        `${told}: column ${i} of ${place(wanted[row]!)}`,
      );
}

/** Equal, or as near as other orders of adding come. */
function compareNumbers(found: unknown, wanted: number | undefined, told: string): void {
  if (Object.is(found, wanted) || found === wanted) return;
  assert.ok(typeof found === 'number' && wanted !== undefined, `${told}: ${found}, not ${wanted}`);
  assert.ok(
    Math.abs(found - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted)),
    `${told}: ${found}, not ${wanted}`,
  );
}

/** Counts, sums of counted rows and last values of the calculated columns, by groups and buckets. */
async function compareGroups(
  store: Store,
  query: CalculatingQuery,
  random: Random,
  data: ReturnType<typeof plainData>,
  told: string,
): Promise<void> {
  const groupBy = random.pick([[], ['Lap'], ['streamId'], ['streamId', 'Lap']]);
  const width = random.pick([undefined, 5_000_000_000n]);
  const aggregations = ['Count', 'Max', 'Last', 'First'] as const;
  const asked: CalculatingQuery = {
    ...query,
    parameters: [],
    groupBy,
    calculated: query.calculated!.flatMap((one) =>
      aggregations.map((aggregation) => ({ ...one, aggregation })),
    ),
    ...(width !== undefined && { groupByTime: { width, interpolation: 'None' as const } }),
  };
  const groups = new Map<string, { time: bigint; columns: number[][] }>();
  for (const row of data.answer({ ...query, parameters: [] })) {
    const time = width === undefined ? query.from : row.timestamp - (row.timestamp % width);
    const values = groupBy.map((tag) => groupOf(row, tag) ?? null);
    const key = JSON.stringify([width === undefined ? '' : String(time), values]);
    const group = groups.get(key) ?? {
      time: time ?? row.timestamp,
      columns: query.calculated!.map((): number[] => []),
    };
    groups.set(key, group);
    for (const [i, cell] of row.cells.entries()) if (cell !== undefined) group.columns[i]!.push(cell);
  }
  const plan = planQuery('w', asked);
  assert.ok(isAggregate(plan));
  let rows = 0;
  for await (const block of store.aggregate(plan, new AbortController().signal)) {
    for (let row = 0; row < block.count; row++, rows++) {
      const time = block.base + BigInt(block.offsets[row]!);
      const values = block.tags.map(({ texts, index }) => texts[index?.[row] ?? 0] ?? null);
      const group = groups.get(JSON.stringify([width === undefined ? '' : String(time), values]));
      assert.ok(group !== undefined, `${told}: ${time} ${values}`);
      assert.equal(time, group.time, told);
      for (const [i, column] of group.columns.entries()) {
        const numbers = column.filter((value) => !Number.isNaN(value));
        const wanted = [
          column.length === 0 ? undefined : column.length,
          numbers.length === 0 ? undefined : Math.max(...numbers),
          column.at(-1),
          column[0],
        ];
        for (const [j, value] of wanted.entries()) {
          const found = block.columns[i * aggregations.length + j];
          const cell =
            found?.kind === Kind.Numeric && isPresent(found.present, row) ? found.values[row] : undefined;
          const what = `${told}: ${aggregations[j]} of column ${i} by ${groupBy} at ${time}`;
          compareNumbers(cell === 0 && value === undefined ? undefined : cell, value, what);
        }
      }
    }
  }
  assert.equal(rows, groups.size, told);
}
