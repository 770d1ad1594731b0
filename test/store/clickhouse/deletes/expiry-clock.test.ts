import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PitwallError } from '../../../../src/errors.ts';
import { expiryClock } from '../../../../src/store/clickhouse/deletes/expiry-clock.ts';
import { keptLog } from '../open-store.ts';

const dayMs = 86_400_000;

describe('the clock by which rows expire on ClickHouse', () => {
  it('holds back what ClickHouse expires while its clock is ahead, and lets go when it takes the word', async () => {
    const said: string[] = [];
    const { lines, log } = keptLog();
    let aheadMs = 2 * dayMs;
    let runs = 0;
    let isAway = false;
    let released = 0;
    const clock = expiryClock({
      clickhouse: {
        async command({ text }) {
          said.push(text);
          if (isAway) throw new PitwallError('storage_failed');
        },
      },
      topology: {},
      usualMs: () => aheadMs,
      machineMs: () => 0,
      serverMs: () => aheadMs,
      monotonicMs: () => runs,
      log,
      released: () => released++,
    });
    const stop = ['SYSTEM STOP TTL MERGES windows'];
    const start = ['SYSTEM START TTL MERGES windows'];
    const saidAt = async (ms: number) => {
      runs = ms;
      said.length = 0;
      await clock.check();
      return [...said];
    };
    assert.deepEqual(await saidAt(0), stop);
    assert.deepEqual(await saidAt(1000), []);
    assert.deepEqual(await saidAt(60_000), stop);
    aheadMs = 0;
    isAway = true;
    assert.deepEqual(await saidAt(61_000), start);
    assert.deepEqual(await saidAt(62_000), []);
    isAway = false;
    assert.equal(released, 0);
    assert.deepEqual(await saidAt(121_000), start);
    assert.equal(released, 1);
    assert.deepEqual(await saidAt(300_000), []);
    assert.equal(lines.filter((line) => line.startsWith('ClickHouse does not take')).length, 1);
  });
});
