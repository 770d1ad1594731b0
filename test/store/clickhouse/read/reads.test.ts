import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Column, isPresent, Kind, type Rows } from '../../../../src/domain/parameter-data.ts';
import type { ParameterDataQuery } from '../../../../src/domain/query.ts';
import { noTags, tagSet } from '../../../../src/domain/tags.ts';
import { encodeCursor } from '../../../../src/query/plan/cursor.ts';
import {
  type AggregatePlan,
  isAggregate,
  planQuery,
  type ReadPlan,
} from '../../../../src/query/plan/plan.ts';
import { createRegistry } from '../../../../src/store/clickhouse/catalog/registry.ts';
import { defaultReadLimits, type ReadLimits } from '../../../../src/store/clickhouse/read/read-settings.ts';
import { clickHouseReads } from '../../../../src/store/clickhouse/read/reads.ts';
import { type ClickHouse, connectClickHouse } from '../../../../src/store/clickhouse/server/client.ts';
import { openEmbeddedStore } from '../../../../src/store/embedded/store.ts';
import type { Store } from '../../../../src/store/store.ts';
import { type Engine, engineMissing, notAsked, startEngine } from '../../../clickhouse/engine.ts';
import { type ReadRow, readRows } from '../../embedded/read-rows.ts';
import { keptLog, numbers, openStore, rowsOf } from '../open-store.ts';

const never = new AbortController().signal;

describe('reads on ClickHouse', { skip: engineMissing }, () => {
  let engine: Engine;
  const root = mkdtempSync(join(tmpdir(), 'pitwall-reads-'));
  before(async () => {
    engine = await startEngine();
  });
  after(async () => {
    await engine.stop();
    rmSync(root, { recursive: true });
  });

  async function withStore(database: string, use: (store: Store) => Promise<void>): Promise<void> {
    const store = await openStore(engine.urlOf(database));
    try {
      await use(store);
    } finally {
      await store.close();
    }
  }

  /** Reads with other limits than a store has, on what a store has written. */
  async function withLimits(
    database: string,
    limits: Partial<ReadLimits>,
    use: (reads: ReturnType<typeof clickHouseReads>) => Promise<void>,
  ): Promise<void> {
    const clickhouse: ClickHouse = connectClickHouse({ url: engine.urlOf(database) });
    try {
      const options = { registry: createRegistry(), refresh: () => undefined, clock: () => 0 };
      await use(clickHouseReads({ clickhouse, ...options, limits: { ...defaultReadLimits, ...limits } }));
    } finally {
      await clickhouse.close();
    }
  }

  describe('of more rows than a slice has', () => {
    let embedded: Store;
    let clickhouse: Store;
    before(async () => {
      const { log } = keptLog();
      const dataDir = join(root, 'slices');
      embedded = await openEmbeddedStore({ dataDir, headBytes: 64 << 20, interruptedAfterMs: 60_000, log });
      clickhouse = await openStore(engine.urlOf('slices'));
      for (const streamId of ['a', 'b', 'c']) {
        for (const store of [embedded, clickhouse]) await store.append(rowsOf(streamId, dense(104_000)));
      }
      // Far from the others, before and behind.
      for (const store of [embedded, clickhouse]) {
        await store.append(rowsOf('a', numbers(-(2n ** 62n), [1, 2], 'x'), numbers(2n ** 62n, [3], 'y')));
      }
    });
    after(async () => {
      await embedded.close();
      await clickhouse.close();
    });

    async function compare(query: ParameterDataQuery): Promise<ReadRow[]> {
      const plan = planQuery('w', query) as ReadPlan;
      const [expected, actual] = [await readRows(embedded, plan), await readRows(clickhouse, plan)];
      assert.equal(actual.length, expected.length);
      const at = expected.findIndex((row, i) => !isSameRow(row, actual[i]!));
      if (at >= 0) assert.deepEqual(actual[at], expected[at], `row ${at}`);
      return actual;
    }

    const parameters = ['x', 'y'].map((name) => ({ kind: Kind.Numeric, name, aggregation: 'None' as const }));

    it('gives them all, in both orders', async () => {
      assert.equal((await compare({ parameters })).length, 312_003);
      assert.equal((await compare({ parameters, order: 'Desc' })).length, 312_003);
    });

    it('gives a limited number, page by page', async () => {
      for (const order of ['Asc', 'Desc'] as const) {
        let cursor: string | undefined;
        for (let page = 0; page < 4; page++) {
          const rows = await compare({ parameters, order, limit: 1000, ...(cursor && { cursor }) });
          assert.equal(rows.length, 1000);
          cursor = encodeCursor(rows.at(-1)!);
        }
      }
    });

    it('ends at the first block when nobody wants more', async () => {
      for await (const block of clickhouse.run(planQuery('w', { parameters }) as ReadPlan, never)) {
        assert.ok(block.count > 0);
        break;
      }
      assert.equal((await compare({ parameters, limit: 1 })).length, 1);
    });

    it('ends with the reason of its signal', async () => {
      const abort = new AbortController();
      const read = async () => {
        for await (const _ of clickhouse.run(planQuery('w', { parameters }) as ReadPlan, abort.signal)) {
          abort.abort(new Error('the client has left'));
        }
      };
      await assert.rejects(read(), { message: 'the client has left' });
      const gone = AbortSignal.abort(new Error('was never there'));
      const plan = planQuery('w', {
        parameters: [{ ...parameters[0]!, aggregation: 'Mean' }],
      }) as AggregatePlan;
      await assert.rejects(all(clickhouse.aggregate(plan, gone)), { message: 'was never there' });
    });

    it('holds no more memory than it may', async () => {
      await withLimits('slices', { memoryBytes: 1 << 20 }, async (reads) => {
        const plan = planQuery('w', {
          parameters: [{ ...parameters[0]!, aggregation: 'Median' }],
        }) as AggregatePlan;
        await assert.rejects(all(reads.aggregate(plan, never)), { code: 'query_too_large' });
      });
    });

    it('reads no more bytes than it may', async () => {
      await withLimits('slices', { bytes: 1 << 20 }, async (reads) => {
        await assert.rejects(readRows(reads, planQuery('w', { parameters }) as ReadPlan), {
          code: 'query_too_large',
        });
      });
    });

    it('takes no longer than it may', async () => {
      await withLimits('slices', { timeMs: 1 }, async (reads) => {
        const plan = planQuery('w', { parameters: [{ ...parameters[0]!, aggregation: 'Median' }] });
        const tooSlow = {
          code: 'query_too_slow',
          message: /more than 0\.001 s without rows to give; ask for/,
        };
        await assert.rejects(all(reads.aggregate(plan as AggregatePlan, never)), tooSlow);
        await assert.rejects(readRows(reads, planQuery('w', { parameters }) as ReadPlan), tooSlow);
        await assert.rejects(reads.tagValues(plan, 'lap', never), tooSlow);
      });
    });

    it('takes ids by the thousand', async () => {
      const streamIds = Array.from({ length: 20_000 }, (_, i) => `stream number ${i}`);
      assert.equal((await compare({ parameters, streamIds: [...streamIds, 'b'] })).length, 104_000);
    });
  });

  it('adds up infinities and what leaves the doubles on its way', async () => {
    await withStore('sums', async (store) => {
      const cases: [values: number[], sum: number, mean?: number][] = [
        [[1, Number.POSITIVE_INFINITY, 2], Number.POSITIVE_INFINITY],
        [[Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY], Number.NaN],
        [[1e308, 1e308], Number.POSITIVE_INFINITY, 1e308],
        [[-1e308, -1e308, 1], Number.NEGATIVE_INFINITY, -6.666666666666666e307],
        [[Number.NaN, 1], 1],
        [Array.from({ length: 1000 }, () => 0.1), 100],
        [new Array<number>(3).fill(1.5990505637277868), 4.797151691183361, 1.5990505637277868],
      ];
      for (const [i, [values, sum, mean]] of cases.entries()) {
        await store.append(rowsOf(`s${i}`, numbers(0n, values)));
        const [[total, found]] = (await columns(store, `s${i}`, ['Sum', 'Mean'])) as [[number, number]];
        assert.ok(Object.is(total, sum), `${total} and not ${sum}`);
        const count = values.filter((value) => !Number.isNaN(value)).length;
        assert.ok(Object.is(found, mean ?? sum / count), `${found}`);
      }
    });
  });

  it('refuses more groups than an answer may have, but not more tag sets', { skip: notAsked }, async () => {
    await withStore('groups', async (store) => {
      const count = 250_000;
      for (let batch = 0; batch < 5; batch++) {
        const base = numbers(BigInt(batch * count), new Array<number>(count).fill(batch));
        const tagSets = Array.from({ length: count }, (_, i) => tagSet([['n', `${batch}:${i}`]]));
        const tagIndex = Uint32Array.from({ length: count }, (_, i) => i);
        await store.append(rowsOf('s', { ...base, tagSets, tagIndex }));
      }
      const parameters = [{ kind: Kind.Numeric, name: 'p', aggregation: 'Count' as const }];
      const edges = (['First', 'Last'] as const).map((aggregation) => ({ ...parameters[0]!, aggregation }));
      const ofAll = planQuery('w', { parameters: edges }) as AggregatePlan;
      const [block, ...others] = await all(store.aggregate(ofAll, never));
      assert.equal(others.length, 0);
      assert.deepEqual(
        block!.columns.map((column) => column?.kind === Kind.Numeric && column.values[0]),
        [0, 4],
      );
      const byTag = planQuery('w', { parameters, groupBy: ['n'] }) as AggregatePlan;
      await assert.rejects(all(store.aggregate(byTag, never)), { code: 'query_too_large' });
      const groupByTime = { width: 1n, interpolation: 'None' as const };
      const byTime = planQuery('w', { parameters, groupByTime }) as AggregatePlan;
      await assert.rejects(all(store.aggregate(byTime, never)), { code: 'too_many_buckets' });
      await assert.rejects(
        store.tagValues({ ...byTag, streamIds: ['s'] }, 'n', never).then((values) => {
          assert.equal(values.length, 5 * count);
        }),
        { code: 'query_too_large' },
      );
    });
  });

  it('gives events with their bytes, aggregated and as tags', async () => {
    await withStore('events', async (store) => {
      const events: Rows = {
        count: 2,
        base: 5n,
        offsets: Float64Array.of(0, 1),
        tagSets: [tagSet([['driver', 'NED']])],
        tagIndex: undefined,
        columns: [
          {
            kind: Kind.Event,
            name: 'e',
            bytes: Buffer.from('onetwo'),
            ends: Uint32Array.of(3, 6),
            present: undefined,
          },
        ],
      };
      await store.append(rowsOf('s', events));
      const key = { kind: Kind.Event, name: 'e' };
      const rows = await readRows(
        store,
        planQuery('w', { parameters: [{ ...key, aggregation: 'None' }] }) as ReadPlan,
      );
      assert.deepEqual(
        rows.map(({ timestamp, cells }) => [timestamp, Buffer.from(cells[0] as Uint8Array).toString()]),
        [
          [5n, 'one'],
          [6n, 'two'],
        ],
      );
      const parameters = (['First', 'Last', 'Count'] as const).map((aggregation) => ({
        ...key,
        aggregation,
      }));
      assert.deepEqual(await answer(store, { parameters }), [['one', 'two', 2]]);
      const selection = planQuery('w', { parameters }) as AggregatePlan;
      assert.deepEqual(await store.tagValues(selection, 'driver', never), ['NED']);
    });
  });

  it('shows no row that is older than its topic keeps', async () => {
    // Near the server's own time, by which it takes expired rows from the disk.
    let now = Date.now();
    const store = await openStore(engine.urlOf('kept'), { clock: () => now });
    try {
      const ms = 1_000_000n;
      for (const topic of ['Topic', 'other']) {
        const rows = [numbers(BigInt(now - 60_000) * ms, [1]), numbers(BigInt(now - 5000) * ms, [2])];
        await store.append({ workspace: 'w', changes: [{ type: 'rows', topic, streamId: 's', rows }] });
      }
      const count = async (topic?: string) => {
        const parameters = [{ kind: Kind.Numeric, name: 'p', aggregation: 'Count' as const }];
        return (await answer(store, { parameters, groupBy: ['topic'], ...(topic && { topic }) })).flat();
      };
      assert.deepEqual(await count(), [2, 2]);
      const topic = { type: 'topic', topic: 'TOPIC', retention: 30_000n * ms } as const;
      await store.append({ workspace: 'w', changes: [topic] });
      // The group whose first row is older comes first.
      assert.deepEqual(await count(), [2, 1]);
      assert.deepEqual(await count('topic'), [1]);
      assert.deepEqual(await count('other'), [2]);
      now += 30_000;
      assert.deepEqual(await count(), [2]);
      assert.deepEqual(await count('topic'), []);
    } finally {
      await store.close();
    }
  });

  async function answer(store: Store, query: ParameterDataQuery): Promise<(number | string | null)[][]> {
    const plan = planQuery('w', query);
    assert.ok(isAggregate(plan));
    const rows: (number | string | null)[][] = [];
    for await (const { count, columns } of store.aggregate(plan, never)) {
      for (let row = 0; row < count; row++) rows.push(columns.map((column) => cellOf(column, row)));
    }
    return rows;
  }

  function columns(store: Store, streamId: string, aggregations: readonly ('Sum' | 'Mean')[]) {
    const parameters = aggregations.map((aggregation) => ({ kind: Kind.Numeric, name: 'p', aggregation }));
    return answer(store, { parameters, streamIds: [streamId] });
  }
});

/** Two parameters every 10 ms, some values missing, with tags that change. */
function dense(count: number): Rows {
  const present = new Uint8Array(count / 8).fill(0b11101111);
  const column = (name: string, factor: number, bits: Uint8Array | undefined): Column => ({
    kind: Kind.Numeric,
    name,
    values: Float64Array.from({ length: count }, (_, i) => i * factor),
    present: bits,
  });
  return {
    count,
    base: 1_700_000_000_000_000_000n,
    offsets: Float64Array.from({ length: count }, (_, i) => i * 1e7),
    tagSets: [noTags, tagSet([['lap', '1']]), tagSet([['lap', '2']])],
    tagIndex: Uint32Array.from({ length: count }, (_, i) => Math.floor(i / 1000) % 3),
    columns: [column('x', 1, undefined), column('y', 0.5, present)],
  };
}

async function all<Block>(blocks: AsyncIterable<Block>): Promise<Block[]> {
  const found: Block[] = [];
  for await (const block of blocks) found.push(block);
  return found;
}

function isSameRow(a: ReadRow, b: ReadRow): boolean {
  return (
    a.timestamp === b.timestamp &&
    a.topic === b.topic &&
    a.streamId === b.streamId &&
    a.tags === b.tags &&
    a.cells.every((cell, i) => Object.is(cell, b.cells[i]))
  );
}

function cellOf(column: Column | undefined, row: number): number | string | null {
  if (column === undefined || !isPresent(column.present, row)) return null;
  if (column.kind === Kind.Numeric) return column.values[row]!;
  return Buffer.from(
    column.bytes.subarray(row === 0 ? 0 : column.ends[row - 1]!, column.ends[row]!),
  ).toString();
}
