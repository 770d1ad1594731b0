import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../src/domain/parameter-data.ts';
import { noTags } from '../../../src/domain/tags.ts';
import { turnedRound } from '../../../src/store/calculated/turn-round.ts';
import type { RowBlock } from '../../../src/store/row-block.ts';

function block(first: number, count: number): RowBlock {
  const offsets = Float64Array.from({ length: count }, (_, i) => first + i);
  return {
    count,
    base: 0n,
    offsets,
    streamIndex: undefined,
    streams: [{ topic: 'cars', streamId: 's' }],
    tagIndex: undefined,
    tagSets: [noTags],
    columns: [
      { kind: Kind.Numeric, name: 'A', values: offsets.map((offset) => 10 * offset), present: undefined },
    ],
  };
}

async function* blocks(count: number, rows: number): AsyncGenerator<RowBlock> {
  for (let i = 0; i < count; i++) yield block(i * rows, rows);
}

async function offsetsOf(turned: AsyncIterable<RowBlock>): Promise<number[]> {
  const found: number[] = [];
  for await (const { offsets, columns } of turned) {
    found.push(...offsets);
    const [column] = columns;
    assert.ok(column?.kind === Kind.Numeric);
    assert.deepEqual(
      [...column.values],
      Array.from(offsets, (offset) => 10 * offset),
    );
  }
  return found;
}

describe('rows that are turned round', () => {
  it('come from the last to the first', async () => {
    assert.deepEqual(await offsetsOf(turnedRound(blocks(2, 3), undefined)), [5, 4, 3, 2, 1, 0]);
  });

  it('are held in whole blocks, as many as the limit needs', async () => {
    assert.deepEqual(await offsetsOf(turnedRound(blocks(4, 3), 4)), [11, 10, 9, 8, 7, 6]);
  });

  it('are refused where too many would be held, and not where a limit lets them go', async () => {
    const many = () => blocks(400, 8192);
    await assert.rejects(offsetsOf(turnedRound(many(), undefined)), { code: 'query_too_large' });
    assert.equal((await offsetsOf(turnedRound(many(), 1))).length, 8192);
  });
});
