import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLiveEnd } from '../../../web/src/live/live-end.ts';

const second = 1_000_000_000n;
const minute = 60n * second;
const day = 1440n * minute;
const span = minute;
/** When a test begins, by the clock of the service. */
const start = 1_800_000_000n * second;

/** An end, and a clock that goes on by hand; rows a minute ahead of it are on time. */
function ended() {
  let passed = 0;
  const now = () => start + BigInt(passed) * 1_000_000n;
  const end = createLiveEnd(
    () => now() + minute,
    () => passed,
  );
  /** Rows so long after now; gives whether all are seen, some, or none, and whether they begin anew. */
  const take = (...after: readonly bigint[]): string => {
    const times = after.map((offset) => now() + offset);
    const { last, isBack } = end.take(times, span);
    const count = times.filter((time) => time <= last).length;
    const seen = count === times.length ? 'all' : count === 0 ? 'none' : 'some';
    return isBack ? `${seen}, back` : seen;
  };
  const wait = (ms: number): void => {
    passed += ms;
  };
  return { end, take, wait, now };
}

describe('the end of live data', () => {
  it('leaves out a row far ahead of the clock while others come', () => {
    const { end, take, wait } = ended();
    assert.equal(take(0n), 'all');
    for (let i = 0; i < 20; i++) {
      wait(1000);
      assert.equal(take(day), 'none');
      assert.equal(take(0n, day), 'some');
    }
    assert.equal(end.ahead, 40);
  });

  it('goes back at once to rows that are on time, and reads what was written before them', () => {
    const { end, take, wait, now } = ended();
    end.read([now() - second, now() + day]);
    assert.equal(end.lastRead(true), undefined);
    wait(1000);
    assert.equal(take(0n), 'all, back');
    assert.equal(end.lastRead(true), now());
    assert.equal(end.lastRead(false), now() + minute);
    wait(1000);
    assert.equal(take(0n), 'all');
    assert.equal(take(day), 'none');
  });

  it('follows a run that is written faster than time goes', () => {
    const { end, take, wait } = ended();
    for (let written = 0n; written < day; written += 10n * minute) {
      // Many rows of ten minutes in one package, no two of them further apart than what is seen.
      assert.equal(take(...Array.from({ length: 20 }, (_, i) => written + BigInt(i) * 30n * second)), 'all');
      wait(100);
    }
    assert.equal(end.ahead, 0);
  });

  it('follows one that leaps ahead as soon as nothing of it is on time', () => {
    const { take, wait } = ended();
    assert.equal(take(0n), 'all');
    const seen: string[] = [];
    for (let leap = 1n; leap <= 10n; leap++) {
      wait(1000);
      seen.push(take(leap * day));
    }
    assert.deepEqual(seen, [...Array(4).fill('none'), ...Array(6).fill('all')]);
  });

  it('follows one that leapt ahead and then said nothing more', () => {
    const { end, take, wait, now } = ended();
    take(0n);
    assert.equal(take(day), 'none');
    wait(4000);
    assert.equal(end.givesWay(), false);
    wait(1000);
    assert.deepEqual([end.givesWay(), end.givesWay()], [true, false]);
    // Then all is read.
    assert.equal(end.lastRead(true), undefined);
    end.read([now() + day]);
    assert.equal(take(day), 'all');
  });

  it('stays where rows came last, however long nothing comes', () => {
    const { end, take, wait } = ended();
    take(0n);
    take(day);
    take(0n, 2n * day);
    wait(60_000);
    assert.equal(end.givesWay(), false);
  });

  it('waits longer for rows that come rarely', () => {
    const { take, wait } = ended();
    for (let i = 0; i < 5; i++) {
      take(0n);
      wait(30_000);
      assert.equal(take(day), i === 0 ? 'all' : 'none');
    }
  });

  it('is where rows come, when for a while none of them is seen', () => {
    const { end, take, wait } = ended();
    end.read([start - minute]);
    const seen: string[] = [];
    for (let i = 0; i < 7; i++) {
      wait(1000);
      seen.push(take(-day));
    }
    assert.deepEqual(seen, [...Array(4).fill('all'), 'all, back', 'all', 'all']);
  });

  it('stays where rows come, though older ones come too', () => {
    const { take, wait } = ended();
    for (let i = 0; i < 20; i++) {
      wait(1000);
      assert.equal(take(0n), 'all');
      assert.equal(take(-day), 'all');
    }
  });
});
