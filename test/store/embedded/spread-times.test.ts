import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Kind } from '../../../src/domain/parameter-data.ts';
import { maxTimestamp, minTimestamp } from '../../../src/domain/timestamp.ts';
import type { ReadPlan } from '../../../src/query/plan/plan.ts';
import { describePart } from '../../../src/store/embedded/catalog/known-parts.ts';
import { readManifest } from '../../../src/store/embedded/manifest/open-manifest.ts';
import type { PartRecord } from '../../../src/store/embedded/parts/part-record.ts';
import { restoreBackup } from '../../../src/store/embedded/restore.ts';
import type { EmbeddedStore } from '../../../src/store/embedded/store.ts';
import { verifyStore } from '../../../src/store/embedded/verify.ts';
import { cases } from '../../extent.ts';
import { until } from '../../until.ts';
import { forSeeds } from './random.ts';
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

  it('are as they should be over late rows, deletes, retention, merges, restarts and a restore', async () => {
    await forSeeds(1, 1, async (random, seed) => {
      folder.now = Number((start + span) / 1_000_000n);
      const dataDir = join(folder.root, `data-${seed}`);
      let store = await folder.open({ dataDir, quietMs: 20 });
      const model = new Map<bigint, number>();
      let kept = minTimestamp;
      const rounds = cases(120);
      const check = async (from: bigint, to: bigint) => {
        const found = await readRows(store, { ...plan, from, to });
        assert.deepEqual(
          found.map(({ timestamp, cells }) => [timestamp, cells[0]]),
          [...model]
            .filter(([time]) => time >= from && time <= to && time >= kept)
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        );
      };
      for (let round = 0; round < rounds; round++) {
        const places = random.pick([3, 40, 280]);
        const rows = Array.from({ length: random.pick([3, 60, 200]) }, () => {
          // Few times in each window, so that rows come again.
          const time =
            start + (span / BigInt(places)) * BigInt(random.int(0, places - 1)) + BigInt(random.int(0, 9));
          return { time, cells: { v: random.int(0, 1e6) } };
        });
        await write(store, rows);
        // What is expired when it comes is not written.
        for (const { time, cells } of rows) model.set(time, cells.v);
        const chance = random.next();
        const [a, b] = [random.int(0, 1000), random.int(0, 1000)].sort((x, y) => x - y).map(BigInt);
        const [from, to] = [start + (span / 1000n) * a!, start + (span / 1000n) * b!];
        if (chance < 0.1) {
          const selection = { ...plan, from, to: from + (to - from) / 10n };
          await store.deleteRows(selection, undefined);
          for (const time of model.keys()) if (time >= from && time <= selection.to) model.delete(time);
        } else if (chance < 0.15 && round > rounds / 2) {
          const retention = span - (span / 200n) * BigInt(random.int(1, 150));
          await store.append({ workspace: 'default', changes: [{ type: 'topic', topic: 't', retention }] });
          const now = BigInt(folder.now) * 1_000_000n;
          // What one retention has hidden is gone when a longer one comes.
          kept = now - retention > kept ? now - retention : kept;
          await store.append({
            workspace: 'default',
            changes: [{ type: 'topic', topic: 't', retention: now - kept }],
          });
        } else if (chance < 0.25) {
          await folder.close(store);
          store = await folder.open({ dataDir, quietMs: 20, sealOnCloseMs: random.pick([0, 60_000]) });
        } else if (chance < 0.4) {
          await check(from, to);
        }
      }
      await check(minTimestamp, maxTimestamp);
      const copy = join(folder.root, `copy-${seed}`);
      const { chunks } = await store.backup(new AbortController().signal);
      await restoreBackup(chunks, copy);
      await folder.close(store);
      for await (const damage of verifyStore(dataDir)) assert.fail(`${damage.file}: ${damage.what}`);
      store = await folder.open({ dataDir: copy });
      await check(minTimestamp, maxTimestamp);
      assert.ok(store.health().parts < 200, `${store.health().parts} parts`);
      await folder.close(store);
      for await (const damage of verifyStore(copy)) assert.fail(`${damage.file}: ${damage.what}`);
    });
  });

  it('leave the disk when they expire, and no read before', async () => {
    folder.now = Number((start + span) / 1_000_000n);
    const times = Array.from({ length: 1000 }, (_, i) => start + (span / 1000n) * BigInt(i));
    let store = await folder.open({ sealOnCloseMs: 60_000 });
    await write(store, rowsAt(times));
    await folder.close(store);
    store = await folder.open();
    const bytes = () =>
      readdirSync(join(folder.directory, 'parts')).reduce(
        (sum, name) => sum + statSync(join(folder.directory, 'parts', name)).size,
        0,
      );
    const before = bytes();
    const keep = (retention: bigint) =>
      store.append({ workspace: 'default', changes: [{ type: 'topic', topic: 't', retention }] });
    await keep(span / 2n);
    assert.equal((await readRows(store, plan)).length, 500);
    await until(() => bytes() < 0.6 * before);
    assert.equal((await readRows(store, plan)).length, 500);
    await keep(1n);
    assert.equal((await readRows(store, plan)).length, 0);
    await until(() => partFiles() === 0);
  });

  it('tell by themselves which windows they are in', async () => {
    const times = Array.from({ length: 50 }, (_, i) => start + (span / 50n) * BigInt(i));
    const store = await folder.open({ sealOnCloseMs: 60_000 });
    await write(store, rowsAt(times));
    await folder.close(store);
    const manifest = await readManifest(join(folder.directory, 'catalog'));
    const records = [...manifest.entries('parts')].map(({ value }) => value as PartRecord);
    manifest.close();
    assert.equal(records.length, 1);
    assert.equal(records[0]!.windows?.length, 50);
    assert.deepEqual(await describePart(join(folder.directory, 'parts'), records[0]!.number), records[0]);
  });
});
