import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type Packing, unpackedFile } from '../../../src/import/compression/unpacked-file.ts';
import { createXxh64 } from '../../../src/import/compression/xxh64.ts';
import { cases } from '../../extent.ts';
import { bytesOf } from '../tables/read-table.ts';

/** What zstd of Debian writes; undefined without it. */
function zstd(bytes: Uint8Array, ...options: string[]): Buffer | undefined {
  try {
    return execFileSync('zstd', ['-c', '-q', ...options], {
      input: bytes,
      maxBuffer: 1 << 28,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
  } catch {
    return undefined;
  }
}

const withZstd = { skip: zstd(Buffer.from('a')) !== undefined ? false : 'zstd is not installed' };

/** Numbers that compress to about a half. */
const text = Buffer.from(
  Array.from({ length: 20_000 }, (_, i) => `${i},${((i * 48_271) % 2_147_483_647) / 7}\n`).join(''),
);

async function unpack(packed: Uint8Array, packing: Packing): Promise<Buffer> {
  const file = await unpackedFile(bytesOf(packed), packing);
  return Buffer.from(await file.read(0, file.size));
}

async function readsAnywhere(packed: Uint8Array, packing: Packing, whole: Buffer): Promise<void> {
  const file = await unpackedFile(bytesOf(packed), packing);
  assert.equal(file.size, whole.length);
  const places = [0, 5, whole.length - 10, 100_000, 0, 300_000].map(
    (at) => [at, Math.min(70_000, whole.length - at)] as const,
  );
  const read = await Promise.all(places.map(([at, length]) => file.read(at, length)));
  for (const [i, [at, length]] of places.entries())
    assert.ok(Buffer.from(read[i]!).equals(whole.subarray(at, at + length)), `at ${at}`);
}

describe('a packed file', () => {
  it('is refused where it is too short for what stands behind its bytes', async () => {
    for (const bytes of ['x', '\x1f\x8b\x08'])
      await assert.rejects(unpack(Buffer.from(bytes, 'latin1'), 'gzip'), {
        message: 'it cannot be unpacked as gzip: it ends too early',
      });
  });

  it('gives what is in it, from any place: gzip of one or several members', async () => {
    await readsAnywhere(gzipSync(text), 'gzip', text);
    const several = Buffer.concat([gzipSync(text), gzipSync(Buffer.alloc(0)), gzipSync(text)]);
    await readsAnywhere(several, 'gzip', Buffer.concat([text, text]));
  });

  it('gives what is in it, from any place: zstd of one or several frames', withZstd, async () => {
    for (const options of [['-1'], ['-12'], ['--no-check'], ['--long=27', '-3']]) {
      const packed = zstd(text, ...options)!;
      await readsAnywhere(packed, 'zstd', text);
    }
    const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 7, 7]);
    const several = Buffer.concat([zstd(text)!, skippable, zstd(Buffer.alloc(0))!, zstd(text)!]);
    await readsAnywhere(several, 'zstd', Buffer.concat([text, text]));
  });

  it('is refused where it was cut off', async () => {
    const packed = gzipSync(text);
    for (const cut of [1, 8, 9, 1000, packed.length - 5])
      await assert.rejects(
        unpack(packed.subarray(0, -cut), 'gzip'),
        /cannot be unpacked as gzip: /,
        `${cut}`,
      );
    await assert.rejects(unpack(new Uint8Array(), 'gzip'), /gzip/);
    await assert.rejects(unpack(text, 'gzip'), /cannot be unpacked as gzip: invalid gzip data/);
  });

  it('of zstd is refused where it was cut off', withZstd, async () => {
    const packed = zstd(text)!;
    for (const cut of [1, 4, 5, 1000, packed.length - 5])
      await assert.rejects(unpack(packed.subarray(0, -cut), 'zstd'), /zstd/, `${cut}`);
    await assert.rejects(unpack(new Uint8Array(), 'zstd'), /it is empty/);
    await assert.rejects(unpack(text, 'zstd'), /this is no zstd frame/);
  });

  it('is refused where a bit is another one', withZstd, async () => {
    for (const [packed, packing] of [
      [gzipSync(text), 'gzip'],
      [zstd(text)!, 'zstd'],
    ] as const) {
      const flip = fc.integer({ min: 20, max: packed.length - 1 });
      await fc.assert(
        fc.asyncProperty(flip, fc.integer({ min: 0, max: 7 }), async (at, bit) => {
          const damaged = Buffer.from(packed);
          damaged[at]! ^= 1 << bit;
          // What is flipped may say nothing, as the last bits before a byte is full.
          const found = await unpack(damaged, packing).catch((error: Error) => error);
          if (found instanceof Error) assert.match(found.message, /gzip|zstd|needs .* bytes/);
          else assert.ok(found.equals(text));
        }),
        { numRuns: cases(30) },
      );
    }
  });

  it('takes little memory, whatever comes out', withZstd, async () => {
    const zeros = Buffer.alloc(64 << 20);
    for (const [packed, packing] of [
      [gzipSync(zeros), 'gzip'],
      [zstd(zeros)!, 'zstd'],
    ] as const) {
      const file = await unpackedFile(bytesOf(packed), packing);
      assert.equal(file.size, zeros.length);
      assert.ok((await file.read(file.size - 10, 10)).every((byte) => byte === 0));
    }
  });
});

describe('the checksum of zstd', () => {
  it('is XXH64, however the bytes are cut', () => {
    const digest = (bytes: Uint8Array, at = bytes.length): string => {
      const hash = createXxh64();
      hash.add(bytes.subarray(0, at));
      hash.add(bytes.subarray(at));
      return hash.end().toString(16);
    };
    // Of the reference implementation, `xxhsum -H64`.
    assert.equal(digest(Buffer.from('')), 'ef46db3751d8e999');
    assert.equal(digest(Buffer.from('a')), 'd24ec4f1a98c6e5b');
    assert.equal(digest(Buffer.from('abc')), '44bc2cf5ad770999');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(200), (bytes, at) =>
        assert.equal(digest(bytes, Math.min(at, bytes.length)), digest(bytes)),
      ),
    );
  });
});
