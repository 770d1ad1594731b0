import { noTags, type TagSet, tagSetOfKey } from '../../../domain/tags.ts';
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { decodeBytes, encodeBytes } from './bytes-codec.ts';
import { decodeIntegers, encodeIntegers, frameSize } from './integer-frames.ts';

/**
 * The tag sets of a row group's rows. The form stands in the group's directory:
 *
 *   None        no row has tags: nothing is stored
 *   One         all rows have the same set: its canonical key (UTF-8) is the whole block
 *   Dictionary  a varint, the number of distinct sets; their canonical keys as a run of bytes (bytes-codec.ts);
 *               integer frames with the index of each row's set; sets in order of appearance
 */
export const TagsForm = { None: 0, One: 1, Dictionary: 2 } as const;
export type TagsForm = (typeof TagsForm)[keyof typeof TagsForm];

export interface RowTags {
  readonly tagSets: readonly TagSet[];
  readonly tagIndex: Uint32Array | undefined;
}

/** Appends the sets of `rows` rows, at least one; sets that no row has are left out. */
export function encodeTags(out: ByteWriter, { tagSets, tagIndex }: RowTags, rows: number): TagsForm {
  const used: TagSet[] = [];
  const indexes = new Float64Array(tagIndex === undefined ? 0 : rows);
  if (tagIndex === undefined) {
    used.push(tagSets[0]!);
  } else {
    const places = new Map<number, number>();
    for (let row = 0; row < rows; row++) {
      const index = tagIndex[row]!;
      let place = places.get(index);
      if (place === undefined) {
        place = used.push(tagSets[index]!) - 1;
        places.set(index, place);
      }
      indexes[row] = place;
    }
  }
  if (used.length === 1) {
    if (used[0]!.key === noTags.key) return TagsForm.None;
    out.append(Buffer.from(used[0]!.key));
    return TagsForm.One;
  }
  out.varint(used.length);
  encodeKeys(out, used);
  encodeIntegers(out, indexes, rows);
  return TagsForm.Dictionary;
}

/** The tags of rows that have none. */
export const untagged: RowTags = { tagSets: [noTags], tagIndex: undefined };

export function decodeTags(reader: ByteReader, form: number, rows: number): RowTags {
  if (form === TagsForm.None) return untagged;
  if (form === TagsForm.One) {
    const key = reader.take(reader.end - reader.position).toString();
    return { tagSets: [tagSetOfKey(key)], tagIndex: undefined };
  }
  if (form !== TagsForm.Dictionary) throw new RangeError(`there are no tags of form ${form}`);
  const keys = readKeys(reader, rows);
  const tagSets = Array.from({ length: keys.count }, (_, i) => keys.setAt(i));
  const indexes = decodeIntegers(reader, rows);
  const tagIndex = new Uint32Array(rows);
  // `Uint32Array.from` goes value by value through an iterator, which takes several times as long.
  for (let row = 0; row < rows; row++) tagIndex[row] = keys.checked(indexes[row]!);
  return { tagSets, tagIndex };
}

/** The distinct sets of rows `[first, end)` of `rows`, at least one. Nothing else is decoded: of many sets they may have one. */
export function decodeTagsBetween(
  reader: ByteReader,
  form: number,
  rows: number,
  first: number,
  end: number,
): readonly TagSet[] {
  if (form !== TagsForm.Dictionary) return decodeTags(reader, form, rows).tagSets;
  const keys = readKeys(reader, rows);
  const frames = Math.ceil(end / frameSize);
  const marks = new Uint8Array(frames).fill(1, Math.floor(first / frameSize));
  const indexes = decodeIntegers(reader, Math.min(rows, frames * frameSize), undefined, marks);
  const used = new Uint8Array(keys.count);
  const sets: TagSet[] = [];
  for (let row = first; row < end; row++) {
    const index = keys.checked(indexes[row]!);
    if (used[index] === 1) continue;
    used[index] = 1;
    sets.push(keys.setAt(index));
  }
  return sets;
}

/** The sets of a dictionary; each is made when it is asked for. */
function readKeys(reader: ByteReader, rows: number) {
  const count = reader.varint();
  if (count > rows) throw new RangeError('there are more tag sets than rows');
  const { bytes, ends } = decodeBytes(reader, count);
  const keys = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    count,
    setAt: (i: number): TagSet => tagSetOfKey(keys.toString('utf8', i === 0 ? 0 : ends[i - 1]!, ends[i]!)),
    /** The number of the set of a row. */
    checked(index: number): number {
      if (!(index >= 0 && index < count)) throw new RangeError('a row has a tag set that is not there');
      return index;
    },
  };
}

function encodeKeys(out: ByteWriter, sets: readonly TagSet[]): void {
  const keys = sets.map((set) => Buffer.from(set.key));
  const ends = new Uint32Array(keys.length);
  let total = 0;
  keys.forEach((key, i) => {
    total += key.length;
    ends[i] = total;
  });
  encodeBytes(out, { bytes: Buffer.concat(keys, total), ends });
}
