import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { ByteReader } from '../../../../src/store/embedded/codecs/byte-reader.ts';
import { ByteWriter } from '../../../../src/store/embedded/codecs/byte-writer.ts';
import { decodeBytes, encodeBytes } from '../../../../src/store/embedded/codecs/bytes-codec.ts';

function encoded(values: readonly Uint8Array[]): Buffer {
  let end = 0;
  const ends = Uint32Array.from(values, (value) => {
    end += value.length;
    return end;
  });
  const out = new ByteWriter(1);
  encodeBytes(out, { bytes: Buffer.concat(values), ends });
  return out.written();
}

function assertRoundTrip(values: readonly Uint8Array[]): void {
  const reader = new ByteReader(encoded(values));
  const { bytes, ends } = decodeBytes(reader, values.length);
  assert.equal(reader.position, reader.end);
  const decoded = Array.from(ends, (end, i) => Buffer.from(bytes.subarray(i === 0 ? 0 : ends[i - 1]!, end)));
  assert.deepEqual(
    decoded,
    values.map((value) => Buffer.from(value)),
  );
}

const texts = (values: readonly string[]) => values.map((value) => Buffer.from(value));

describe('bytes codec', () => {
  it('gives back any values', () => {
    fc.assert(fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1 }), assertRoundTrip));
    fc.assert(
      fc.property(fc.array(fc.constantFrom('', 'on', 'off', 'ü'), { minLength: 1 }), (v) =>
        assertRoundTrip(texts(v)),
      ),
    );
  });

  it('gives back one value, an empty one and only empty ones', () => {
    assertRoundTrip(texts(['a']));
    assertRoundTrip(texts(['']));
    assertRoundTrip(texts(['', '', '']));
  });

  it('stores repeated values once', () => {
    const values = texts(Array.from({ length: 1000 }, (_, i) => `state-${i % 4}`));
    assertRoundTrip(values);
    assert.ok(encoded(values).length < 300);
  });

  it('deflates what deflates well and leaves the rest', () => {
    const similar = texts(Array.from({ length: 500 }, (_, i) => `a message with the number ${i} in it`));
    assertRoundTrip(similar);
    assert.ok(encoded(similar).length < Buffer.concat(similar).length / 2);
    const random = Array.from({ length: 20 }, (_, i) => createHash('sha512').update(String(i)).digest());
    assertRoundTrip(random);
    assert.ok(encoded(random).length < 20 * 64 + 20);
  });

  it('gives back values that are too long for a dictionary', () => {
    assertRoundTrip([Buffer.alloc(1000, 1), Buffer.alloc(1000, 1), Buffer.alloc(70_000, 2)]);
  });

  it('reads values that lie in shared memory', () => {
    const bytes = new Uint8Array(new SharedArrayBuffer(1000)).fill(97);
    const out = new ByteWriter();
    encodeBytes(out, { bytes, ends: Uint32Array.of(1000) });
    assert.equal(decodeBytes(new ByteReader(out.written()), 1).bytes.length, 1000);
  });

  it('refuses deflated bytes of another length than their values', () => {
    const deflated = deflateRawSync(Buffer.from('abc'));
    const block = (length: number) => Buffer.from([2, 0, length, deflated.length, ...deflated]);
    assert.equal(Buffer.from(decodeBytes(new ByteReader(block(3)), 1).bytes).toString(), 'abc');
    assert.throws(() => decodeBytes(new ByteReader(block(4)), 1), RangeError);
    assert.throws(() => decodeBytes(new ByteReader(block(2)), 1), RangeError);
  });

  it('refuses a dictionary that does not fit its run', () => {
    assert.throws(() => decodeBytes(new ByteReader(Buffer.of(1, 9, 0, 0)), 2), RangeError);
    assert.throws(() => decodeBytes(new ByteReader(Buffer.of(1, 1, 0, 1, 65, 0, 7)), 2), RangeError);
  });
});
