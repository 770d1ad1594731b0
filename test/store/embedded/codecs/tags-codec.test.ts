import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { noTags, tagSet } from '../../../../src/domain/tags.ts';
import { ByteReader } from '../../../../src/store/embedded/codecs/byte-reader.ts';
import { ByteWriter } from '../../../../src/store/embedded/codecs/byte-writer.ts';
import {
  decodeTags,
  decodeTagsBetween,
  encodeTags,
  type RowTags,
  TagsForm,
} from '../../../../src/store/embedded/codecs/tags-codec.ts';

function roundTrip(tags: RowTags, rows: number): { form: TagsForm; length: number; decoded: RowTags } {
  const out = new ByteWriter(1);
  const form = encodeTags(out, tags, rows);
  const reader = new ByteReader(out.written());
  const decoded = decodeTags(reader, form, rows);
  assert.equal(reader.position, reader.end);
  return { form, length: out.length, decoded };
}

const laps = Array.from({ length: 500 }, (_, i) =>
  tagSet([
    ['lap', `${i}`],
    ['car', 'ü"\n'],
  ]),
);

describe('tags codec', () => {
  it('stores nothing for rows without tags, even where the dictionary has other sets', () => {
    const tags = { tagSets: [laps[0]!, noTags], tagIndex: Uint32Array.of(1, 1) };
    assert.deepEqual(roundTrip(tags, 2), {
      form: TagsForm.None,
      length: 0,
      decoded: { tagSets: [noTags], tagIndex: undefined },
    });
  });

  it('gives back one set for all rows', () => {
    const { form, decoded } = roundTrip({ tagSets: [laps[3]!], tagIndex: undefined }, 100);
    assert.equal(form, TagsForm.One);
    assert.deepEqual(decoded, { tagSets: [laps[3]!], tagIndex: undefined });
  });

  it('gives back several sets in order of appearance, without those that no row has', () => {
    const tags = { tagSets: [...laps, noTags], tagIndex: Uint32Array.of(7, 7, 500, 2, 7) };
    const { decoded } = roundTrip(tags, 5);
    assert.deepEqual(decoded, {
      tagSets: [laps[7]!, noTags, laps[2]!],
      tagIndex: Uint32Array.of(0, 0, 1, 2, 0),
    });
  });

  it('gives the distinct sets of some rows', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(4), { minLength: 1, maxLength: 400, size: 'max' }),
        fc.nat(400),
        fc.nat(400),
        (indexes, a, b) => {
          const rows = indexes.length;
          const [first, end] = [Math.min(a, b) % rows, Math.min(rows, Math.max(a, b) + 1)];
          const out = new ByteWriter(1);
          const sets = [...laps.slice(0, 4), noTags];
          const form = encodeTags(out, { tagSets: sets, tagIndex: Uint32Array.from(indexes) }, rows);
          const found = decodeTagsBetween(new ByteReader(out.written()), form, rows, first, end);
          const wanted = new Set(indexes.slice(first, end).map((index) => sets[index]!.key));
          assert.deepEqual(found.map(({ key }) => key).sort(), [...wanted].sort());
        },
      ),
    );
  });

  it('gives back a set of its own for every row, in few bytes', () => {
    const tags = { tagSets: laps, tagIndex: Uint32Array.from(laps.keys()) };
    const { decoded, length } = roundTrip(tags, 500);
    assert.deepEqual(decoded, tags);
    assert.ok(length < 3500);
  });

  it('refuses a row whose set is not there', () => {
    const out = new ByteWriter();
    encodeTags(out, { tagSets: laps, tagIndex: Uint32Array.of(0, 1, 2) }, 3);
    const bytes = Buffer.from(out.written());
    // The last byte holds 0, 1, 2 in two bits each: make it 0, 1, 3.
    assert.equal(bytes[bytes.length - 1], 0b10_01_00);
    bytes[bytes.length - 1] = 0b11_01_00;
    assert.throws(() => decodeTags(new ByteReader(bytes), TagsForm.Dictionary, 3), RangeError);
  });
});
