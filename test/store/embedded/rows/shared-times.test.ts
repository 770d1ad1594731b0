import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noTags, tagSet } from '../../../../src/domain/tags.ts';
import { mergeRowGroups } from '../../../../src/store/embedded/rows/merge-row-groups.ts';
import { findSharedTimes } from '../../../../src/store/embedded/rows/shared-times.ts';
import { groupOf, mergedRows, rowsOf } from '../row-groups.ts';

const rowsAt = (parameter: number, offsets: readonly number[], tags = noTags) =>
  offsets.map((offset) => ({ offset, tags, values: { [parameter]: offset + parameter / 100 } }));

describe('groups that share their times', () => {
  it('are merged as a map of identities says, the later ones winning', () => {
    const inputs = [
      rowsAt(4, [10, 20, 30]),
      rowsAt(7, [10, 20, 30]),
      rowsAt(4, [1, 2]),
      rowsAt(8, [1, 2]),
      rowsAt(4, [40]),
      [10, 20, 30].map((offset) => ({ offset, tags: noTags, values: { 4: -offset } })),
    ];
    const groups = inputs.map((rows) => groupOf(1, rows));
    const shared = findSharedTimes(groups)!;
    assert.deepEqual(Array.from(shared.offsets), [1, 2, 10, 20, 30, 40]);
    assert.deepEqual(Array.from(shared.starts), [2, 2, 0, 0, 5, 2]);
    assert.deepEqual(rowsOf(mergeRowGroups(groups)), mergedRows(inputs));
  });

  it('have all of them in common, ascending, and one tag set', () => {
    const first = groupOf(1, rowsAt(4, [10, 20, 30]));
    const lap = tagSet([['lap', '1']]);
    for (const other of [
      rowsAt(5, [10, 20]),
      rowsAt(5, [10, 20, 31]),
      rowsAt(5, [15, 16]),
      rowsAt(5, [50, 50]),
      rowsAt(5, [60, 55]),
      rowsAt(5, [10, 20, 30], lap),
      [...rowsAt(5, [10]), ...rowsAt(5, [20, 30], lap)],
      [],
    ]) {
      assert.equal(findSharedTimes([first, groupOf(1, other)]), undefined);
    }
  });
});
