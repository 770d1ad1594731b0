import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { firstRowFrom, valueBytes } from '../../../../src/store/embedded/rows/row-group.ts';
import { anyRows, groupOf } from '../row-groups.ts';

describe('rows of a group', () => {
  it('are found by their offset', () => {
    const offsets = Float64Array.of(2, 5, 5, 9);
    const found = [0, 2, 3, 5, 6, 9, 10].map((offset) => firstRowFrom(offsets, offset));
    assert.deepEqual(found, [0, 0, 1, 1, 3, 3, 4]);
  });

  it('are counted by the memory that their values take', () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const group = groupOf(1, rows);
        const cells = rows.flatMap(({ values }) => Object.values(values));
        const bytes = cells.reduce<number>(
          (sum, cell) => sum + (typeof cell === 'string' ? cell.length : 0),
          0,
        );
        const numeric = group.columns.filter((column) => !('ends' in column)).length;
        assert.equal(valueBytes(group, 0, group.count), bytes + 8 * numeric * group.count);
      }),
    );
  });
});
