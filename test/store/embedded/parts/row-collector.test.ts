import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noTags } from '../../../../src/domain/tags.ts';
import { collectRows } from '../../../../src/store/embedded/parts/row-collector.ts';
import {
  maxGroupBytes,
  maxGroupRows,
  placeBytes,
  type RowGroup,
} from '../../../../src/store/embedded/rows/row-group.ts';
import { groupOf } from '../row-groups.ts';

/** Gathers rounds of groups, each round behind the one before, and gives what a part's writer is handed. */
function collected(rounds: readonly (readonly RowGroup[])[]): RowGroup[] {
  const handed: RowGroup[] = [];
  const collector = collectRows({ add: (group) => handed.push(group) });
  for (const groups of rounds) collector.add(groups);
  collector.end();
  return handed;
}

describe('gathering rows for row groups', () => {
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
    for (const group of handed) assert.ok(placeBytes(group) <= maxGroupBytes);
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
