import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createSlices } from '../../src/turns/slices.ts';

/** Slices of 10 ms on a clock that stands still until a piece of work moves it. */
function rig() {
  let time = 0;
  const done: string[] = [];
  const slices = createSlices('test', 10, () => time);
  const pass = (milliseconds: number): void => {
    time += milliseconds;
  };
  const work = (name: string, milliseconds: number) => (): void => {
    done.push(name);
    pass(milliseconds);
  };
  return { slices, done, pass, work };
}

describe('slices of the thread', () => {
  it('are over when their time has passed, until the next turn', async () => {
    const { slices, pass } = rig();
    assert.equal(slices.isOver(), false);
    pass(9);
    assert.equal(slices.isOver(), false);
    pass(1);
    assert.equal(slices.isOver(), true);
    await setImmediate();
    assert.equal(slices.isOver(), false);
  });

  it('take those that wait in their order, as many as there is time for in each turn', async () => {
    const { slices, done, work } = rig();
    for (const [name, milliseconds] of [
      ['a', 4],
      ['b', 6],
      ['c', 50],
      ['d', 1],
    ] as const)
      slices.later(work(name, milliseconds));
    assert.deepEqual(done, []);
    const turns: string[][] = [];
    while (done.length < 4) {
      await setImmediate();
      turns.push(done.slice(turns.flat().length));
    }
    assert.deepEqual(
      turns.filter((names) => names.length > 0),
      [['a', 'b'], ['c'], ['d']],
    );
  });

  it('are not used up twice by what waits for one with a promise', async () => {
    const { slices, done, work } = rig();
    const one = async (name: string): Promise<void> => {
      await slices.turn();
      work(name, 10)();
    };
    const all = Promise.all(['a', 'b', 'c'].map(one));
    for (const names of [['a'], ['a', 'b'], ['a', 'b', 'c']]) {
      while (done.length < names.length) await setImmediate();
      assert.deepEqual(done, names);
    }
    await all;
  });

  it('let one that comes back wait behind the others', async () => {
    const { slices, done, work } = rig();
    let left = 3;
    const again = (): void => {
      work('again', 10)();
      if (--left > 0) slices.later(again);
    };
    slices.later(again);
    slices.later(work('b', 10));
    slices.later(work('c', 10));
    while (done.length < 5) await setImmediate();
    assert.deepEqual(done, ['again', 'b', 'c', 'again', 'again']);
  });
});
