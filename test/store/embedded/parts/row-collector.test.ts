import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noTags } from '../../../../src/domain/tags.ts';
import type { PartWriter } from '../../../../src/store/embedded/parts/part-writer.ts';
import { collectRows } from '../../../../src/store/embedded/parts/row-collector.ts';
import { usualLimits } from '../../../../src/store/embedded/rows/merge-pieces.ts';
import {
  bytesOfPlaces,
  maxGroupBytes,
  maxGroupRows,
  type RowGroup,
} from '../../../../src/store/embedded/rows/row-group.ts';
import { groupOf } from '../row-groups.ts';

/** Gathers rounds of groups, each round behind the one before, and gives what a part's writer is handed. */
function collected(rounds: readonly (readonly RowGroup[])[]): RowGroup[] {
  const handed: RowGroup[] = [];
  const writer: PartWriter = {
    add: (group) => handed.push(group),
    addStored: () => assert.fail('nothing is stored'),
    finish: () => assert.fail('nothing is finished'),
  };
  const collector = collectRows(writer);
  for (const groups of rounds) collector.add(groups);
  collector.end();
  return handed;
}

/** One row of one parameter. */
const cell = (offset: number, parameter: number): RowGroup =>
  groupOf(1, [{ offset, tags: noTags, values: { [4 * parameter + 4]: offset } }]);

/** Rows of as many parameters, each alone, in rounds of some hundred. */
function cells(rounds: number, rows: number): RowGroup[][] {
  return Array.from({ length: rounds }, (_, round) =>
    Array.from({ length: rows }, (_, i) => cell(round * rows + i, ((round * rows + i) * 7919) % 3001)),
  );
}

describe('gathering rows for row groups', () => {
  it('hands over no group of more places than a row group has, whether rows come at once or in rounds', () => {
    for (const rounds of [cells(1, 9000), cells(30, 300)]) {
      const handed = collected(rounds);
      assert.deepEqual(
        handed.flatMap(({ offsets }) => [...offsets]),
        Array.from({ length: 9000 }, (_, i) => i),
      );
      for (const group of handed) assert.ok(bytesOfPlaces([group]) <= maxGroupBytes);
      assert.ok(handed.length <= 10, `${handed.length} groups`);
    }
  });

  it('puts no two groups together that have too many parameters between them', () => {
    const wide = groupOf(
      1,
      [0, 1].map((offset) => ({
        offset,
        tags: noTags,
        values: Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [4 * i + 4, i])),
      })),
    );
    const long = groupOf(
      1,
      Array.from({ length: 7000 }, (_, i) => ({ offset: 10 + i, tags: noTags, values: { 3: i } })),
    );
    const handed = collected([[wide], [long]]);
    assert.deepEqual(
      handed.map(({ count }) => count).reduce((a, b) => a + b),
      7002,
    );
    for (const group of handed) assert.ok(bytesOfPlaces([group]) <= usualLimits.pieceBytes);
  });

  it('fills row groups of rows that have their parameters in common', () => {
    const rounds = Array.from({ length: 90 }, (_, round) => [
      groupOf(
        1,
        Array.from({ length: 100 }, (_, i) => ({ offset: 100 * round + i, tags: noTags, values: { 4: i } })),
      ),
    ]);
    assert.deepEqual(
      collected(rounds).map(({ count }) => count),
      [maxGroupRows, 9000 - maxGroupRows],
    );
  });
});
