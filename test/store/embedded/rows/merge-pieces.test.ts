import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { noTags, type TagSet, tagSet } from '../../../../src/domain/tags.ts';
import { dropEmptyRows } from '../../../../src/store/embedded/rows/gather-rows.ts';
import { mergePieces, usualLimits } from '../../../../src/store/embedded/rows/merge-pieces.ts';
import type { RowGroup } from '../../../../src/store/embedded/rows/row-group.ts';
import { maxGroupBytes, maxGroupRows } from '../../../../src/store/embedded/rows/row-group.ts';
import { hideRows, type WindowTombstone } from '../../../../src/store/embedded/tombstones/tombstone.ts';
import { anyRows, groupOf, mergedRows, type PlainRow, rowsOf } from '../row-groups.ts';

/** Limits under which a handful of rows is cut. */
const anyLimits = fc.record({
  mergedBytes: fc.constantFrom(0, 100, 1e6),
  pieceBytes: fc.integer({ min: 0, max: 300 }),
  pieceRows: fc.integer({ min: 1, max: 9 }),
  wholeMoments: fc.boolean(),
});

const isFilled = ({ values }: PlainRow) => Object.keys(values).length > 0;

/** One channel with times of its own: `rows` of them, `step` apart. */
function channel(parameter: number, first: number, rows: number, step: number): RowGroup {
  return {
    stream: 1,
    count: rows,
    offsets: Float64Array.from({ length: rows }, (_, i) => first + i * step),
    tagSets: [noTags],
    tagIndex: undefined,
    columns: [
      {
        parameter,
        kind: 0,
        values: Float64Array.from({ length: rows }, (_, i) => parameter + i),
        present: undefined,
      },
    ],
  };
}

describe('merging in pieces', () => {
  it('gives the rows that one merge gives, whatever the limits', () => {
    fc.assert(
      fc.property(fc.array(anyRows, { minLength: 1, maxLength: 6 }), anyLimits, (inputs, limits) => {
        const groups = inputs.map((rows) => groupOf(1, rows));
        const pieces = mergePieces(groups, limits).map((piece) => ({ piece, rows: rowsOf(piece.merge()) }));
        const all = pieces.flatMap(({ rows }) => rows);
        assert.deepEqual(all.filter(isFilled), mergedRows(inputs).filter(isFilled));
        if (pieces.length === 1) return;
        assert.ok(all.every(isFilled), 'rows without a value');
        for (const [i, { piece, rows }] of pieces.entries()) {
          assert.deepEqual([piece.first, piece.last], [rows[0]!.offset, rows.at(-1)!.offset]);
          if (limits.wholeMoments && i > 0) assert.ok(piece.first > pieces[i - 1]!.piece.last);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('gives what is left behind tombstones, too', () => {
    const anyTombstone = fc.record({
      lsn: fc.nat({ max: 5 }),
      first: fc.nat({ max: 12 }),
      span: fc.nat({ max: 9 }),
    });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyRows, anyTombstone), { minLength: 1, maxLength: 5 }),
        anyLimits,
        (drawn, limits) => {
          const groups = drawn.map(([rows, { lsn, first, span }]) => {
            const tombstone = {
              lsn,
              arrival: 0,
              streams: Uint32Array.of(1),
              from: 0n,
              to: 0n,
              tagFilters: [],
            };
            const hidden: WindowTombstone = {
              tombstone: { ...tombstone, parameters: new Set([4, 5, 9]) },
              first,
              last: first + span,
            };
            return hideRows(groupOf(1, rows), [hidden]);
          });
          const pieces = mergePieces(groups, limits).flatMap((piece) => rowsOf(dropEmptyRows(piece.merge())));
          assert.deepEqual(pieces, mergedRows(groups.map(rowsOf)).filter(isFilled));
        },
      ),
    );
  });

  it('keeps each piece within the limits, but for one row alone', () => {
    fc.assert(
      fc.property(fc.array(anyRows, { minLength: 2, maxLength: 6 }), anyLimits, (inputs, limits) => {
        const merges = mergePieces(
          inputs.map((rows) => groupOf(1, rows)),
          { ...limits, mergedBytes: 0, wholeMoments: false },
        );
        if (merges.length === 1) return;
        for (const { count, columns } of merges.map((piece) => piece.merge())) {
          assert.ok(count <= limits.pieceRows);
          assert.ok(count === 1 || 8 * count * columns.length <= limits.pieceBytes);
        }
      }),
    );
  });

  it('never merges thousands of channels with times of their own into one group', () => {
    const channels = 4000;
    const groups = Array.from({ length: channels }, (_, i) =>
      channel(1 + ((i * 7919) % channels), (i * 104_729) % 1e7, 25, 1e7),
    );
    const pieces = mergePieces(groups);
    let rows = 0;
    let last = -1;
    for (const piece of pieces) {
      const { count, columns, offsets } = piece.merge();
      assert.ok(count <= maxGroupRows && 8 * count * columns.length <= maxGroupBytes);
      assert.ok(columns.every(({ parameter }, i) => i === 0 || parameter > columns[i - 1]!.parameter));
      assert.ok(offsets[0]! >= last);
      last = offsets[count - 1]!;
      rows += count;
    }
    assert.equal(rows, new Set(groups.flatMap(({ offsets }) => [...offsets])).size);
    assert.ok(pieces.length < (2 * channels * 25) / 1000, `${pieces.length} row groups are too many`);
  });

  it('merges at once where rows share times, however many groups they come in', () => {
    const groups = Array.from({ length: 500 }, (_, i) => channel(1 + i, 0, 100, 1e7));
    const pieces = mergePieces(groups);
    assert.equal(pieces.length, 1);
    assert.equal(pieces[0]!.merge().count, 100);
    assert.equal(pieces[0]!.merge().columns.length, 500);
  });

  it('gives a piece the tag sets of its own rows only', () => {
    const set = (i: number): TagSet => tagSet([['lap', String(i)]]);
    const rows = Array.from({ length: 40 }, (_, i) => ({ offset: i, tags: set(i), values: { [4 * i]: i } }));
    const limits = { ...usualLimits, mergedBytes: 0, pieceBytes: 8 * 4 * 4 };
    const pieces = mergePieces(
      rows.map((row) => groupOf(1, [row])),
      limits,
    ).map((piece) => piece.merge());
    assert.equal(pieces.length, 10);
    assert.ok(pieces.every(({ tagSets }) => tagSets.length === 4));
  });
});
