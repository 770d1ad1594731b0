import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Kind } from '../../../src/domain/parameter-data.ts';
import { maxTimestamp, minTimestamp } from '../../../src/domain/timestamp.ts';
import type { ReadPlan } from '../../../src/query/plan.ts';
import type { EmbeddedStore } from '../../../src/store/embedded/store.ts';
import { until } from '../../until.ts';
import { readRows } from './read-rows.ts';
import { rowsOf, type TestRow } from './rows.ts';
import { storeFolder } from './store-folder.ts';

const folder = storeFolder('spread');
const start = 1_500_000_000_000_000_000n;
/** Ten years in ns: 280 windows. */
const span = 315_576_000_000_000_000n;

const plan: ReadPlan = {
  workspace: 'default',
  streamIds: undefined,
  topic: undefined,
  from: minTimestamp,
  to: maxTimestamp,
  parameters: [{ kind: Kind.Numeric, name: 'v' }],
  tagFilters: [],
  order: 'Asc',
  limit: undefined,
  after: undefined,
};

async function write(store: EmbeddedStore, rows: readonly TestRow[]): Promise<void> {
  const changes = rows.map((row) => ({
    type: 'rows' as const,
    topic: 't',
    streamId: 's',
    rows: [rowsOf([row])],
  }));
  await store.append({ workspace: 'default', changes });
  while (store.room() !== undefined) await store.room();
}

const rowsAt = (times: readonly bigint[]): TestRow[] => times.map((time, i) => ({ time, cells: { v: i } }));

const partFiles = () => readdirSync(join(folder.directory, 'parts')).length;

describe('rows that are spread over ten years', () => {
  it('become a few parts of each slab', async () => {
    const count = 1000;
    const times = Array.from({ length: count }, (_, i) => start + (span / BigInt(count)) * BigInt(i));
    const store = await folder.open({ sealOnCloseMs: 60_000 });
    await write(store, rowsAt(times));
    await folder.close(store);
    assert.ok(partFiles() <= 9, `${partFiles()} parts`);
    const again = await folder.open();
    const found = await readRows(again, plan);
    assert.deepEqual(
      found.map(({ timestamp }) => timestamp),
      times,
    );
    const [hour, at] = [3_600_000_000_000n, times[500]!];
    const few = await readRows(again, { ...plan, from: at - hour, to: at + hour });
    assert.deepEqual(
      few.map(({ timestamp }) => timestamp),
      [at],
    );
    await until(() => again.health().parts <= 9);
  });
});
