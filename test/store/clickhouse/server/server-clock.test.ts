import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { serverClock } from '../../../../src/store/clickhouse/server/server-clock.ts';

/** A time of the server, in 2096. */
const server = 4_000_000_000_000_000_000n;
const serverMs = Number(server / 1_000_000n);

/** A clock that has been told a tight measurement, and when. */
function measured() {
  const clock = serverClock();
  const sent = performance.now();
  clock.observe(server, sent - 1, sent + 1);
  return { clock, sent };
}

describe('the clock of the server', () => {
  it('is followed', () => {
    const { clock } = measured();
    assert.ok(clock.nowMs() >= serverMs && clock.nowMs() < serverMs + 60_000, `${clock.nowMs()}`);
  });

  it('is taken from the tighter of two measurements that agree', () => {
    const { clock, sent } = measured();
    const before = clock.nowMs() - performance.now();
    clock.observe(server + 300_000_000n, sent - 500, sent + 500);
    assert.ok(Math.abs(clock.nowMs() - performance.now() - before) < 1);
  });

  it('is taken from a loose measurement that contradicts the tight one: a clock was set', () => {
    const { clock, sent } = measured();
    clock.observe(server + 3_600_000_000_000n, sent - 500, sent + 500);
    assert.ok(clock.nowMs() >= serverMs + 3_600_000 - 1000);
  });
});
