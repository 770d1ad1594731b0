import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  bitWidth,
  narrowestWidth,
  packBits,
  packedLength,
  unpackBits,
} from '../../../../src/store/embedded/codecs/bit-packing.ts';
import { ByteWriter } from '../../../../src/store/embedded/codecs/byte-writer.ts';

describe('bit packing', () => {
  it('finds the width of numbers at the edges of every width', () => {
    assert.equal(bitWidth(0), 0);
    for (let width = 1; width <= 53; width++) {
      assert.equal(bitWidth(2 ** (width - 1)), width);
      assert.equal(bitWidth(2 ** width - 1), width);
    }
  });

  it('packs numbers below 3 five in a byte, where that takes less', () => {
    for (let count = 1; count <= 128; count++) {
      const bits = Math.ceil((2 * count) / 8);
      const shared = Math.ceil(count / 5);
      assert.equal(packedLength(count, narrowestWidth(2, count)), shared);
      assert.equal(narrowestWidth(2, count), shared < bits ? 54 : 2);
      assert.equal(narrowestWidth(3, count), 2);
      assert.equal(narrowestWidth(1, count), 1);
    }
  });

  for (const count of [1, 7, 8, 9, 127, 128]) {
    it(`gives back ${count} numbers of every width, at any place, near and far from the end of the bytes`, () => {
      for (let width = 0; width <= 54; width++) {
        const largest = width < 54 ? 2 ** width - 1 : 2;
        const base = width === 53 ? 0 : -3;
        const values = Float64Array.from(
          { length: count + 2 },
          (_, i) => base + [largest, 0, i % (largest + 1)][i % 3]!,
        );
        const out = new ByteWriter(1);
        out.byte(0xff);
        packBits(out, values, 1, count, base, width);
        assert.equal(out.length, 1 + packedLength(count, width));
        for (const slack of [0, 1, 64]) {
          const bytes = new Uint8Array(out.length + slack).fill(0xff);
          bytes.set(out.written());
          const unpacked = new Float64Array(count + 2).fill(7);
          unpackBits(new DataView(bytes.buffer), 1, width, unpacked, 1, count, base);
          assert.deepEqual(
            unpacked,
            Float64Array.from([7, ...values.subarray(1, count + 1), 7]),
            `width ${width}`,
          );
        }
      }
    });
  }
});
