import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isPresent } from '../../../../src/domain/parameter-data.ts';
import { countPresent, setPresent } from '../../../../src/domain/presence.ts';
import { ByteReader } from '../../../../src/store/embedded/codecs/byte-reader.ts';
import { ByteWriter } from '../../../../src/store/embedded/codecs/byte-writer.ts';
import {
  decodePresence,
  encodePresence,
  PresenceForm,
} from '../../../../src/store/embedded/codecs/presence-codec.ts';

/** The bits behind the last row are set: nobody may look at them. */
function bitmapOf(rows: readonly boolean[]): Uint8Array {
  const bitmap = new Uint8Array((rows.length + 7) >> 3).fill(0xff);
  rows.forEach((present, row) => {
    if (!present) bitmap[row >> 3]! &= ~(1 << (row & 7));
  });
  return bitmap;
}

function bits(bitmap: Uint8Array | undefined, rows: number): boolean[] {
  return Array.from({ length: rows }, (_, row) => isPresent(bitmap, row));
}

function encoded(rows: readonly boolean[]): { form: PresenceForm; bytes: Buffer } {
  const out = new ByteWriter(1);
  const form = encodePresence(out, bitmapOf(rows), rows.length);
  return { form, bytes: out.written() };
}

const anyRows = fc.oneof(
  fc.array(fc.boolean(), { minLength: 1, maxLength: 100 }),
  fc
    .array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 200 })), { minLength: 1, maxLength: 5 })
    .map((runs) => runs.flatMap(([value, length]) => new Array<boolean>(length).fill(value))),
);

describe('presence codec', () => {
  it('gives back and counts any presence', () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const { form, bytes } = encoded(rows);
        const reader = new ByteReader(bytes);
        assert.deepEqual(bits(decodePresence(reader, form, rows.length), rows.length), rows);
        assert.equal(reader.position, reader.end);
        assert.equal(countPresent(bitmapOf(rows), rows.length), rows.filter(Boolean).length);
      }),
    );
  });

  it('sets any range of bits and no other', () => {
    for (let from = 0; from <= 20; from++) {
      for (let to = from; to <= 20; to++) {
        const bitmap = new Uint8Array(3);
        setPresent(bitmap, from, to);
        assert.deepEqual(
          bits(bitmap, 24),
          Array.from({ length: 24 }, (_, row) => row >= from && row < to),
        );
      }
    }
  });

  it('stores nothing where all rows have a value, and no more than a bitmap otherwise', () => {
    assert.deepEqual(encoded(new Array<boolean>(100).fill(true)), {
      form: PresenceForm.All,
      bytes: Buffer.alloc(0),
    });
    const alternating = Array.from({ length: 100 }, (_, i) => i % 2 === 0);
    assert.equal(encoded(alternating).form, PresenceForm.Bitmap);
    assert.equal(encoded(alternating).bytes.length, 13);
    assert.equal(encoded(alternating).bytes[12], 0b0101, 'padded with zeros');
    const gap = Array.from({ length: 8192 }, (_, i) => i < 4000 || i > 5000);
    assert.equal(encoded(gap).form, PresenceForm.Runs);
    assert.ok(encoded(gap).bytes.length <= 7);
  });

  it('refuses runs that are longer than the group, and unknown forms', () => {
    assert.throws(() => decodePresence(new ByteReader(Buffer.of(3, 9)), PresenceForm.Runs, 8), RangeError);
    assert.throws(() => decodePresence(new ByteReader(Buffer.of(3, 9)), 3, 8), RangeError);
  });
});
