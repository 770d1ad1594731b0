import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parameterSets } from '../../../../src/store/embedded/catalog/parameter-sets.ts';

const someParameters = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 6 });

describe('sets of parameters', () => {
  it('are what streams put into them, whoever shares them', () => {
    const steps = fc.array(
      fc.record({
        stream: fc.nat(3),
        action: fc.constantFrom('extend', 'extend', 'replace', 'remove'),
        parameters: someParameters,
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(steps, (all) => {
        const sets = parameterSets();
        const streams = Array.from({ length: 4 }, () => ({ set: 0, expected: new Set<number>() }));
        for (const { stream, action, parameters } of all) {
          const one = streams[stream]!;
          if (action === 'extend') {
            one.set = sets.extend(one.set, sets.missing(one.set, parameters));
            for (const parameter of parameters) one.expected.add(parameter);
          } else {
            const before = one.set;
            one.set = action === 'remove' ? 0 : sets.intern(parameters);
            sets.release(before);
            one.expected = new Set(action === 'remove' ? [] : parameters);
          }
          for (const { set, expected } of streams) {
            assert.deepEqual(
              sets.members(set),
              [...expected].sort((a, b) => a - b),
            );
            for (let parameter = 1; parameter <= 12; parameter++) {
              assert.equal(sets.has(set, parameter), expected.has(parameter));
            }
          }
        }
        const distinct = new Set(streams.map(({ expected }) => [...expected].sort((a, b) => a - b).join()));
        distinct.add('');
        assert.equal(sets.count, distinct.size);
        assert.equal(new Set([0, ...streams.map(({ set }) => set)]).size, distinct.size);
      }),
    );
  });

  it('do not change a list that someone holds', () => {
    const sets = parameterSets();
    const set = sets.intern([3, 1]);
    const held = sets.members(set);
    const grown = sets.extend(set, [2]);
    assert.deepEqual(
      [held, sets.members(grown)],
      [
        [1, 3],
        [1, 2, 3],
      ],
    );
  });

  it('are one for each stream, however many steps it took', () => {
    const sets = parameterSets();
    let set = 0;
    for (let parameter = 1; parameter <= 100_000; parameter++) set = sets.extend(set, [parameter]);
    assert.equal(sets.count, 2);
    assert.equal(sets.members(set).length, 100_000);
    sets.release(set);
    assert.equal(sets.count, 1);
  });
});
