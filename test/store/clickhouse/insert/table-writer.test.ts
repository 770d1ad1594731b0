import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { seriesOf } from '../../../../src/store/clickhouse/insert/series-values.ts';
import { tableWriter } from '../../../../src/store/clickhouse/insert/table-writer.ts';
import { versionClock } from '../../../../src/store/clickhouse/server/version-clock.ts';
import { type Engine, engineMissing, startEngine } from '../../../clickhouse/engine.ts';
import { ask, keptLog, numbers, openStore, withClickHouse } from '../open-store.ts';

describe('the way of rows into ClickHouse', { skip: engineMissing }, () => {
  let engine: Engine;
  before(async () => {
    engine = await startEngine();
    await (await openStore(engine.url)).close();
  });
  after(() => engine.stop());

  it('is settled when all is there that was on it, also what is still put in order', () =>
    withClickHouse(engine.url, async (clickhouse) => {
      const writer = tableWriter({
        clickhouse,
        topology: {},
        limits: { maxRows: 1000, maxBytes: 1 << 20, maxAgeMs: 0, maxInserts: 1, maxPartitions: 10 },
        times: { attemptMs: 60_000, patienceMs: 60_000 },
        maxPendingBytes: 1 << 20,
        log: keptLog().log,
      });
      const clock = versionClock({ nowMs: Date.now, isShared: true });
      const rows = numbers(0n, [1, 2, 3]);
      const owner = { workspace: 'w', topic: 't', stream: 's', retention: 0n };
      const backwards = { ...rows, offsets: rows.offsets.toReversed() };
      for (const each of [rows, backwards]) {
        const written = writer.insertValues(seriesOf({ ...owner }, each, clock), new Set([0]));
        await writer.settled();
        const count = await ask(engine.url, 'SELECT sum(count) FROM windows');
        await written;
        assert.deepEqual(count, [[each === rows ? '3' : '6']]);
      }
    }));
});
