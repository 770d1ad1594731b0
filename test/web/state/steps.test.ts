import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { back, forth, noSteps, type Steps, withChange } from '../../../web/src/state/steps.ts';

const isSame = (a: number, b: number) => a === b;
const own = (at = 0) => ({ of: 'plots', at, isSmall: false });
const small = (at: number, of = 'range') => ({ of, at, isSmall: true });

describe('steps', () => {
  it('go back over changes, one by one, and on again to where one was', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1, maxLength: 90 }), (changes) => {
        let steps: Steps<number> = noSteps;
        const seen = [0.5];
        for (const [i, state] of changes.entries()) {
          if (state === seen.at(-1)) continue;
          steps = withChange(steps, seen.at(-1)!, own(i));
          seen.push(state);
        }
        let now = seen.at(-1)!;
        for (const before of seen.slice(0, -1).reverse()) {
          const gone = back(steps, now, isSame)!;
          assert.equal(gone.state, before);
          [steps, now] = [gone.steps, gone.state];
        }
        assert.equal(back(steps, now, isSame), undefined);
        for (const after of seen.slice(1)) {
          const gone = forth(steps, now, isSame)!;
          assert.equal(gone.state, after);
          [steps, now] = [gone.steps, gone.state];
        }
        assert.equal(forth(steps, now, isSame), undefined);
      }),
    );
  });

  it('take small changes of one kind together, until the hand rests or does something else', () => {
    let steps: Steps<number> = noSteps;
    for (const [state, at] of [
      [1, 0],
      [2, 900],
      [3, 1800],
    ] as const)
      steps = withChange(steps, state, small(at));
    assert.deepEqual(steps.past, [1]);
    steps = withChange(steps, 4, small(2800));
    assert.deepEqual(steps.past, [1, 4]);
    steps = withChange(steps, 5, small(2900, 'heights'));
    steps = withChange(steps, 6, own(2950));
    steps = withChange(steps, 7, small(3000));
    assert.deepEqual(steps.past, [1, 4, 5, 6, 7]);
    const gone = back(steps, 8, isSame)!;
    // What is changed then is another step, and there is nothing to go on to.
    const next = withChange(gone.steps, 7, small(3001));
    assert.deepEqual([next.past, next.future], [[1, 4, 5, 6, 7], []]);
  });

  it('leave out what is the same as what is seen, and keep a hundred', () => {
    const twice: Steps<number> = { past: [1, 2, 2], future: [3, 2], last: undefined };
    assert.equal(back(twice, 2, isSame)?.state, 1);
    assert.equal(forth(twice, 2, isSame)?.state, 3);
    assert.equal(back({ ...twice, past: [2] }, 2, isSame), undefined);
    let steps: Steps<number> = noSteps;
    for (let i = 0; i < 150; i++) steps = withChange(steps, i, own());
    assert.deepEqual([steps.past.length, steps.past[0]], [100, 50]);
  });
});
