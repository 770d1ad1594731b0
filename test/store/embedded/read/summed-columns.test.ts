import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noTags } from '../../../../src/domain/tags.ts';
import { DamagedError } from '../../../../src/store/embedded/files/damage.ts';
import type { PartFile } from '../../../../src/store/embedded/parts/part-bytes.ts';
import { partCache } from '../../../../src/store/embedded/parts/part-cache.ts';
import { openPart } from '../../../../src/store/embedded/parts/part-reader.ts';
import { spanBytesOf } from '../../../../src/store/embedded/parts/span-file.ts';
import type { PartOfWindow } from '../../../../src/store/embedded/read/small-groups.ts';
import { summedColumnsOf } from '../../../../src/store/embedded/read/summed-rows.ts';
import { seededRandom } from '../random.ts';
import { groupOf, memoryFile, type PlainRow, writePart } from '../row-groups.ts';

const streams = 100;
/** Numbers of parameters. */
const wide = [4, 7, 8, 11, 12, 15];

/** A part of 300 rows a stream whose values take about 5 bytes each, in parameters; in others (`flat`) nothing. */
function partOf(flat: readonly number[] = []) {
  const random = seededRandom(5);
  const groups = Array.from({ length: streams }, (_, stream) => {
    const rows = Array.from({ length: 300 }, (_, row): PlainRow => {
      const values: Record<number, number> = {};
      for (const parameter of wide) values[parameter] = random.int(0, 2 ** 40);
      for (const parameter of flat) values[parameter] = 1;
      return { offset: row * 1000, tags: noTags, values };
    });
    return groupOf(stream + 1, rows);
  });
  return writePart(groups);
}

async function opened({ bytes, summary }: ReturnType<typeof partOf>, cacheBytes: number) {
  const memory = memoryFile(bytes);
  const cache = partCache(cacheBytes).ofPart();
  const fault: { error?: Error } = {};
  const load = (position: number, length: number) =>
    fault.error === undefined ? memory.read(position, length) : Promise.reject(fault.error);
  const file: PartFile = {
    ...memory,
    read: (position, length) => cache.read(position, length, () => load(position, length)),
    readFresh: load,
    held: cache.held,
    putBytes: cache.put,
    markOf: cache.markOf,
    keep: cache.keep,
  };
  const reader = await openPart(file);
  const kept = await reader.pinIndex();
  const spanned = { ...reader, ...reader.inSpans(spanBytesOf(1)) };
  const record = { ...summary, number: 1, bytes: bytes.length, level: 0 };
  const indexed = { part: { record, path: 'parts/a.part' }, reader: spanned, kept };
  const part: PartOfWindow = {
    indexed,
    window: summary.window,
    inside: { first: summary.minOffset, last: summary.maxOffset },
  };
  const read = (...parameters: number[]) => summedColumnsOf([part], parameters, streams, () => undefined);
  return { reader, read, memory, fault };
}

describe('summed columns of a part', () => {
  it('are read once, though its row groups do not fit into the cache', async () => {
    const { read, reader, memory } = await opened(partOf(), 800_000);
    assert.ok(memory.size > 800_000);
    const columns = await read(4, 8, 11);
    assert.equal(columns?.[0]?.length, 3);
    for (const parameter of [4, 8, 11]) assert.ok(reader.summedColumns?.get(parameter), `${parameter}`);
    const before = memory.reads.length;
    assert.ok(await read(4, 8, 11));
    assert.equal(memory.reads.length, before);
  });

  it('are not taken where one turns out to be too large, and not read for that again', async () => {
    const flat = Array.from({ length: 40 }, (_, i) => 16 + 4 * i);
    const { read, reader, memory } = await opened(partOf(flat), 400_000);
    assert.equal(await read(4), undefined);
    assert.equal(reader.summedColumns?.get(4), null);
    const before = memory.reads.length;
    assert.equal(await read(4), undefined);
    assert.equal(memory.reads.length, before);
    assert.ok(await read(16), 'one that takes nothing');
  });

  it('name the part that the disk cannot read', async () => {
    const { read, fault } = await opened(partOf(), 8 << 20);
    fault.error = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
    await assert.rejects(
      () => read(4),
      (error: unknown) => error instanceof DamagedError && error.message.includes('a.part'),
    );
    delete fault.error;
    assert.ok(await read(4));
  });
});
