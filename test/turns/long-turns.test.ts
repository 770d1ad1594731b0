import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import {
  createTurnWatch,
  createWorkClock,
  during,
  type LongTurn,
  longestTurns,
  tickMs,
  watchTurns,
} from '../../src/turns/long-turns.ts';

/** A watch on a clock that stands still until a piece of work moves it. */
function rig() {
  let time = 1000;
  const now = () => time;
  const turns: LongTurn[] = [];
  const clock = createWorkClock(now);
  const watch = createTurnWatch((turn) => turns.push(turn), now, clock);
  const pass = (ms: number): void => {
    time += ms;
  };
  const tickOnTime = (): void => {
    pass(tickMs);
    watch.tick();
  };
  return { clock, watch, turns, pass, tickOnTime, now };
}

describe('turns of the event loop', () => {
  it('are told when they took long, with what they were spent on', () => {
    const { clock, watch, turns, pass, tickOnTime } = rig();
    tickOnTime();
    clock.during('decode', () => {
      pass(30);
      clock.during('commit', () => pass(45));
      pass(10);
    });
    watch.tick();
    tickOnTime();
    assert.deepEqual(turns, [{ ms: 85, work: 'commit', parts: { commit: 45, decode: 40 } }]);
  });

  it('are not told when they are short, however many there are', () => {
    const { clock, watch, turns, pass, tickOnTime } = rig();
    for (let i = 0; i < 100; i++) {
      clock.during('decode', () => pass(49));
      watch.tick();
    }
    tickOnTime();
    assert.deepEqual(turns, []);
  });

  it('are other work where nobody has named most of it', () => {
    const { clock, watch, turns, pass, tickOnTime } = rig();
    clock.during('decode', () => pass(30));
    pass(70);
    watch.tick();
    tickOnTime();
    assert.deepEqual(turns, [{ ms: 100, work: 'other', parts: { decode: 30 } }]);
  });

  it('count the pauses for garbage within them, told before or after', () => {
    for (const isBefore of [true, false]) {
      const { watch, turns, pass, tickOnTime, now } = rig();
      tickOnTime();
      watch.paused([{ startTime: now() - 5, duration: 5 }]);
      const pauses = [{ startTime: now() + 20, duration: 60 }];
      pass(100);
      if (isBefore) watch.paused(pauses);
      watch.tick();
      if (!isBefore) watch.paused(pauses);
      tickOnTime();
      assert.deepEqual(turns, [{ ms: 100, work: 'gc', parts: { gc: 60 } }]);
    }
  });

  it('have their work counted when it throws', () => {
    const { clock, watch, turns, pass, tickOnTime } = rig();
    assert.throws(() => {
      clock.during('decode', () => {
        pass(80);
        throw new Error('broken');
      });
    }, /broken/);
    pass(1);
    watch.tick();
    tickOnTime();
    assert.deepEqual(turns, [{ ms: 81, work: 'decode', parts: { decode: 80 } }]);
  });

  it('fill the log with one line a minute, of the longest', () => {
    let time = 0;
    const told: [ms: number, times: number][] = [];
    const note = longestTurns(
      ({ ms }, times) => told.push([ms, times]),
      () => time,
    );
    const turn = (ms: number): void => note({ ms, work: 'gc', parts: {} });
    turn(60);
    turn(300);
    turn(70);
    time = 60_000;
    turn(80);
    assert.deepEqual(told, [
      [60, 1],
      [300, 3],
    ]);
  });

  it('are told after a time in which there was nothing to do, which does not count', () => {
    const { clock, watch, turns, pass, tickOnTime } = rig();
    pass(5000);
    watch.tick(5000);
    clock.during('decode', () => pass(100));
    pass(3000);
    watch.tick(3000);
    tickOnTime();
    assert.deepEqual(turns, [{ ms: 100, work: 'decode', parts: { decode: 100 } }]);
  });

  it('are watched without waking a thread that has nothing to do', async () => {
    const turns: LongTurn[] = [];
    const endWatch = watchTurns((turn) => turns.push(turn));
    const loops = () => performance.nodeTiming.uvMetricsInfo.loopCount;
    // The tests themselves may have something left to do.
    await wait(100);
    const before = loops();
    await wait(500);
    assert.ok(loops() - before < 25, `it woke ${loops() - before} times`);
    during('test', () => {
      const end = performance.now() + 100;
      while (performance.now() < end);
    });
    while (!turns.some(({ parts }) => parts['test'] !== undefined)) await wait(tickMs);
    endWatch();
  });
});
