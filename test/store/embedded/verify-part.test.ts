import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { noTags, tagSet } from '../../../src/domain/tags.ts';
import { decodeLayout } from '../../../src/store/embedded/codecs/row-group-codec.ts';
import { StoredBytes } from '../../../src/store/embedded/codecs/stored-bytes.ts';
import type { Damage } from '../../../src/store/embedded/files/damage.ts';
import { footerLength } from '../../../src/store/embedded/parts/part-format.ts';
import { openPart } from '../../../src/store/embedded/parts/part-reader.ts';
import { createPartWriter } from '../../../src/store/embedded/parts/part-writer.ts';
import { verifyPart } from '../../../src/store/embedded/verify-part.ts';
import { groupOf, memoryFile, origin, writePart } from './row-groups.ts';

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
    index[index.length - footerLength - 1]! ^= 1;
    assert.match((await damageOf(index))[0]!.what, /index/);
    assert.equal((await damageOf(Buffer.alloc(0))).length, 1);
  });

  it('reports totals that do not agree with the rows', async () => {
    for (const [field, what] of [
      [24, /11 rows/],
      [32, /11 samples/],
    ] as const) {
      const { bytes } = writePart([series(1, 10)]);
      bytes.writeDoubleLE(11, bytes.length - footerLength + field);
      seal(bytes, bytes.length - footerLength, bytes.length - 12);
      assert.match((await damageOf(bytes))[0]!.what, what);
    }
  });

  it('reports rows that stand twice', async () => {
    const row = { offset: 5, tags: noTags, values: { 4: 1 } };
    assert.match(
      (await damageOf(writePart([groupOf(1, [row, row])]).bytes))[0]!.what,
      /row 1 is out of order/,
    );
    const tagged = { ...row, tags: tagSet([['a', 'b']]) };
    assert.match(
      (await damageOf(writePart([groupOf(1, [tagged, row])]).bytes))[0]!.what,
      /row 1 is out of order/,
    );
  });

  it('reports statistics that do not agree with the values', async () => {
    const rows = Array.from({ length: 200 }, (_, i) => ({ offset: i, tags: noTags, values: { 4: i } }));
    const { bytes } = writePart([groupOf(1, rows)]);
    const [handle] = await (await openPart(memoryFile(bytes))).groupsOf(1, 0, 1000);
    // The sums stand last; behind them comes only the checksum of the head.
    bytes[handle!.headLength - 5]! ^= 1;
    seal(bytes, 0, handle!.headLength - 4);
    assert.match((await damageOf(bytes))[0]!.what, /frame 1 does not agree/);
  });
});

describe('verifying what a part tells of its row groups', () => {
  it('finds statistics and tags that are damaged', async () => {
    const tagged = { ...series(2, 9000), tagSets: [tagSet([['lap', '1']])] };
    const { bytes } = writePart([tagged]);
    const part = await openPart(memoryFile(bytes));
    const handles = await part.groupsOf(2, 0, 1e9);
    const { indexPosition, tagsLength } = part.footer;
    const start = handles.reduce((sum, { length }) => sum + length, 0);
    assert.ok(tagsLength > 0 && start < indexPosition - tagsLength);
    for (let at = start; at < indexPosition; at++) {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= 0x20;
      const found = await damageOf(damaged);
      assert.match(found[0]?.what ?? '', /the (statistics|tags) of a part/, `byte ${at}`);
    }
  });

  it('reports totals that do not agree with the values', async () => {
    const part = await openPart(memoryFile(writePart([series(1, 4000)]).bytes));
    const right = (await part.readStatistics(0))!.groups[0]![0]!;
    const wrong = { count: 3999, first: 1, last: 1, min: 1, max: 48, sum: right.sum + 1 };
    for (const [field, value] of [['count', right.count], ...Object.entries(wrong)] as const) {
      const pieces: Buffer[] = [];
      const writer = createPartWriter({ write: (bytes) => pieces.push(Buffer.from(bytes)) }, origin);
      for await (const { handle, bytes } of part.storedGroups()) {
        const { columns } = decodeLayout('a.part', handle, new StoredBytes(bytes));
        const totals = new Map([[4, { ...right, [field]: value }]]);
        writer.addStored(handle, bytes, {
          columns,
          tags: { tagSets: [noTags], tagIndex: undefined },
          totals: () => totals,
        });
      }
      writer.finish();
      const found = (await damageOf(Buffer.concat(pieces))).map(({ what }) => what);
      if (field === 'count' && value === right.count) assert.deepEqual(found, []);
      else assert.match(found[0] ?? '', /totals in the part do not agree/, field);
    }
  });
});

/** Puts the right checksum of the bytes [from, to) behind them. */
function seal(bytes: Buffer, from: number, to: number): void {
  bytes.writeUInt32LE(crc32(bytes.subarray(from, to)), to);
}
