import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { noTags, type TagSet, tagSet } from '../../../../src/domain/tags.ts';
import type { RowGroup } from '../../../../src/store/embedded/rows/row-group.ts';
import { rowIdentities } from '../../../../src/store/embedded/rows/row-identities.ts';

const lap = tagSet([['lap', '1']]);

function group(offsets: readonly number[], tagSets: readonly TagSet[] = [noTags]): RowGroup {
  const tagIndex = tagSets.length === 1 ? undefined : Uint32Array.from(offsets, (_, row) => row % 2);
  return {
    stream: 1,
    count: offsets.length,
    offsets: Float64Array.from(offsets),
    tagSets,
    tagIndex,
    columns: [],
  };
}

const keysOf = ({ offsets, tagSets, tagIndex }: RowGroup): string[] =>
  Array.from(offsets, (offset, row) => `${offset} ${tagSets[tagIndex?.[row] ?? 0]!.key}`);

const offsets = fc.oneof(
  fc.uniqueArray(fc.integer({ min: 0, max: 40 })).map((all) => all.sort((a, b) => a - b)),
  fc.array(fc.integer({ min: 0, max: 40 })),
);
const groups = fc.array(
  fc
    .tuple(offsets, fc.constantFrom([noTags], [noTags], [noTags, lap]))
    .map(([times, sets]) => group(times, sets)),
  { minLength: 1, maxLength: 4 },
);

describe('the identities of rows', () => {
  it('are each there once, in order of time, and every row finds its own', () => {
    fc.assert(
      fc.property(groups, (all) => {
        const found = rowIdentities(all);
        const keys = Array.from(
          found.offsets,
          (offset, i) => `${offset} ${found.tagSets[found.tagIndex?.[i] ?? 0]!.key}`,
        );
        const rows = all.flatMap(keysOf);
        assert.equal(found.count, new Set(rows).size);
        assert.equal(new Set(keys).size, found.count);
        assert.deepEqual(
          [...found.offsets],
          [...found.offsets].sort((a, b) => a - b),
        );
        assert.deepEqual(
          rows.map((_, row) => keys[found.identityOf[row]!]),
          rows,
        );
      }),
      { numRuns: 1000 },
    );
  });
});
