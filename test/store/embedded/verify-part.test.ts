import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { noTags } from '../../../src/domain/tags.ts';
import type { Damage } from '../../../src/store/embedded/damage.ts';
import { openPart } from '../../../src/store/embedded/part-reader.ts';
import { verifyPart } from '../../../src/store/embedded/verify-part.ts';
import { groupOf, memoryFile, writePart } from './row-groups.ts';

async function damageOf(bytes: Buffer): Promise<Damage[]> {
  const found: Damage[] = [];
  for await (const damage of verifyPart(memoryFile(bytes))) found.push(damage);
  return found;
}

function series(stream: number, count: number) {
  return groupOf(
    stream,
    Array.from({ length: count }, (_, i) => ({
      offset: i * 10,
      tags: noTags,
      values: { 4: i % 50, 5: `text ${i % 1000}`, 7: Math.sin(i) },
    })),
  );
}

describe('verifying a part', () => {
  it('finds nothing in an intact one', async () => {
    assert.deepEqual(await damageOf(writePart([series(1, 10), series(2, 9000)]).bytes), []);
    assert.deepEqual(await damageOf(writePart([]).bytes), []);
  });

  it('names every damaged place, and goes on behind it', async () => {
    const { bytes } = writePart([series(1, 10), series(2, 10), series(3, 8000)]);
    const part = await openPart(memoryFile(bytes));
    const handles = [];
    for (const stream of [1, 2, 3]) handles.push(...(await part.groupsOf(stream, 0, 1e9)));
    const [first, , third] = handles;
    bytes[first!.position]! ^= 1;
    bytes[third!.position + third!.length - 1]! ^= 1;
    const found = await damageOf(bytes);
    assert.deepEqual(
      found.map(({ file }) => file),
      ['a.part', 'a.part'],
    );
    assert.deepEqual([found[0]!.from, found[0]!.to], [first!.position, first!.position + first!.length]);
    assert.equal(found[1]!.to, third!.position + third!.length);
    assert.match(found[1]!.what, /parameter 7: the checksum/);
  });

  it('reports a damaged footer and a damaged index', async () => {
    const { bytes } = writePart([series(1, 10)]);
    const footer = Buffer.from(bytes);
    footer[footer.length - 50]! ^= 1;
    assert.match((await damageOf(footer))[0]!.what, /footer/);
    const index = Buffer.from(bytes);
    index[index.length - 101]! ^= 1;
    assert.match((await damageOf(index))[0]!.what, /index/);
    assert.equal((await damageOf(Buffer.alloc(0))).length, 1);
  });

  it('reports totals that do not agree with the rows', async () => {
    const { bytes } = writePart([series(1, 10)]);
    bytes.writeDoubleLE(11, bytes.length - 100 + 24);
    bytes.writeUInt32LE(crc32(bytes.subarray(bytes.length - 100, bytes.length - 12)), bytes.length - 12);
    assert.match((await damageOf(bytes))[0]!.what, /11 rows/);
  });
});
