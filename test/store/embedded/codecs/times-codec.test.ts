import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ByteReader } from '../../../../src/store/embedded/codecs/byte-reader.ts';
import { ByteWriter } from '../../../../src/store/embedded/codecs/byte-writer.ts';
import { decodeTimes, encodeTimes, TimesForm } from '../../../../src/store/embedded/codecs/times-codec.ts';

function encoded(offsets: Float64Array): { form: TimesForm; bytes: Buffer } {
  const out = new ByteWriter(1);
  const form = encodeTimes(out, offsets);
  return { form, bytes: out.written() };
}

function assertRoundTrip(offsets: Float64Array): void {
  const { form, bytes } = encoded(offsets);
  const reader = new ByteReader(bytes);
  assert.deepEqual(decodeTimes(reader, form, offsets.length, offsets[0]!, offsets.at(-1)!), offsets);
  assert.equal(reader.position, reader.end);
}

describe('times codec', () => {
  it('gives back any ascending times', () => {
    const offset = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 2 ** 50 - 1 }));
    fc.assert(
      fc.property(fc.array(offset, { minLength: 1, maxLength: 300 }), (offsets) =>
        assertRoundTrip(Float64Array.from(offsets).sort()),
      ),
    );
  });

  it('stores nothing for a regular clock, one row, and rows of one moment', () => {
    for (const offsets of [
      Float64Array.from({ length: 8192 }, (_, i) => 17 + i * 20_000_000),
      Float64Array.of(2 ** 50 - 1),
      Float64Array.of(5, 5, 5),
    ]) {
      assert.deepEqual(encoded(offsets).form, TimesForm.Regular);
      assert.equal(encoded(offsets).bytes.length, 0);
      assertRoundTrip(offsets);
    }
  });

  it('does not take a clock for regular that stumbles by a nanosecond at the end of the window', () => {
    const offsets = Float64Array.of(2 ** 50 - 21, 2 ** 50 - 12, 2 ** 50 - 1);
    assert.equal(encoded(offsets).form, TimesForm.Frames);
    assertRoundTrip(offsets);
  });

  it('stores times in milliseconds as such: an uneven clock takes about a byte a row', () => {
    const offsets = Float64Array.from(
      { length: 1000 },
      (_, i) => (i * 100 + ((i * i) % 50)) * 1_000_000 + 123_456,
    );
    assertRoundTrip(offsets);
    assert.ok(encoded(offsets).bytes.length < 1100);
  });
});
