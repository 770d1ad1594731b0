import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRegistry } from '../../../../src/store/clickhouse/catalog/registry.ts';
import { feedRegistry } from '../../../../src/store/clickhouse/catalog/registry-feed.ts';
import type { Statement } from '../../../../src/store/clickhouse/server/sql.ts';
import { versionClock } from '../../../../src/store/clickhouse/server/version-clock.ts';
import { keptLog } from '../open-store.ts';

const minute = 60_000;
const clock = versionClock({ nowMs: Date.now, isShared: true });
const ns = (ms: number) => BigInt(ms) * 1_000_000n;

/** A connection that has one workspace, written at a time, and notes since when it is asked for. */
function tables(writtenMs: number) {
  const asked: bigint[] = [];
  const clickhouse = {
    async rows<Row extends readonly unknown[]>({ text, params }: Statement): Promise<Row[]> {
      if (!text.includes('FROM `workspaces`')) return [];
      const since = params['p0'] as bigint;
      asked.push(since);
      const row = ['w', '1', null, null, null, 0, String(ns(writtenMs))];
      return ns(writtenMs) > since ? [row as unknown as Row] : [];
    },
  };
  return { clickhouse, asked };
}

describe('what the registry is fed with', () => {
  it('is what is newer than what it has, with an overlap, and now and then all', async () => {
    const written = 1_800_000_000_000;
    const { clickhouse, asked } = tables(written);
    const registry = createRegistry();
    let now = 0;
    const feed = feedRegistry(clickhouse, registry, clock, () => now);
    for (const time of [0, 1, 9.9, 10, 11, 20]) {
      now = time * minute;
      await feed.refresh();
    }
    assert.equal(registry.workspace('w')?.createdAt, 1);
    const recent = ns(written) - ns(10 * minute);
    assert.deepEqual(asked, [0n, recent, recent, 0n, recent, 0n]);
    await feed.close();
  });

  it('lets versions go on above the newest that the tables hold', async () => {
    const now = 1_800_000_000_000;
    const versions = versionClock({ nowMs: () => now, isShared: true });
    const { clickhouse } = tables(now + 60 * minute);
    const feed = feedRegistry(clickhouse, createRegistry(), versions);
    await feed.refresh();
    assert.equal(versions.next(), ns(now + 60 * minute) + 1n);
    await feed.close();
  });

  it('tells the first failure of several, and the next one after a look that went well', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const failures: unknown[] = [];
    const outcomes = [false, false, true, false];
    let looks = 0;
    const clickhouse = {
      async rows<Row>(): Promise<Row[]> {
        if (outcomes[looks] === false) throw new Error(`look ${looks}`);
        return [];
      },
    };
    const feed = feedRegistry(clickhouse, createRegistry(), clock);
    feed.poll({ ...keptLog().log, warn: (fields) => failures.push(fields) });
    for (looks = 0; looks < outcomes.length; looks++) {
      test.mock.timers.tick(1000);
      // The look, and what follows it, are turns of promises only.
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepEqual(failures, [{ cause: 'look 0' }, { cause: 'look 3' }]);
    await feed.close();
  });
});
