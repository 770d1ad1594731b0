import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ByteReader } from '../../../../src/store/embedded/codecs/byte-reader.ts';
import { ByteWriter, signedVarintLength } from '../../../../src/store/embedded/codecs/byte-writer.ts';

const largest = 2 ** 53;

describe('bytes written and read', () => {
  it('give back every kind of field, growing as they need', () => {
    const out = new ByteWriter(1);
    out.byte(255);
    out.uint32(0xffff_fffe);
    out.float32(-0.5);
    out.float64(Number.MIN_VALUE);
    out.append(Buffer.from('abc'));
    const reader = new ByteReader(out.written());
    assert.equal(reader.byte(), 255);
    assert.equal(reader.uint32(), 0xffff_fffe);
    assert.equal(reader.view.getFloat32(reader.skip(4), true), -0.5);
    assert.equal(reader.float64(), Number.MIN_VALUE);
    assert.equal(reader.take(3).toString(), 'abc');
    assert.throws(() => reader.byte(), RangeError);
  });

  it('give back varints up to 2^53, signed ones with the length that was foretold', () => {
    const edges = [0, 1, 63, 64, 127, 128, 8191, 8192, 2 ** 31, 2 ** 32, 2 ** 52, largest - 1, largest];
    const numbers = fc.oneof(fc.constantFrom(...edges), fc.maxSafeNat());
    fc.assert(
      fc.property(numbers, fc.boolean(), (magnitude, negative) => {
        const value = negative ? -magnitude || 0 : magnitude;
        const out = new ByteWriter(1);
        out.signedVarint(value);
        assert.equal(out.length, signedVarintLength(value));
        out.varint(magnitude);
        const reader = new ByteReader(out.written());
        assert.equal(reader.signedVarint() || 0, value);
        assert.equal(reader.varint(), magnitude);
      }),
    );
  });

  it('refuse a varint without an end', () => {
    assert.throws(() => new ByteReader(Buffer.alloc(9, 0xff)).varint(), RangeError);
    assert.throws(() => new ByteReader(Buffer.alloc(2, 0xff)).varint(), RangeError);
  });

  it('refuse to read beyond the end of a block', () => {
    const reader = new ByteReader(Buffer.alloc(10), 2, 4);
    assert.throws(() => reader.take(3), RangeError);
    assert.throws(() => reader.uint32(), RangeError);
    assert.throws(() => new ByteReader(Buffer.alloc(10), 2, 11), RangeError);
  });
});
