import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compressSync } from 'snappy';
import { decompressSnappy, SnappyFault } from '../../../src/import/compression/snappy.ts';

const runs = fc
  .array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 400 })))
  .map((pieces) => Buffer.concat(pieces.flatMap(([bytes, times]) => Array<Uint8Array>(times).fill(bytes))));

describe('what is compressed with Snappy', () => {
  it('is unpacked, also where it is long', () => {
    fc.assert(
      fc.property(runs, (bytes) => {
        assert.deepEqual(Buffer.from(decompressSnappy(compressSync(bytes), bytes.length)), bytes);
      }),
      { numRuns: 50 },
    );
    const noise = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 2_654_435_761) >>> 24));
    assert.deepEqual(Buffer.from(decompressSnappy(compressSync(noise), noise.length)), noise);
  });

  it('is refused where it is damaged: each damage ends', () => {
    // Literals of 4,294,967,291 bytes.
    const endless = Uint8Array.of(8, 0xfc, 0xfa, 0xff, 0xff, 0xff, 1, 2, 3, 4);
    assert.throws(() => decompressSnappy(endless, 8), SnappyFault);
    const whole = compressSync(Buffer.from('abcabcabcabcabcabc, abc and more of it'));
    assert.throws(() => decompressSnappy(whole, 37), SnappyFault);
    assert.throws(() => decompressSnappy(whole.subarray(0, -1), 38), SnappyFault);
    assert.throws(() => decompressSnappy(whole, 2 ** 31), /cannot stand for as many/);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: whole.length - 1 }),
        fc.uint8Array({ maxLength: 6 }),
        (at, bytes) => {
          const other = Uint8Array.from(whole);
          other.set(bytes.subarray(0, whole.length - at), at);
          try {
            assert.equal(decompressSnappy(other, 38).length, 38);
          } catch (error) {
            assert.ok(error instanceof SnappyFault, String(error));
          }
        },
      ),
    );
  });
});
