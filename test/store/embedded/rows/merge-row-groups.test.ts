import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { noTags, tagSet } from '../../../../src/domain/tags.ts';
import { mergeRowGroups } from '../../../../src/store/embedded/rows/merge-row-groups.ts';
import { anyRows, groupOf, mergedRows, rowsOf } from '../row-groups.ts';

const row = (offset: number, values: Record<number, number | string>, tags = noTags) => ({
  offset,
  tags,
  values,
});

describe('merging row groups', () => {
  it('is what a map of identities says, for any groups, sorted or not', () => {
    const groups = fc.array(fc.tuple(anyRows, fc.boolean()), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(groups, (drawn) => {
        const inputs = drawn.map(([rows, sorted]) => (sorted ? mergedRows([rows]) : rows));
        const merged = mergeRowGroups(inputs.map((rows) => groupOf(1, rows)));
        assert.deepEqual(rowsOf(merged), mergedRows(inputs));
      }),
      { numRuns: 300 },
    );
  });

  it('gives back a single sorted group as it is, beside empty ones too', () => {
    const group = groupOf(1, [row(1, { 4: 1 }), row(2, { 4: 2 })]);
    const empty = groupOf(1, []);
    assert.equal(mergeRowGroups([group]), group);
    assert.equal(mergeRowGroups([empty, group, empty]), group);
    assert.equal(mergeRowGroups([empty, empty]).count, 0);
  });

  it('joins groups that follow each other in time, in whichever order they come', () => {
    const groups = [
      [row(30, { 4: 3, 5: 'c' }), row(31, { 5: 'd' })],
      [row(10, { 4: 1, 6: 'a' })],
      [row(20, { 7: 2 })],
    ];
    const merged = mergeRowGroups(groups.map((rows) => groupOf(1, rows)));
    assert.deepEqual(rowsOf(merged), mergedRows(groups));
    assert.deepEqual(Array.from(merged.offsets), [10, 20, 30, 31]);
  });

  it('lets the last row of an identity win, parameter by parameter', () => {
    const lap = tagSet([['lap', '1']]);
    const older = [row(5, { 4: 1, 5: 'old' }), row(5, { 4: 7 }, lap)];
    const newer = [row(5, { 4: 2, 7: 9 }), row(5, { 7: 8 }), row(5, { 4: -0 }, lap)];
    assert.deepEqual(rowsOf(mergeRowGroups([groupOf(1, older), groupOf(1, newer)])), [
      row(5, { 4: 2, 5: 'old', 7: 8 }),
      row(5, { 4: -0 }, lap),
    ]);
  });

  it('makes one row of an identity that stands twice in a single group', () => {
    const lap = tagSet([['lap', '1']]);
    for (const rows of [
      [row(1, { 4: 1 }), row(1, { 4: 2 })],
      [row(1, { 4: 1 }, lap), row(1, { 4: 2 }, lap), row(2, { 4: 3 })],
    ]) {
      assert.deepEqual(rowsOf(mergeRowGroups([groupOf(1, rows)])), mergedRows([rows]));
    }
  });

  it('keeps full columns free of a bitmap', () => {
    const merged = mergeRowGroups([
      groupOf(1, [row(1, { 4: 1, 5: 'a' })]),
      groupOf(1, [row(0, { 4: 2, 5: 'b' })]),
    ]);
    assert.deepEqual(
      merged.columns.map(({ present }) => present),
      [undefined, undefined],
    );
  });

  it('merges thousands of small batches that came in any order', () => {
    const batches = Array.from({ length: 3000 }, (_, i) => [
      row((i * 7919) % 3000, { 4: i }),
      row(((i * 7919) % 3000) + 1, { 4: -i }),
    ]);
    const merged = mergeRowGroups(batches.map((rows) => groupOf(1, rows)));
    assert.deepEqual(rowsOf(merged), mergedRows(batches));
  });

  it('refuses rows of two streams', () => {
    assert.throws(() => mergeRowGroups([groupOf(1, []), groupOf(2, [])]), /one stream/);
  });
});
