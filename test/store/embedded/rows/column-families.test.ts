import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { clockSketch, identityHash } from '../../../../src/store/embedded/rows/clock-sketch.ts';
import {
  type ColumnClass,
  joinClasses,
  splitIntoClasses,
} from '../../../../src/store/embedded/rows/column-families.ts';

/** A class with a row at each offset. */
function classOf(parameters: readonly number[], offsets: Iterable<number>, isRegular = false): ColumnClass {
  const clock = clockSketch();
  for (const offset of offsets) clock.add(identityHash(offset, 0));
  return { parameters, clock, isRegular };
}

const steps = (count: number, first = 0, step = 10) =>
  Array.from({ length: count }, (_, i) => first + i * step);

describe('families of columns', () => {
  it('are split into what is together in all sets', () => {
    const anySet = fc.uniqueArray(fc.nat({ max: 12 }), { minLength: 1 });
    fc.assert(
      fc.property(fc.array(anySet, { maxLength: 8 }), (sets) => {
        const ordered = sets.map((set) => set.sort((a, b) => a - b));
        const signature = (parameter: number) => ordered.map((set) => set.includes(parameter)).join();
        const expected = new Map<string, number[]>();
        for (const parameter of [...new Set(ordered.flat())].sort((a, b) => a - b)) {
          const own = expected.get(signature(parameter)) ?? [];
          expected.set(signature(parameter), [...own, parameter]);
        }
        assert.deepEqual(splitIntoClasses(ordered), [...expected.values()]);
      }),
    );
  });

  it('share equal clocks, whatever their steps', () => {
    const clock = steps(5000);
    const classes = [classOf([3], clock, true), classOf([1, 7], clock), classOf([2], clock, true)];
    assert.deepEqual(joinClasses(classes), [[1, 2, 3, 7]]);
  });

  it('share a clock of which one misses some rows', () => {
    const some = steps(5000).filter((_, i) => i % 10 !== 3);
    assert.deepEqual(joinClasses([classOf([1], steps(5000)), classOf([2], some)]), [[1, 2]]);
    assert.deepEqual(joinClasses([classOf([1], steps(5000), true), classOf([2], steps(4990), true)]), [
      [1, 2],
    ]);
  });

  it('have clocks of their own where times differ', () => {
    const classes = Array.from({ length: 300 }, (_, i) => classOf([i], steps(200, i * 7, 3001)));
    assert.deepEqual(
      joinClasses(classes),
      classes.map(({ parameters }) => parameters),
    );
  });

  it('do not put a slow regular column beside fast ones', () => {
    const slow = classOf([2], steps(50, 0, 1000), true);
    assert.deepEqual(joinClasses([classOf([1], steps(5000), true), slow]), [[1], [2]]);
  });

  it('do not widen many columns for rows that one of them has alone', () => {
    const many = Array.from({ length: 200 }, (_, i) => 10 + i);
    const clock = steps(3000);
    const more = [...clock, ...steps(2000, 5)];
    assert.deepEqual(joinClasses([classOf([1], more), classOf(many, clock)]), [[1], many]);
  });
});
