import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shadedRows } from '../../../web/src/map/shades.ts';

describe('shades of rows', () => {
  it('go from the least value to the largest, and hold each row once', () => {
    const { rowsOf, without } = shadedRows([0, 4.9, 5, 10, 7, -3, 12], [0, 10], 2);
    assert.deepEqual(rowsOf, [
      [0, 1, 5],
      [2, 3, 4, 6],
    ]);
    assert.deepEqual(without, []);
  });

  it('are none of rows without a finite number, which are not lost', () => {
    const values = [1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    assert.deepEqual(shadedRows(values, [0, 1], 3), { rowsOf: [[], [], [0]], without: [1, 2, 3] });
  });
});
