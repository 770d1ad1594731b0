import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ByteReader } from '../../../../src/store/embedded/codecs/byte-reader.ts';
import { ByteWriter } from '../../../../src/store/embedded/codecs/byte-writer.ts';
import { decodeIntegers, encodeIntegers } from '../../../../src/store/embedded/codecs/integer-frames.ts';

const largest = 2 ** 52 - 1;

function encoded(values: Float64Array): Buffer {
  const out = new ByteWriter(1);
  encodeIntegers(out, values, values.length);
  return out.written();
}

function assertRoundTrip(values: Float64Array): void {
  const reader = new ByteReader(encoded(values));
  assert.deepEqual(decodeIntegers(reader, values.length), values);
  assert.equal(reader.position, reader.end);
}

describe('integer frames', () => {
  it('give back the numbers at the edges of every width, in both forms', () => {
    for (let width = 0; width <= 52; width++) {
      const range = 2 ** width - 1;
      assertRoundTrip(Float64Array.from({ length: 130 }, (_, i) => (i % 2 === 0 ? 0 : range)));
      assertRoundTrip(Float64Array.from({ length: 130 }, (_, i) => (i % 2 === 0 ? -range : 0) || 0));
      assertRoundTrip(Float64Array.from({ length: 130 }, (_, i) => Math.floor((range / 130) * i) + (i % 3)));
    }
  });

  it('give back numbers as far apart as can be', () => {
    assertRoundTrip(Float64Array.of(-largest, largest));
    assertRoundTrip(Float64Array.of(largest, -largest, largest, 0, -largest));
    assertRoundTrip(Float64Array.from({ length: 300 }, (_, i) => (i % 2 === 0 ? largest : -largest)));
  });

  it('give back any whole numbers', () => {
    const number = fc.oneof(
      fc.integer({ min: -5, max: 5 }),
      fc.integer(),
      fc.integer({ min: -largest, max: largest }),
    );
    fc.assert(
      fc.property(fc.array(number, { maxLength: 300 }), (values) =>
        assertRoundTrip(Float64Array.from(values, (v) => v || 0)),
      ),
    );
  });

  it('take a constant as a few bytes, and a steady climb too', () => {
    assert.equal(encoded(new Float64Array(128).fill(1_000_000)).length, 4);
    assert.ok(encoded(Float64Array.from({ length: 128 }, (_, i) => 1e12 + 1e6 * i)).length < 16);
  });

  it('take 26 bytes for 128 numbers or steps of which there are three', () => {
    const head = 1 + 1;
    const numbers = Float64Array.from({ length: 128 }, (_, i) => 7 + (i % 3));
    assert.equal(encoded(numbers).length, head + 26);
    assertRoundTrip(numbers);
    const steps = Float64Array.from({ length: 128 }, (_, i) => 40 + ((i * i) % 3) + i);
    assert.equal(encoded(steps).length, head + 1 + 26);
    assertRoundTrip(steps);
  });

  it('refuse a frame of an unknown form and one that is cut short', () => {
    assert.throws(() => decodeIntegers(new ByteReader(Buffer.of(55, 0)), 1), RangeError);
    assert.throws(() => decodeIntegers(new ByteReader(Buffer.of(0x80, 0)), 1), RangeError);
    assert.throws(() => decodeIntegers(new ByteReader(Buffer.of(9, 0, 1)), 2), RangeError);
  });
});
