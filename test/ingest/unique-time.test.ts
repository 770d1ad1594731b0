import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { uniqueTime } from '../../src/ingest/unique-time.ts';

const hour = 3_600_000;

describe('the times of what comes without one', () => {
  it('are those of the clock, and never the same twice', () => {
    let now = 1_700_000_000_000;
    const next = uniqueTime(() => now);
    const first = BigInt(now) * 1_000_000n;
    assert.deepEqual([next(), next(), next()], [first, first + 1n, first + 2n]);
    now += 1;
    assert.equal(next(), first + 1_000_000n);
  });

  it('stay in order where the clock goes back a little', () => {
    let now = 1_700_000_000_000;
    const next = uniqueTime(() => now);
    const before = next();
    now -= 500;
    assert.equal(next(), before + 1n);
    now += 501;
    assert.equal(next(), before + 1_000_000n);
  });

  it('follow a clock that is set back, and are none of those that came before', () => {
    const begin = 1_700_000_000_000;
    let now = begin;
    const next = uniqueTime(() => now);
    const seen = new Set<bigint>();
    for (let times = 0; times < 3; times++) {
      for (now = begin; now < begin + 5; now++)
        for (let event = 0; event < 10; event++) {
          const time = next();
          assert.equal(Number(time / 1_000_000n), now);
          seen.add(time);
        }
      now = begin + hour;
      next();
    }
    assert.equal(seen.size, 3 * 5 * 10);
  });
});
