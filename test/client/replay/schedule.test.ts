import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createSchedule } from '../../../src/client/replay/schedule.ts';

const start = 1_700_000_000_000_000_001n;

function clockAt(ms: number) {
  const clock = { ms, now: () => clock.ms, wall: () => 1_800_000_000_000 + clock.ms };
  return clock;
}

describe('the schedule of a replay', () => {
  it('has what stands first due at once, and the rest at its speed', () => {
    const clock = clockAt(100);
    const schedule = createSchedule(2.5, 'original', clock);
    schedule.begin(start);
    assert.equal(schedule.due(start), 100);
    assert.equal(schedule.due(start + 1_000_000_000n), 500);
  });

  it('keeps original times', () => {
    const schedule = createSchedule(10, 'original', clockAt(0));
    schedule.begin(start);
    assert.equal(schedule.written(start + 7n), start + 7n);
  });

  it('gives the times at which rows are due, with exact distances at speed 1', () => {
    const schedule = createSchedule(1, 'now', clockAt(0));
    schedule.begin(start);
    const first = schedule.written(start);
    assert.equal(first, 1_800_000_000_000_000_000n);
    assert.equal(schedule.written(start + 1n), first + 1n);
    assert.equal(schedule.written(start + 10n ** 18n + 1n), first + 10n ** 18n + 1n);
  });

  it('keeps equal times equal and different ones different and in order, over passes too', () => {
    const steps = fc.array(fc.bigInt(0n, 5n), { minLength: 1, maxLength: 50 });
    const speeds = fc.constantFrom(0.001, 0.5, 1, 3, 10, 1000, 1_000_000);
    fc.assert(
      fc.property(steps, speeds, fc.array(fc.nat(5)), (gaps, speed, moves) => {
        const clock = clockAt(0);
        const schedule = createSchedule(speed, 'now', clock);
        let before = -1n;
        for (let pass = 0; pass < 2; pass++) {
          let time = start;
          schedule.begin(time);
          gaps.forEach((gap, i) => {
            const isSame = gap === 0n && i > 0;
            time += gap;
            clock.ms += moves[i] ?? 0;
            schedule.resume(time);
            const written = schedule.written(time);
            if (isSame) assert.equal(written, before);
            else assert.ok(written > before);
            before = written;
          });
        }
      }),
    );
  });

  it('goes on from now where rows had to be waited for', () => {
    const clock = clockAt(0);
    const schedule = createSchedule(1, 'now', clock);
    schedule.begin(start);
    const first = schedule.written(start);
    clock.ms = 50;
    schedule.resume(start + 10_000_000n);
    assert.equal(schedule.due(start + 10_000_000n), 50);
    assert.equal(schedule.due(start + 12_000_000n), 52);
    assert.equal(schedule.written(start + 10_000_000n), first + 50_000_000n);
    schedule.resume(start + 60_000_000n);
    assert.equal(schedule.due(start + 60_000_000n), 100);
  });
});
