import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../src/domain/parameter-data.ts';
import { noTags } from '../../src/domain/tags.ts';
import { sliceBlock } from '../../src/store/slice-block.ts';
import { rowsOfBlock } from './embedded/read-rows.ts';

describe('a block of rows', () => {
  it('can be sliced with the streams of its rows, and columns that no row has', () => {
    const block = {
      count: 3,
      base: 5n,
      offsets: Float64Array.of(2, 1, 0),
      streams: [
        { streamId: 'a', topic: 't' },
        { streamId: 'b', topic: 't' },
      ],
      streamIndex: Uint32Array.of(0, 1, 0),
      tagSets: [noTags],
      tagIndex: undefined,
      columns: [
        undefined,
        {
          kind: Kind.String,
          name: 'gear',
          bytes: Buffer.from('N12R'),
          ends: Uint32Array.of(1, 3, 4),
          present: undefined,
        },
      ],
    };
    assert.equal(sliceBlock(block, 0, 3), block);
    assert.deepEqual(rowsOfBlock(sliceBlock(block, 1, 3)), rowsOfBlock(block).slice(1));
    assert.deepEqual(rowsOfBlock(sliceBlock(block, 0, 1)), rowsOfBlock(block).slice(0, 1));
  });
});
