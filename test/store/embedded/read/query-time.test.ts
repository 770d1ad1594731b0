import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it, mock } from 'node:test';
import { Kind, type Rows } from '../../../../src/domain/parameter-data.ts';
import type { Aggregation } from '../../../../src/domain/query.ts';
import { noTags } from '../../../../src/domain/tags.ts';
import { type AggregatePlan, planQuery, type ReadPlan } from '../../../../src/query/plan/plan.ts';
import { windowStart } from '../../../../src/store/embedded/rows/windows.ts';
import { openEmbeddedStore } from '../../../../src/store/embedded/store.ts';
import type { Store } from '../../../../src/store/store.ts';

const never = new AbortController().signal;
const windows = 60;
const rowsOfWindow = 20;

function rowsAt(window: number, count = rowsOfWindow): Rows {
  return {
    count,
    base: windowStart(window),
    offsets: Float64Array.from({ length: count }, (_, i) => i),
    tagSets: [noTags],
    tagIndex: undefined,
    columns: [{ kind: Kind.Numeric, name: 'p', values: new Float64Array(count).fill(1), present: undefined }],
  };
}

/** Reads see a clock that goes on by a millisecond whenever they look at it, so what they take is what they do. */
describe('the time of a query', () => {
  const root = mkdtempSync(join(tmpdir(), 'pitwall-query-time-'));
  let store: Store;
  before(async () => {
    store = await openEmbeddedStore({
      dataDir: join(root, 'data'),
      headBytes: 64 << 20,
      interruptedAfterMs: 60_000,
      maxQueryMs: 20,
      log: { info() {}, warn() {}, error() {} },
    });
    for (let window = 0; window < windows; window++) {
      const change = { type: 'rows', topic: 't', streamId: 's', rows: [rowsAt(1500 + window)] } as const;
      await store.append({ workspace: 'w', changes: [change] });
    }
    const gaps = Array.from(
      { length: 900 },
      (_, i) =>
        ({ type: 'rows', topic: 't', streamId: `g${i}`, rows: [rowsAt(1600, 1), rowsAt(1610, 1)] }) as const,
    );
    await store.append({ workspace: 'gaps', changes: gaps });
  });
  after(async () => {
    await store.close();
    rmSync(root, { recursive: true });
  });

  beforeEach(() => {
    let now = performance.now();
    mock.method(performance, 'now', () => ++now);
  });
  afterEach(() => mock.restoreAll());

  const planOf = (aggregation: Aggregation, tag?: string) =>
    planQuery('w', {
      parameters: [{ kind: Kind.Numeric, name: 'p', aggregation }],
      ...(tag !== undefined && { tagFilters: [{ tag, operator: 'Equal', values: ['x'] }] }),
    });

  async function count(blocks: AsyncIterable<{ readonly count: number }>): Promise<number> {
    let rows = 0;
    for await (const block of blocks) rows += block.count;
    return rows;
  }

  it('is limited until an aggregation has its answer', async () => {
    await assert.rejects(count(store.aggregate(planOf('Mean') as AggregatePlan, never)), {
      code: 'query_too_slow',
    });
  });

  it('begins anew with each block of rows', async () => {
    assert.equal(await count(store.run(planOf('None') as ReadPlan, never)), windows * rowsOfWindow);
  });

  it('is limited where nothing is found', async () => {
    await assert.rejects(count(store.run(planOf('None', 'lap') as ReadPlan, never)), {
      code: 'query_too_slow',
    });
    await assert.rejects(store.tagValues(planOf('Mean') as AggregatePlan, 'lap', never), {
      code: 'query_too_slow',
    });
  });

  it('is limited where an aggregation goes through streams that have nothing there', async () => {
    const plan = planQuery('gaps', {
      from: windowStart(1600) + 1n,
      to: windowStart(1610) - 1n,
      parameters: [{ kind: Kind.Numeric, name: 'p', aggregation: 'First' }],
    });
    await assert.rejects(count(store.aggregate(plan as AggregatePlan, never)), { code: 'query_too_slow' });
  });

  it('has no limit for deletes', async () => {
    assert.equal(await store.deleteRows(planOf('Mean')), windows * rowsOfWindow);
  });
});
