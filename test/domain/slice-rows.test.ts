import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isPresent } from '../../src/domain/parameter-data.ts';
import { slicePresence, sliceRows } from '../../src/domain/slice-rows.ts';
import { noTags } from '../../src/domain/tags.ts';
import { anyRows, groupOf, rowsOf } from '../store/embedded/row-groups.ts';

/** [from, to) within so many rows. */
function rangeIn(count: number, a: number, b: number): [from: number, to: number] {
  const from = a % count;
  return [from, from + (b % (count - from + 1))];
}

describe('rows in columns', () => {
  it('can be sliced anywhere, again and again', () => {
    fc.assert(
      fc.property(anyRows, fc.nat(), fc.nat(), (rows, a, b) => {
        const [from, to] = rangeIn(rows.length, a, b);
        const slice = sliceRows(groupOf(1, rows), from, to);
        assert.deepEqual(rowsOf(slice), rows.slice(from, to));
        if (to > from) assert.deepEqual(rowsOf(sliceRows(slice, 1, to - from)), rows.slice(from + 1, to));
      }),
    );
  });

  it('keep what a shape has besides, and columns that are not there', () => {
    const group = groupOf(
      1,
      [0, 1, 2].map((offset) => ({ offset, tags: noTags, values: { 4: offset } })),
    );
    const block = { ...group, base: 7n, columns: [undefined, ...group.columns] };
    const { base, columns, count } = sliceRows(block, 1, 3);
    assert.deepEqual([base, count, columns[0]], [7n, 2, undefined]);
    assert.deepEqual(columns[1], {
      parameter: 4,
      kind: 0,
      values: Float64Array.of(1, 2),
      present: undefined,
    });
  });
});

describe('presence', () => {
  it('can be sliced anywhere', () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { minLength: 1, maxLength: 99 }),
        fc.nat(),
        fc.nat(),
        (rows, a, b) => {
          const [from, to] = rangeIn(rows.length, a, b);
          const present = new Uint8Array((rows.length + 7) >> 3);
          rows.forEach((is, row) => {
            if (is) present[row >> 3]! |= 1 << (row & 7);
          });
          const slice = slicePresence(present, from, to);
          const found = Array.from({ length: to - from }, (_, row) => isPresent(slice, row));
          assert.deepEqual(found, rows.slice(from, to));
        },
      ),
    );
  });
});
