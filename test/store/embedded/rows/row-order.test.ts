import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { sortedOrder } from '../../../../src/store/embedded/rows/row-order.ts';

describe('row order', () => {
  it('sorts by both keys and keeps equal rows as they came', () => {
    const anyRow = fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 2 }));
    fc.assert(
      fc.property(fc.array(anyRow), (rows) => {
        const offsets = Float64Array.from(rows, ([offset]) => offset);
        const compareTies = (a: number, b: number) => rows[a]![1] - rows[b]![1];
        const expected = [...rows.keys()].sort(
          (a, b) => offsets[a]! - offsets[b]! || compareTies(a, b) || a - b,
        );
        const order = sortedOrder({ offsets, compareTies });
        assert.deepEqual(order === undefined ? [...rows.keys()] : Array.from(order), expected);
      }),
    );
  });

  it('says nothing about rows that stand in order', () => {
    assert.equal(sortedOrder({ offsets: Float64Array.of(), compareTies: undefined }), undefined);
    assert.equal(sortedOrder({ offsets: Float64Array.of(1, 1, 2), compareTies: undefined }), undefined);
  });
});
