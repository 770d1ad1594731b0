import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noTags, tagSet } from '../../../src/domain/tags.ts';
import { pickRows } from '../../../src/store/calculated/pick-rows.ts';
import type { RowBlock } from '../../../src/store/row-block.ts';
import { rowsOfBlock } from '../embedded/read-rows.ts';
import { rowsOf } from '../embedded/rows.ts';

describe('rows that are picked', () => {
  it('are the same rows, in the order that is asked for', () => {
    const rows = rowsOf(
      Array.from({ length: 20 }, (_, i) => ({
        time: BigInt(i),
        tags: i % 3 === 0 ? [] : [['Lap', `${i % 3}`] as const],
        cells: {
          number: i % 4 === 0 ? null : i,
          text: i % 5 === 0 ? null : 'x'.repeat(i),
          rare: i === 7 ? 1 : null,
        },
      })),
    );
    const streams = ['a', 'b'].map((streamId) => ({ topic: 'cars', streamId }));
    const block: RowBlock = {
      ...rows,
      streams,
      streamIndex: Uint32Array.from({ length: 20 }, (_, i) => i % 2),
    };
    assert.deepEqual(block.tagSets, [noTags, tagSet([['Lap', '1']]), tagSet([['Lap', '2']])]);
    const all = rowsOfBlock(block);
    for (const wanted of [[0, 1, 2], [19, 18, 7, 3, 0], [8, 9, 16], [5]]) {
      const picked = pickRows(block, Uint32Array.from(wanted));
      assert.deepEqual(
        rowsOfBlock(picked),
        wanted.map((row) => all[row]),
      );
      assert.equal(picked.columns[2] === undefined, !wanted.includes(7));
    }
  });
});
