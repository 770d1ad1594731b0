import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { partCache } from '../../../../src/store/embedded/parts/part-cache.ts';
import { spanBytesOf, spanFile } from '../../../../src/store/embedded/parts/span-file.ts';

function countingFile(bytes: Buffer) {
  const reads: (readonly [position: number, length: number])[] = [];
  const read = async (position: number, length: number) => {
    reads.push([position, length]);
    return Buffer.from(bytes.subarray(position, position + length));
  };
  return { reads, name: 'f', size: bytes.length, read, readFresh: read };
}

describe('a file that is read in spans', () => {
  it('gives what is there, in few reads', async () => {
    const bytes = Buffer.from(Uint8Array.from({ length: 1_000_000 }, (_, i) => (i * i) >> 3));
    const file = countingFile(bytes);
    const spans = spanFile(file);
    for (let at = 0; at + 70 <= bytes.length; at += 70) {
      const found = spans.held?.(at, 70) ?? (await spans.read(at, 70));
      assert.ok(found.equals(bytes.subarray(at, at + 70)));
    }
    assert.ok(file.reads.length <= 8, String(file.reads.length));
  });

  it('reads little where ranges are far from each other', async () => {
    const bytes = Buffer.alloc(4_000_000, 1);
    const file = countingFile(bytes);
    const spans = spanFile(file);
    for (let at = 0; at < bytes.length; at += 200_000) assert.equal((await spans.read(at, 70)).length, 70);
    assert.ok(file.reads.every(([, length]) => length <= 16 * 1024));
  });

  it('has no more at hand than its share, however many parts are read by turns', async () => {
    for (const parts of [1, 64, 100, 1000]) assert.ok(2 * parts * spanBytesOf(parts) <= 32 << 20, `${parts}`);
    assert.equal(spanBytesOf(1), 256 * 1024);
    const bytes = Buffer.from(Uint8Array.from({ length: 400_000 }, (_, i) => i >> 4));
    const file = countingFile(bytes);
    const spans = spanFile(file, spanBytesOf(2000));
    for (let at = 0; at + 70 <= bytes.length; at += 70)
      assert.ok((await spans.read(at, 70)).equals(bytes.subarray(at, at + 70)));
    assert.ok(file.reads.every(([, length]) => length <= (32 << 20) / 4000));
  });

  it('shares a read that is under way, and reads long ranges by themselves', async () => {
    const bytes = Buffer.alloc(600_000, 1);
    const file = countingFile(bytes);
    const spans = spanFile(file);
    await Promise.all([0, 100, 200].map((at) => spans.read(at, 100)));
    assert.equal(file.reads.length, 1);
    assert.equal((await spans.read(0, 300_000)).length, 300_000);
    assert.deepEqual(file.reads[1], [0, 300_000]);
    assert.equal((await spans.read(599_999, 100)).length, 1, 'the end of the file');
  });

  it('keeps spans of small ranges, where there is a cache', async () => {
    const bytes = Buffer.from(Uint8Array.from({ length: 1_000_000 }, (_, i) => (i * i) >> 3));
    const counted = countingFile(bytes);
    const cache = partCache(4 << 20).ofPart();
    const file = { ...counted, held: cache.held, putBytes: cache.put, markOf: cache.markOf };
    const readAll = async (keeps: boolean) => {
      const spans = spanFile(file, undefined, keeps);
      for (let at = 0; at + 700 <= bytes.length; at += 700) {
        const found = spans.held?.(at, 700) ?? (await spans.read(at, 700));
        assert.ok(found.equals(bytes.subarray(at, at + 700)));
      }
    };
    await readAll(false);
    const reads = counted.reads.length;
    await readAll(true);
    assert.equal(counted.reads.length, 2 * reads);
    await readAll(true);
    assert.equal(counted.reads.length, 2 * reads);
  });

  it('tries again after a read that failed', async () => {
    const file = countingFile(Buffer.alloc(1000, 1));
    let fails = true;
    const readFresh = (position: number, length: number) =>
      fails ? Promise.reject(new Error('no')) : file.read(position, length);
    const spans = spanFile({ ...file, readFresh });
    await assert.rejects(spans.read(0, 10), /no/);
    fails = false;
    assert.equal((await spans.read(0, 10)).length, 10);
  });
});
