import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isPresent, Kind } from '../../../../src/domain/parameter-data.ts';
import { type Aggregation, interpolations } from '../../../../src/domain/query.ts';
import type { ResultBlock } from '../../../../src/domain/result.ts';
import { maxTimestamp, minTimestamp } from '../../../../src/domain/timestamp.ts';
import type { CalculatingQuery } from '../../../../src/expression/calculation.ts';
import { type AggregatePlan, planQuery, type Selection } from '../../../../src/query/plan/plan.ts';
import { openEmbeddedStore } from '../../../../src/store/embedded/store.ts';
import type { Store } from '../../../../src/store/store.ts';
import { type Engine, engineMissing, notAsked, startEngine } from '../../../clickhouse/engine.ts';
import {
  names,
  randomQuery,
  randomRows,
  randomTime,
  streamIds,
} from '../../calculated/random-calculations.ts';
import { type PageRow, readPage } from '../../calculated/read-page.ts';
import { forSeeds, type Random } from '../../embedded/random.ts';
import { rowsOf } from '../../embedded/rows.ts';
import { keptLog, openStore } from '../open-store.ts';
import { keepNow } from '../windows/keep-now.ts';

/** The first seed and how many: a failure names its seed. */
const firstSeed = Number(process.env['PITWALL_SEED'] ?? 1);
const seeds = Number(process.env['PITWALL_SEEDS'] ?? 1);
const questions = 24;
const second = 1_000_000_000n;
/** All rows are of two minutes before it. */
const now = 1_700_000_120_000;

/** Retentions only become shorter: what a longer one brings back is not the same. */
const retentions = [3600n, 100n, 60n, 30n].map((seconds) => seconds * second);

describe('pages and calculated columns of nodes on ClickHouse and of an embedded store', {
  skip: engineMissing || notAsked,
}, () => {
  let engine: Engine;
  const root = mkdtempSync(join(tmpdir(), 'pitwall-same-pages-'));
  before(async () => {
    engine = await startEngine();
  });
  after(async () => {
    await engine.stop();
    rmSync(root, { recursive: true });
  });

  it('are the same, across restarts, retentions and several nodes', {
    timeout: 600_000,
  }, async () => {
    await forSeeds(firstSeed, seeds, async (random, seed) => {
      const url = engine.urlOf(`pages_${seed}`);
      const { log } = keptLog();
      const clock = () => now;
      const openEmbedded = () =>
        openEmbeddedStore({
          dataDir: join(root, `${seed}`),
          headBytes: 64 << 20,
          interruptedAfterMs: 60_000,
          clock,
          log,
        });
      const openNode = () =>
        openStore(url, {
          clock,
          ...(random.chance(0.5) && { fewValues: random.pick([0, 50]) }),
        });
      let embedded: Store = await openEmbedded();
      let nodes: Store[] = [await openNode(), await openNode()];
      const node = () => random.pick(nodes);
      let age = 0;
      const settle = async () => {
        for (const each of nodes) await each.catalog.refresh();
      };
      try {
        for (let round = 0; round < questions; round++) {
          if (round % 8 === 0) {
            for (let i = random.int(1, 4); i > 0; i--) {
              const changes = [
                {
                  type: 'rows' as const,
                  topic: random.pick(['t', 'U']),
                  streamId: random.pick(streamIds),
                  rows: [rowsOf(randomRows(random))],
                },
              ];
              await embedded.append({ workspace: 'w', changes });
              await node().append({ workspace: 'w', changes });
            }
            await settle();
          }
          if (random.chance(0.15)) await deleteSome(embedded, node(), random);
          if (random.chance(0.1)) await hideSome(embedded, node(), random);
          if (age < retentions.length && random.chance(0.06)) {
            const changes = [{ type: 'topic' as const, topic: 't', retention: retentions[age++] }];
            await embedded.append({ workspace: 'w', changes });
            await node().append({ workspace: 'w', changes });
            await settle();
          }
          if (random.chance(0.1)) {
            await embedded.close();
            embedded = await openEmbedded();
            for (const each of nodes) await each.close();
            nodes = [await openNode(), await openNode()];
          }
          // By ClickHouse's clock all of a retention has expired: what is tidied goes.
          const jobs = age === 0 ? (['merge', 'tidy'] as const) : (['merge'] as const);
          if (random.chance(0.1)) await keepNow(url, random.pick(jobs));
          if (random.chance(0.5)) await comparePages(embedded, node, random);
          else await compareAggregates(embedded, node(), random);
          if (random.chance(0.2)) await compareTags(embedded, node(), random);
        }
      } finally {
        await embedded.close();
        for (const each of nodes) await each.close();
      }
    });
  });
});

async function deleteSome(embedded: Store, node: Store, random: Random) {
  const [one, other] = [randomTime(random), randomTime(random)];
  const selection: Selection = {
    workspace: 'w',
    from: one < other ? one : other,
    to: one < other ? other : one,
    streamIds: random.chance(0.5) ? undefined : [random.pick(streamIds)],
    topic: random.chance(0.5) ? undefined : 'T',
    tagFilters: random.chance(0.3) ? [{ tag: 'Lap', operator: 'Equal', values: ['2'] }] : [],
  };
  const parameters = random.chance(0.5) ? undefined : [{ kind: Kind.Numeric, name: random.pick(names) }];
  const expected = await embedded.deleteRows(selection, parameters);
  assert.equal(await node.deleteRows(selection, parameters), expected, printed(selection));
}

async function hideSome(embedded: Store, node: Store, random: Random) {
  const action = random.pick(['softDelete', 'restore', 'restore', 'hardDelete'] as const);
  const change = { workspace: 'w', action, filter: { streamIds: [random.pick(streamIds)] }, now };
  const expected = await embedded.changeStreams(change);
  const actual = await node.changeStreams(change);
  // The clock stands: which stream came first is not known.
  assert.deepEqual([...actual.keys()].map(printed).sort(), [...expected.keys()].map(printed).sort());
}

/** All rows at once of the one, pages of the others, each of any node. */
async function comparePages(embedded: Store, node: () => Store, random: Random) {
  const query = randomQuery(random);
  const { rows } = await readPage(embedded, query);
  const found: PageRow[] = [];
  let cursor: string | undefined;
  const told: string[] = [];
  do {
    const limit = random.int(10, 100);
    const from = random.chance(0.8) ? node() : embedded;
    told.push(`${limit} ${from === embedded ? 'embedded' : 'node'}`);
    const page = await readPage(from, { ...query, limit, ...(cursor !== undefined && { cursor }) });
    found.push(...page.rows);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  const at = rows.findIndex((row, i) => printed(row) !== printed(found[i]));
  if (at < 0 && found.length === rows.length) return;
  assert.fail(
    `${printedQuery(query)}\n${told}\n${rows.length} and ${found.length} rows, row ${at}\nexpected ${printed(rows[at])}\nactual   ${printed(found[at])}`,
  );
}

const aggregations: readonly Aggregation[] = [
  'Count',
  'First',
  'Last',
  'Max',
  'Min',
  'Sum',
  'Mean',
  'P90',
  'Mode',
];

async function compareAggregates(embedded: Store, node: Store, random: Random) {
  const { calculated, parameters, ...rest } = randomQuery(random);
  const query: CalculatingQuery = {
    ...rest,
    parameters: parameters.map((one) => ({ ...one, aggregation: random.pick(aggregations) })),
    calculated: calculated!.map((one) => ({ ...one, aggregation: random.pick(aggregations) })),
    groupBy: ['streamId', 'topic', 'Lap', 'Car'].filter(() => random.chance(0.25)),
    ...(random.chance(0.6) && {
      groupByTime: {
        width: random.pick([second, 10n * second, 3600n * second]),
        interpolation: random.pick(interpolations),
      },
    }),
    ...(random.chance(0.2) && { limit: random.int(1, 20) }),
  };
  const [expected, actual] = [await aggregated(embedded, query), await aggregated(node, query)];
  const at = expected.findIndex((row, i) => !isNear(row, actual[i]));
  if (at < 0 && actual.length === expected.length) return;
  assert.fail(
    `${printedQuery(query)}\n${expected.length} and ${actual.length} rows, row ${at}\nexpected ${printed(expected[at])}\nactual   ${printed(actual[at])}`,
  );
}

type Row = readonly (string | number | null)[];

async function aggregated(store: Store, query: CalculatingQuery): Promise<Row[]> {
  const rows: Row[] = [];
  const plan = planQuery('w', query) as AggregatePlan;
  for await (const block of store.aggregate(plan, new AbortController().signal))
    rows.push(...resultRows(block));
  return rows;
}

function resultRows({ count, base, offsets, columns, tags }: ResultBlock): Row[] {
  return Array.from({ length: count }, (_, row) => [
    String(base + BigInt(offsets[row]!)),
    ...tags.map(({ texts, index }) => texts[index?.[row] ?? 0] ?? null),
    ...columns.map((column) =>
      column?.kind === Kind.Numeric && isPresent(column.present, row) ? column.values[row]! : null,
    ),
  ]);
}

function isNear(expected: Row, actual: Row | undefined): boolean {
  return expected.every((cell, i) => {
    const other = actual?.[i];
    if (cell === other || Object.is(cell, other)) return true;
    if (typeof cell !== 'number' || typeof other !== 'number') return false;
    return Math.abs(cell - other) <= 1e-12 * Math.max(1, Math.abs(cell));
  });
}

async function compareTags(embedded: Store, node: Store, random: Random) {
  const selection: Selection = {
    workspace: 'w',
    streamIds: random.chance(0.5) ? undefined : [random.pick(streamIds)],
    topic: random.chance(0.5) ? undefined : 't',
    from: random.chance(0.5) ? minTimestamp : randomTime(random),
    to: random.chance(0.5) ? maxTimestamp : randomTime(random),
    tagFilters: [],
  };
  const { signal } = new AbortController();
  assert.deepEqual(
    await node.tagValues(selection, 'Lap', signal),
    await embedded.tagValues(selection, 'Lap', signal),
    printed(selection),
  );
}

function printed(value: unknown): string {
  return String(
    JSON.stringify(value, (_, part) =>
      part === undefined
        ? 'none'
        : typeof part === 'bigint' ||
            (typeof part === 'number' && !Number.isFinite(part)) ||
            Object.is(part, -0)
          ? `${Object.is(part, -0) ? '-0' : part}`
          : part,
    ),
  );
}

function printedQuery({ calculated, ...query }: CalculatingQuery): string {
  return `${printed(query)} ${printed(calculated?.map(({ name, expression, aggregation }) => [name, expression.root, aggregation]))}`;
}
