import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { tagSet } from '../../../../src/domain/tags.ts';
import { partTags, visitPairs } from '../../../../src/store/embedded/parts/part-tags.ts';

const anySet = fc.dictionary(fc.constantFrom('lap', 'driver', 'tyre'), fc.constantFrom('1', '2', '3'));
/** Runs of rows with one set each, so that most groups are kept. */
const anyRuns = fc.array(
  fc.record({ set: fc.integer({ min: 0, max: 5 }), rows: fc.integer({ min: 1, max: 9 }) }),
  { minLength: 1, maxLength: 20, size: 'max' },
);

describe('the tags of row groups that are kept', () => {
  it('are those of the rows, whichever of them are asked for', () => {
    fc.assert(
      fc.property(
        fc.array(anySet, { minLength: 6, maxLength: 6, size: 'max' }),
        fc.array(anyRuns, { minLength: 1, maxLength: 3, size: 'max' }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (sets, groups, a, b) => {
          const kept = partTags();
          const tagSets = sets.map((set) => tagSet(Object.entries(set)));
          const rowsOf = groups.map((runs) =>
            Uint32Array.from(runs.flatMap(({ set, rows }) => new Array<number>(rows).fill(set))),
          );
          rowsOf.forEach((tagIndex, i) => {
            kept.add(i, { tagSets, tagIndex }, tagIndex.length, undefined);
          });
          for (const [i, tagIndex] of rowsOf.entries()) {
            const tags = kept.of(i);
            if (tags === undefined) {
              const runs = tagIndex.filter((set, row) => set !== tagIndex[row - 1]).length;
              assert.ok(runs > Math.max(8, tagIndex.length / 4));
              continue;
            }
            const [first, end] = [a, b]
              .map((share) => Math.round(share * tagIndex.length))
              .sort((x, y) => x - y);
            const found = new Set<string>();
            visitPairs(tags, first!, end!, (pair) => found.add(JSON.stringify(kept.pairs[pair])));
            const expected = new Set(
              [...tagIndex.subarray(first, end)].flatMap((set) =>
                tagSets[set]!.pairs.map((pair) => JSON.stringify(pair)),
              ),
            );
            assert.deepEqual([...found].sort(), [...expected].sort());
          }
        },
      ),
    );
  });

  it('are of all rows where these have one set', () => {
    const kept = partTags();
    kept.add(7, { tagSets: [tagSet([['lap', '1']])], tagIndex: undefined }, 100, 5);
    const found: number[] = [];
    visitPairs(kept.of(7)!, 3, 4, (pair) => found.push(pair));
    assert.deepEqual(
      found.map((pair) => kept.pairs[pair]),
      [['lap', '1']],
    );
    assert.equal(kept.of(7)!.step, 5);
    assert.equal(kept.of(8), undefined);
  });
});
