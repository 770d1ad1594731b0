import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import {
  type BelievedClock,
  believedClock,
  type ClockState,
} from '../../../../src/store/embedded/deletes/believed-clock.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const yearMs = 365 * dayMs;

/** The time that really is, and by how much the machine's clock is wrong. */
let truth: number;
let error: number;
/** How long the machine has been awake: a sleep, or a stop, is no part of it. */
let awake: number;

beforeEach(() => {
  truth = 60 * yearMs;
  error = 0;
  awake = 5 * hourMs;
});

const start = (kept?: ClockState): BelievedClock => {
  // It begins anywhere: only differences mean something.
  const begin = awake - 1234.5;
  return believedClock({ wall: () => truth + error, monotonic: () => awake - begin }, kept);
};

/** As the manifest gives it back. */
const stop = (clock: BelievedClock): ClockState => {
  clock.look();
  return JSON.parse(JSON.stringify(clock.state)) as ClockState;
};

/** Time passes, looked at each minute; gives what was seen. */
function pass(clock: BelievedClock, ms: number, speed = 1): (string | undefined)[] {
  const events: (string | undefined)[] = [];
  for (let left = ms; left > 0; left -= minuteMs) {
    const step = Math.min(left, minuteMs);
    truth += step;
    awake += step;
    error += (speed - 1) * step;
    events.push(clock.look());
  }
  return events.filter((event) => event !== undefined);
}

const sleep = (ms: number): void => {
  truth += ms;
};

/** How late (ms) rows expire; 0 is right, and below it rows are lost. */
const lag = (clock: BelievedClock): number => truth - clock.now();

describe('a believed clock', () => {
  it('is the one of the machine from the first start on, and as time passes', () => {
    const clock = start();
    assert.equal(lag(clock), 0);
    assert.deepEqual(pass(clock, 3 * dayMs), []);
    assert.equal(lag(clock), 0);
  });

  it('follows a clock that is corrected by less than a day, ahead and back', () => {
    const clock = start();
    for (const correction of [hourMs, -hourMs, 2000, -2000, 23 * hourMs, -20 * hourMs]) {
      error += correction;
      assert.equal(clock.now(), truth + error);
      assert.equal(clock.look(), undefined);
      assert.equal(clock.now(), truth + error);
      pass(clock, hourMs);
    }
  });

  it('goes on as before where the clock jumps far ahead, without a look at it', () => {
    const clock = start();
    pass(clock, hourMs);
    error = 2 * yearMs;
    assert.equal(lag(clock), 0);
    truth += 30 * minuteMs;
    awake += 30 * minuteMs;
    assert.equal(lag(clock), 0);
    assert.equal(clock.look(), 'ahead');
    assert.equal(lag(clock), 0);
    error = 0;
    assert.equal(clock.look(), 'returned');
    assert.equal(lag(clock), 0);
  });

  it('gives a time in whole milliseconds, of which reads keep what they worked out', () => {
    const clock = start();
    error = yearMs;
    awake += 0.3;
    assert.ok(Number.isInteger(clock.now()));
  });

  it('believes a jump once it has stood for a day, not before', () => {
    const clock = start();
    error = 2 * yearMs;
    assert.deepEqual(pass(clock, dayMs), ['ahead']);
    assert.equal(lag(clock), 0);
    assert.deepEqual(pass(clock, minuteMs), ['believed']);
    assert.equal(clock.now(), truth + error);
    assert.equal(clock.state.claim, undefined);
  });

  it('counts anew for each jump: two clocks of half a day are not one of a day', () => {
    const clock = start();
    error = 2 * yearMs;
    assert.deepEqual(pass(clock, 20 * hourMs), ['ahead']);
    error = 3 * yearMs;
    assert.deepEqual(pass(clock, 20 * hourMs), ['ahead']);
    error = 2 * yearMs;
    assert.deepEqual(pass(clock, 20 * hourMs), ['ahead']);
    assert.equal(lag(clock), 0);
  });

  it('believes any clock that is confirmed', () => {
    const clock = start();
    for (const wrong of [2 * yearMs, -yearMs]) {
      error = wrong;
      clock.look();
      clock.confirm();
      assert.equal(clock.now(), truth + error);
      assert.equal(clock.look(), undefined);
      assert.equal(clock.state.claim, undefined);
    }
  });

  it('follows a clock that goes back, and so takes nothing away', () => {
    const clock = start();
    error = -yearMs;
    assert.equal(clock.now(), truth - yearMs);
    assert.equal(clock.look(), 'back');
    assert.deepEqual(pass(clock, 2 * hourMs), []);
    assert.equal(clock.now(), truth - yearMs);
    error = 0;
    // The time that was believed before is no jump.
    assert.equal(lag(clock), 0);
    assert.equal(clock.look(), 'returned');
  });

  it('takes the way ahead for a jump again once a clock that went back has stood for a day', () => {
    error = 2 * yearMs;
    const clock = start();
    pass(clock, hourMs);
    error = 0;
    assert.deepEqual(pass(clock, dayMs + minuteMs), ['back', 'believed']);
    error = 2 * yearMs;
    assert.equal(lag(clock), 0);
  });
});

describe('a believed clock across restarts', () => {
  it('goes on after a stop of less than a day', () => {
    let clock = start();
    for (let night = 0; night < 30; night++) {
      pass(clock, 8 * hourMs);
      const kept = stop(clock);
      sleep(16 * hourMs);
      clock = start(kept);
      assert.equal(clock.look(), undefined);
      assert.equal(lag(clock), 0);
    }
  });

  it('goes on in a machine that sleeps each night', () => {
    const clock = start();
    for (let night = 0; night < 30; night++) {
      assert.deepEqual(pass(clock, hourMs), []);
      sleep(23 * hourMs);
      assert.equal(lag(clock), 0);
    }
  });

  it('waits for a day of running after a longer stop, whatever restarts come between', () => {
    let clock = start();
    const kept = stop(clock);
    sleep(30 * dayMs);
    clock = start(kept);
    assert.equal(clock.look(), 'ahead');
    assert.equal(lag(clock), 30 * dayMs);
    for (let night = 0; night < 3; night++) {
      pass(clock, 7 * hourMs);
      assert.ok(lag(clock) >= 30 * dayMs);
      const kept = stop(clock);
      sleep(17 * hourMs);
      clock = start(kept);
    }
    assert.deepEqual(pass(clock, 4 * hourMs), ['believed']);
    assert.equal(lag(clock), 0);
  });

  it('holds a jump back however often the service starts with it', () => {
    let clock = start();
    error = 2 * yearMs;
    for (let crash = 0; crash < 10_000; crash++) {
      clock = start(stop(clock));
      sleep(5000);
    }
    assert.ok(lag(clock) >= 0);
  });

  it('loses nothing by a clock that is wrong at each start until the network sets it right', () => {
    let clock = start();
    for (let boot = 0; boot < 1000; boot++) {
      const kept = stop(clock);
      sleep(hourMs);
      error = 2 * yearMs;
      clock = start(kept);
      pass(clock, minuteMs);
      assert.ok(lag(clock) >= 0);
      error = 0;
      pass(clock, 10 * minuteMs);
      assert.equal(lag(clock), 0);
    }
  });

  it('loses nothing by a clock that is another one at each start', () => {
    let clock = start();
    for (let boot = 0; boot < 1000; boot++) {
      const kept = stop(clock);
      error = (boot % 2 === 0 ? 1 : -1) * (boot + 1) * 10 * dayMs;
      clock = start(kept);
      pass(clock, minuteMs);
      assert.ok(lag(clock) >= 0);
    }
  });

  it('lets many jumps of less than a day take it no further than an hour of running each', () => {
    let clock = start();
    for (let crash = 0; crash < 1000; crash++) {
      const kept = stop(clock);
      error += 20 * hourMs;
      clock = start(kept);
      pass(clock, 5000);
    }
    // 83 minutes of running.
    assert.ok(-lag(clock) < 2.5 * dayMs);
  });

  it('does not believe a clock that runs a thousand times as fast as time', () => {
    const clock = start();
    pass(clock, 12 * hourMs, 1000);
    assert.ok(-lag(clock) < 2 * dayMs);
  });
});
