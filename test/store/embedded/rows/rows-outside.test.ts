import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { noTags, tagSet } from '../../../../src/domain/tags.ts';
import type { RowGroup } from '../../../../src/store/embedded/rows/row-group.ts';
import { rowsOutside } from '../../../../src/store/embedded/rows/rows-outside.ts';
import { joinRanges } from '../../../../src/store/embedded/tombstones/hidden-ranges.ts';
import { groupOf, rowsOf } from '../row-groups.ts';

const anyRows = fc.array(
  fc.record({
    offset: fc.integer({ min: 0, max: 60 }),
    tags: fc.constantFrom(noTags, tagSet([['lap', '1']])),
    values: fc.constantFrom({ 4: 1 }, { 4: 2, 5: 'a' }, { 5: 'b' }, { 3: 5, 9: 'c' }),
  }),
  { maxLength: 40 },
);
const anyRanges = fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 12 })), {
  maxLength: 6,
});

const parametersOf = ({ columns }: RowGroup) => columns.map(({ parameter }) => parameter);

describe('the rows outside of ranges', () => {
  it('are those of which no range has the time', () => {
    fc.assert(
      fc.property(anyRows, anyRanges, (rows, pairs) => {
        const sorted = [...rows].sort((a, b) => a.offset - b.offset);
        const ranges = pairs.map(([first, length]) => ({ first, last: first + length }));
        const isOutside = (offset: number) =>
          !ranges.some(({ first, last }) => first <= offset && last >= offset);
        const found = rowsOutside(groupOf(1, sorted), joinRanges(ranges));
        const expected = groupOf(
          1,
          sorted.filter(({ offset }) => isOutside(offset)),
        );
        assert.deepEqual(rowsOf(found), rowsOf(expected));
        assert.deepEqual(parametersOf(found), parametersOf(expected));
      }),
    );
  });
});
