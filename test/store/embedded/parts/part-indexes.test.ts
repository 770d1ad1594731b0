import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noTags } from '../../../../src/domain/tags.ts';
import { type CachedIndex, indexBudget } from '../../../../src/store/embedded/parts/cached-index.ts';
import { indexBytes } from '../../../../src/store/embedded/parts/part-index.ts';
import { openPart, type PartReader } from '../../../../src/store/embedded/parts/part-reader.ts';
import { groupOf, memoryFile, writePart } from '../row-groups.ts';

const { bytes } = writePart(
  [1, 2, 3].map((stream) => groupOf(stream, [{ offset: stream, tags: noTags, values: { 4: stream } }])),
);
const whole = await openPart(memoryFile(bytes));
/** What the index of each part below takes. */
const oneIndex = indexBytes(await whole.readIndex());

/** So many parts whose indexes share a limit, and how often each index was read. */
async function partsWithin(limit: number, count: number) {
  const budget = indexBudget(limit);
  const files = Array.from({ length: count }, () => memoryFile(bytes));
  const parts: PartReader[] = [];
  for (const file of files) parts.push(await openPart(file, budget));
  const opened = files.map(({ reads }) => reads.length);
  const streamOf = async (part: number) => (await parts[part]!.groupsOf(2, 0, 9)).map(({ stream }) => stream);
  return { budget, parts, streamOf, reads: () => files.map((file, i) => file.reads.length - opened[i]!) };
}

describe('indexes of parts under a limit', () => {
  it('are not read before they are wanted', async () => {
    const { budget, reads } = await partsWithin(10 * oneIndex, 5);
    assert.deepEqual(reads(), [0, 0, 0, 0, 0]);
    assert.equal(budget.bytes, 0);
  });

  it('go when others are wanted, those first that were not used for longest, and are read again', async () => {
    const { budget, streamOf, reads } = await partsWithin(3 * oneIndex, 5);
    for (const part of [0, 1, 2, 0, 3, 0, 4, 0]) assert.deepEqual(await streamOf(part), [2]);
    assert.deepEqual(reads(), [1, 1, 1, 1, 1]);
    assert.equal(budget.bytes, 3 * oneIndex);
    assert.deepEqual(await streamOf(1), [2]);
    assert.deepEqual(reads(), [1, 2, 1, 1, 1]);
  });

  it('stay while they are pinned, and count', async () => {
    const { budget, parts, streamOf, reads } = await partsWithin(oneIndex, 4);
    const pinned: CachedIndex[] = [];
    for (const part of parts.slice(0, 3)) pinned.push(await part.pinIndex());
    assert.equal(budget.bytes, 3 * oneIndex);
    for (const part of [3, 0, 1, 2, 3]) assert.deepEqual(await streamOf(part), [2]);
    assert.deepEqual(reads(), [1, 1, 1, 1]);
    pinned.forEach((kept, i) => {
      parts[i]!.unpinIndex(kept);
    });
    assert.equal(budget.bytes, oneIndex);
  });

  it('may be pinned more than once', async () => {
    const { budget, parts } = await partsWithin(0, 1);
    const first = await parts[0]!.pinIndex();
    const second = await parts[0]!.pinIndex();
    parts[0]!.unpinIndex(first);
    assert.ok(parts[0]!.hasIndex());
    parts[0]!.unpinIndex(second);
    assert.ok(!parts[0]!.hasIndex());
    assert.equal(budget.bytes, 0);
  });

  it('work where one is larger than the limit: it stays until another comes', async () => {
    const { budget, streamOf, reads } = await partsWithin(oneIndex - 1, 2);
    for (const part of [0, 0, 0, 1, 1]) assert.deepEqual(await streamOf(part), [2]);
    assert.deepEqual(reads(), [1, 1]);
    assert.equal(budget.bytes, oneIndex);
  });

  it('count no more once their part is closed', async () => {
    const { budget, parts, streamOf } = await partsWithin(10 * oneIndex, 2);
    for (const part of [0, 1]) await streamOf(part);
    parts[0]!.dropIndex();
    assert.equal(budget.bytes, oneIndex);
  });
});
