import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Kind } from '../../../src/domain/parameter-data.ts';
import { tagSet } from '../../../src/domain/tags.ts';
import { createResultRows } from '../../../src/store/answers/result-rows.ts';
import type { RowBlock } from '../../../src/store/store.ts';

const block: RowBlock = {
  count: 3,
  base: 7n,
  offsets: Float64Array.of(0, 1, 2),
  streams: [
    { topic: 'cars', streamId: 's1' },
    { topic: 'trucks', streamId: 's2' },
  ],
  streamIndex: Uint32Array.of(0, 1, 1),
  tagSets: [
    tagSet([['lap', '1']]),
    tagSet([
      ['lap', '2'],
      ['streamId', 'no'],
    ]),
  ],
  tagIndex: Uint32Array.of(1, 0, 1),
  columns: [{ kind: Kind.Numeric, name: 'a', values: Float64Array.of(1, 2, 3), present: undefined }],
};

test('rows of a store become rows of an answer with the tags asked for, the pseudo-tags among them', () => {
  const { tags, ...rows } = createResultRows(['lap', 'car', 'streamId', 'topic'])(block);
  const texts = tags.map(({ texts, index }) => [0, 1, 2].map((row) => texts[index?.[row] ?? 0]));
  assert.deepEqual(texts, [
    ['2', '1', '2'],
    [undefined, undefined, undefined],
    ['s1', 's2', 's2'],
    ['cars', 'trucks', 'trucks'],
  ]);
  assert.equal(rows.offsets, block.offsets);
  assert.equal(rows.columns, block.columns);
  assert.deepEqual([rows.count, rows.base], [3, 7n]);
});

test('rows of one stream and one tag set need no index', () => {
  const { tags } = createResultRows(['lap', 'topic'])({
    ...block,
    streamIndex: undefined,
    tagIndex: undefined,
  });
  assert.deepEqual(
    tags.map(({ texts, index }) => [texts[0], index]),
    [
      ['1', undefined],
      ['cars', undefined],
    ],
  );
});

test('blocks that share their dictionaries share the texts, others have their own', () => {
  const toResult = createResultRows(['lap', 'streamId']);
  const [first, second] = [toResult(block), toResult({ ...block, count: 2 })];
  assert.equal(first.tags[0]!.texts, second.tags[0]!.texts);
  assert.equal(first.tags[1]!.texts, second.tags[1]!.texts);
  const third = toResult({ ...block, tagSets: [tagSet([['lap', '9']])], tagIndex: undefined });
  assert.deepEqual(third.tags[0], { texts: ['9'], index: undefined });
});
