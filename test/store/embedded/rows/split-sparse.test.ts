import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tagSet } from '../../../../src/domain/tags.ts';
import { mergePieces } from '../../../../src/store/embedded/rows/merge-pieces.ts';
import { bytesOfPlaces } from '../../../../src/store/embedded/rows/row-group.ts';
import { splitSparse } from '../../../../src/store/embedded/rows/split-sparse.ts';
import { groupOf, type PlainRow, rowsOf } from '../row-groups.ts';

const laps = [tagSet([['lap', '1']]), tagSet([['lap', '2']])];

/** Rows with a value or two of many parameters, numbers and strings. */
function sparseRows(rows: number, parameters: number): PlainRow[] {
  return Array.from({ length: rows }, (_, i) => ({
    offset: 3 * i,
    tags: laps[i % 2]!,
    values:
      i % 3 === 0
        ? { [10 + ((7 * i) % parameters)]: sampleOf(10 + ((7 * i) % parameters), i), 4: i }
        : { [10 + ((7 * i) % parameters)]: sampleOf(10 + ((7 * i) % parameters), i) },
  }));
}

/** Of the kind that parameters have in these tests. */
function sampleOf(parameter: number, i: number): number | string {
  return parameter % 4 === 0 || parameter % 4 === 3 ? i : `text ${i}`;
}

describe('splitting sparse rows', () => {
  it('leaves no place for values that are not there, and loses none', () => {
    const rows = sparseRows(800, 400);
    const group = groupOf(1, rows);
    const split = splitSparse(group);
    assert.ok(bytesOfPlaces(split) < bytesOfPlaces([group]) / 32);
    assert.ok(split.every(({ columns }) => columns.every(({ present }) => present === undefined)));
    assert.ok(
      split.every(({ offsets }) => offsets.every((offset, i) => i === 0 || offset > offsets[i - 1]!)),
    );
    assert.deepEqual(
      split.flatMap(rowsOf).sort((a, b) => a.offset - b.offset),
      rows,
    );
    assert.deepEqual(
      mergePieces(split).flatMap((piece) => rowsOf(piece.merge())),
      rows,
    );
  });

  it('gives back what is small or has most of its values', () => {
    const small = groupOf(1, sparseRows(20, 20));
    assert.deepEqual(splitSparse(small), [small]);
    const dense = groupOf(
      1,
      Array.from({ length: 4000 }, (_, i) => ({
        offset: i,
        tags: laps[0]!,
        values: Object.fromEntries(Array.from({ length: 40 }, (_, c) => [4 * c, i])),
      })),
    );
    const split = splitSparse(dense);
    assert.equal(split.length, 1);
    assert.equal(split[0], dense);
  });
});
