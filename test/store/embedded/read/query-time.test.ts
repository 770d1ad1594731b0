import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it, mock } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import type { Aggregation } from '../../../../src/domain/query.ts';
import { noTags } from '../../../../src/domain/tags.ts';
import { type AggregatePlan, planQuery, type ReadPlan } from '../../../../src/query/plan.ts';
import { windowStart } from '../../../../src/store/embedded/rows/windows.ts';
import { openEmbeddedStore } from '../../../../src/store/embedded/store.ts';
import type { Store } from '../../../../src/store/store.ts';

const never = new AbortController().signal;
const windows = 60;
const rowsOfWindow = 20;

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
      const rows = {
        count: rowsOfWindow,
        base: windowStart(1500 + window),
        offsets: Float64Array.from({ length: rowsOfWindow }, (_, i) => i),
        tagSets: [noTags],
        tagIndex: undefined,
        columns: [
          {
            kind: Kind.Numeric,
            name: 'p',
            values: new Float64Array(rowsOfWindow).fill(1),
            present: undefined,
          } as const,
        ],
      };
      const change = { type: 'rows', topic: 't', streamId: 's', rows: [rows] } as const;
      await store.append({ workspace: 'w', changes: [change] });
    }
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

  it('has no limit for deletes', async () => {
    assert.equal(await store.deleteRows(planOf('Mean')), windows * rowsOfWindow);
  });
});
