import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PitwallError } from '../../../src/errors.ts';
import { patternBudget } from '../../../src/query/bounds/pattern-budget.ts';

/** A budget with a clock and turns of its own. */
function counted() {
  let time = 0;
  const waiting: (() => void)[] = [];
  const budget = patternBudget(
    0,
    () => time,
    (begin) => waiting.push(begin),
  );
  return {
    /** Searches for so many milliseconds. */
    search: (steps: number, ms: number) =>
      budget.search(steps, () => {
        time += ms;
        return true;
      }),
    nextTurn: () => {
      for (const begin of waiting.splice(0)) begin();
    },
  };
}

const tooSlow = (what: RegExp) => (error: unknown) =>
  error instanceof PitwallError && error.code === 'query_too_slow' && what.test(error.message);

describe('a budget for patterns', () => {
  it('refuses a search of too many steps before it begins', () => {
    const { search } = counted();
    assert.equal(search(5_000_000, 1), true);
    assert.throws(() => search(5_000_001, 1), tooSlow(/one value would take 5000001 steps/));
  });

  it('bounds the time between two turns', () => {
    const { search, nextTurn } = counted();
    for (let turn = 0; turn < 5; turn++) {
      for (let i = 0; i < 10; i++) search(2_000_000, 10);
      nextTurn();
    }
    for (let i = 0; i < 10; i++) search(2_000_000, 10);
    assert.throws(() => search(2_000_000, 10), tooSlow(/looked at together take more than 100 ms/));
  });

  it('bounds the time of all searches', () => {
    const { search, nextTurn } = counted();
    for (let i = 0; i < 100; i++) {
      search(5_000_000, 50);
      nextTurn();
    }
    assert.throws(() => search(2_000_000, 10), tooSlow(/all values take more than 5 s/));
  });

  it('does not count time in which the thread did not run', () => {
    const { search } = counted();
    // A hundred short texts: a tenth of a millisecond at most for each.
    for (let i = 0; i < 100; i++) search(1000, 10);
  });
});
