import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parameterSets } from '../../../../src/store/embedded/catalog/parameter-sets.ts';

const someParameters = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 6 });

describe('sets of parameters', () => {
  it('hold what was put into them, in order, under one number each', () => {
    fc.assert(
      fc.property(fc.array(someParameters, { maxLength: 10 }), (additions) => {
        const sets = parameterSets();
        const expected = new Set<number>();
        let set = 0;
        for (const addition of additions) {
          set = sets.extend(set, addition);
          for (const parameter of addition) expected.add(parameter);
          assert.deepEqual(
            sets.members(set),
            [...expected].sort((a, b) => a - b),
          );
          for (let parameter = 1; parameter <= 12; parameter++) {
            assert.equal(sets.has(set, parameter), expected.has(parameter));
          }
          assert.equal(sets.intern([...expected]), set);
          assert.equal(sets.extend(set, addition), set);
        }
      }),
    );
  });

  it('are not changed by extending them', () => {
    const sets = parameterSets();
    const small = sets.extend(0, [3, 1]);
    const large = sets.extend(small, [2]);
    assert.deepEqual([sets.members(0), sets.members(small), sets.members(large)], [[], [1, 3], [1, 2, 3]]);
    assert.equal(sets.intern([1, 3]), small);
  });
});
