import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { noTags } from '../../../../src/domain/tags.ts';
import { dropEmptyRows } from '../../../../src/store/embedded/rows/gather-rows.ts';
import { mergePieces } from '../../../../src/store/embedded/rows/merge-pieces.ts';
import type { RowGroup } from '../../../../src/store/embedded/rows/row-group.ts';
import { maxGroupBytes, placeBytes } from '../../../../src/store/embedded/rows/row-group.ts';
import { hideRows, type WindowTombstone } from '../../../../src/store/embedded/tombstones/tombstone.ts';
import { cases } from '../../../extent.ts';
import { anyRows, groupOf, mergedRows, type PlainRow, rowsOf } from '../row-groups.ts';

/** Bytes under which a handful of rows is cut. */
const anyLimit = fc.integer({ min: 0, max: 300 });

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
      fc.property(fc.array(anyRows, { minLength: 1, maxLength: 6 }), anyLimit, (inputs, limit) => {
        const groups = inputs.map((rows) => groupOf(1, rows));
        const pieces = mergePieces(groups, limit).map((piece) => ({ piece, rows: rowsOf(piece.merge()) }));
        const all = pieces.flatMap(({ rows }) => rows);
        assert.deepEqual(all.filter(isFilled), mergedRows(inputs).filter(isFilled));
        for (const [i, { piece, rows }] of pieces.entries()) {
          assert.deepEqual([piece.first, piece.last], [rows[0]!.offset, rows.at(-1)!.offset]);
          if (i > 0) assert.ok(piece.first > pieces[i - 1]!.piece.last);
        }
      }),
      { numRuns: cases(500) },
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
        anyLimit,
        (drawn, limit) => {
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
          const pieces = mergePieces(groups, limit).flatMap((piece) => rowsOf(dropEmptyRows(piece.merge())));
          assert.deepEqual(pieces, mergedRows(groups.map(rowsOf)).filter(isFilled));
        },
      ),
    );
  });

  it('keeps each piece within the limit, but for the rows of one time and what the sources take', () => {
    fc.assert(
      fc.property(fc.array(anyRows, { minLength: 2, maxLength: 6 }), anyLimit, (inputs, limit) => {
        const groups = inputs.map((rows) => groupOf(1, rows));
        const held = groups.reduce((sum, group) => sum + placeBytes(group), 0);
        for (const piece of mergePieces(groups, limit)) {
          if (piece.first < piece.last) assert.ok(placeBytes(piece.merge()) <= Math.max(limit, held));
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
      assert.ok(8 * count * columns.length <= maxGroupBytes);
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

  it('fills pieces where channels that share their times come one by one', () => {
    const channels = Array.from({ length: 300 }, (_, i) => channel(i, 0, 3000, 10));
    // One with other times, so that all together take more places than the channels have values.
    const pieces = mergePieces([...channels, channel(300, 5, 3000, 10)], 1 << 20).map((piece) =>
      piece.merge(),
    );
    assert.equal(
      pieces.reduce((rows, { count }) => rows + count, 0),
      6000,
    );
    for (const piece of pieces) assert.ok(placeBytes(piece) <= 1 << 20);
    // 14 MB of places.
    assert.ok(pieces.length <= 32, `${pieces.length} pieces`);
  });
});
