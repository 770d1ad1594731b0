import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { versionClock } from '../../../src/store/clickhouse/version-clock.ts';

describe('the clock of versions', () => {
  it('never gives a version twice, even if time stands or goes back', () => {
    let now = 1000;
    const clock = versionClock(() => now);
    assert.equal(clock.next(), 1_000_000_000n);
    assert.equal(clock.next(3), 1_000_000_001n);
    assert.equal(clock.next(), 1_000_000_004n);
    now = 10;
    assert.equal(clock.next(), 1_000_000_005n);
    now = 1001;
    assert.equal(clock.next(), 1_001_000_000n);
  });

  it('follows the clock of the server', () => {
    const clock = versionClock();
    const server = 4_000_000_000_000_000_000n;
    const sent = clock.monotonicMs();
    clock.observe(server, sent - 1, sent + 1);
    const version = clock.next();
    assert.ok(version >= server, `${version}`);
    assert.ok(version < server + 60_000_000_000n);
  });

  it('keeps the tighter of two measurements that agree', () => {
    const clock = versionClock();
    const server = 4_000_000_000_000_000_000n;
    const sent = clock.monotonicMs();
    clock.observe(server, sent - 1, sent + 1);
    const before = clock.nowMs() - clock.monotonicMs();
    clock.observe(server + 300_000_000n, sent - 500, sent + 500);
    assert.ok(Math.abs(clock.nowMs() - clock.monotonicMs() - before) < 1);
  });

  it('takes a loose measurement that contradicts the tight one: a clock was set', () => {
    const clock = versionClock();
    const server = 4_000_000_000_000_000_000n;
    const sent = clock.monotonicMs();
    clock.observe(server, sent - 1, sent + 1);
    clock.observe(server + 3_600_000_000_000n, sent - 500, sent + 500);
    assert.ok(clock.next() >= server + 3_600_000_000_000n - 1_000_000_000n);
  });
});
