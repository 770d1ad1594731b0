import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listeningTime, tickMs } from '../../../src/ingest/alerts/listening.ts';

/** A clock that begins at 1,000,000 ms, and a store that takes rows or not. */
function setUp() {
  const world = { now: 1_000_000, takesRows: true };
  const listening = listeningTime(
    () => world.now,
    () => world.takesRows,
  );
  const pass = (seconds: number): void => {
    for (let second = 0; second < seconds; second++) {
      world.now += tickMs;
      listening.tick();
    }
  };
  /** For how long a stream has been silent that was last heard then: the longest `noDataFor` that is over. */
  const silence = (heardAt: number): number | undefined => listening.overdue(heardAt, 1000);
  return { world, listening, pass, silence };
}

describe('the time in which the service could take rows', () => {
  it('passes with the ticks, and ends what is silent for long enough', () => {
    const { world, listening, pass } = setUp();
    pass(2);
    const heard = world.now;
    pass(9);
    assert.equal(listening.overdue(heard, 10_000), undefined);
    pass(1);
    assert.equal(listening.overdue(heard, 10_000), 0);
    pass(2);
    assert.equal(listening.overdue(heard, 10_000), 2000);
  });

  it('is not what passed while the process had no turn', () => {
    const { world, listening, pass, silence } = setUp();
    pass(70);
    const heard = world.now;
    pass(5);
    world.now += 3_600_000;
    listening.tick();
    assert.ok(!listening.isListening());
    pass(5);
    assert.equal(silence(heard), 9000);
    assert.equal(listening.overdue(heard, 10_001), undefined);
    // Whoever sent rows has a minute to come back.
    assert.equal(listening.overdue(heard, 10_000), undefined);
    pass(5);
    assert.equal(listening.overdue(heard, 10_000), 5000);
    assert.equal(listening.overdue(heard - 65_000, 80_000), undefined);
    pass(50);
    assert.equal(listening.overdue(heard - 65_000, 80_000), 50_000);
  });

  it('does not pass between a tick and what is asked after a pause', () => {
    const { world, listening, pass } = setUp();
    pass(2);
    const heard = world.now;
    pass(1);
    world.now += 3_600_000;
    assert.equal(listening.overdue(heard, 1001), undefined);
  });

  it('is not what passed while the store took no writes', () => {
    const { world, listening, pass, silence } = setUp();
    pass(70);
    const heard = world.now;
    world.takesRows = false;
    pass(20);
    world.takesRows = true;
    pass(8);
    assert.equal(listening.overdue(heard, 9000), undefined);
    pass(2);
    assert.equal(silence(heard), 9000);
    assert.equal(listening.overdue(heard, 9000), 1000);
  });

  it('begins with the start, and with what is known of the time before', () => {
    const { world, listening, pass } = setUp();
    const heard = world.now - 500_000;
    pass(9);
    assert.equal(listening.overdue(heard, 10_000), undefined);
    pass(1);
    assert.equal(listening.overdue(heard, 10_000), 0);
    // Rows of another stream came 400 s later.
    listening.began({ until: heard + 400_000, gaps: [] });
    assert.equal(listening.overdue(heard, 10_000), 400_000);
    assert.equal(listening.overdue(heard, 405_000), undefined);
    pass(50);
    assert.equal(listening.overdue(heard, 405_000), 55_000);
  });

  it('goes on where the clock is set back or ahead', () => {
    const { world, listening, pass, silence } = setUp();
    pass(70);
    const heard = world.now;
    pass(4);
    world.now += 86_400_000;
    listening.tick();
    pass(70);
    assert.equal(silence(heard), 73_000);
    world.now -= 86_400_000;
    listening.tick();
    pass(2);
    assert.ok(silence(heard)! <= 75_000);
    const later = world.now;
    pass(12);
    assert.equal(listening.overdue(later, 12_000), 0);
  });

  it('knows of gaps of earlier starts, and of several nodes', () => {
    const { world, listening, pass } = setUp();
    const start = world.now;
    const gaps = [
      [start - 100_000, start - 90_000],
      [start - 300_000, start - 200_000],
      [start - 250_000, start - 150_000],
      [start - 60_000, start + 5],
    ] as const;
    listening.began({ until: start - 20_000, gaps });
    pass(60);
    assert.deepEqual(listening.listened(), {
      until: start + 60_000,
      gaps: [
        [start - 300_000, start - 150_000],
        [start - 100_000, start - 90_000],
        [start - 60_000, start - 20_000],
        [start - 20_000, start],
      ],
    });
    // 400 s before the start, of which 220 s were lost.
    assert.equal(listening.overdue(start - 400_000, 240_000), 0);
    assert.equal(listening.overdue(start - 400_000, 240_001), undefined);
  });

  it('remembers long pauses rather than short ones', () => {
    const { world, listening, pass, silence } = setUp();
    pass(70);
    const heard = world.now;
    for (let i = 0; i < 300; i++) {
      world.now += i % 10 === 0 ? 3_600_000 : 2000;
      listening.tick();
      pass(100);
    }
    const counted = silence(heard)! + 1000;
    // All but the two seconds of some short ones.
    assert.ok(counted <= 30_000_000 && counted > 29_000_000, String(counted));
  });

  it('remembers a hundred pauses, and takes none for silence', () => {
    const { world, listening, pass, silence } = setUp();
    pass(70);
    const heard = world.now;
    for (let i = 0; i < 300; i++) {
      world.now += 5000;
      listening.tick();
      pass(1);
    }
    assert.equal(listening.listened().gaps.length, 100);
    assert.equal(listening.lostMs(), 1_500_000);
    pass(10);
    const counted = silence(heard)!;
    assert.ok(counted > 100_000 && counted < 310_000, String(counted));
    const later = silence(heard + 6000 * 150)!;
    assert.ok(later >= 0 && later <= 160_000, String(later));
  });
});
