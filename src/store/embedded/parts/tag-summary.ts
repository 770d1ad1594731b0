import { noTags, type TagSet } from '../../../domain/tags.ts';
import { ByteReader } from '../codecs/byte-reader.ts';
import { ByteWriter } from '../codecs/byte-writer.ts';
import { decodeBytes, encodeBytes } from '../codecs/bytes-codec.ts';
import { decodeIntegers, encodeIntegers } from '../codecs/integer-frames.ts';
import type { RowTags } from '../codecs/tags-codec.ts';

/**
 * The names of the tags of a part and, of each, its distinct values; undefined where these are too many. The whole is
 * undefined where the names are too many. Names and values ascend.
 */
export type TagSummary = ReadonlyMap<string, readonly string[] | undefined> | undefined;

/** What names together, and the values of one name, may take; more than that is no help to a read. */
const maxNamesBytes = 16 * 1024;
const maxValuesBytes = 16 * 1024;

/** Collects the tags of rows as they are written. */
export function tagCollector() {
  const found = new Map<string, { values: Set<string> | undefined; bytes: number }>();
  const seen = new WeakSet<TagSet>();
  let namesBytes = 0;

  function addSet(set: TagSet): void {
    if (set === noTags || seen.has(set)) return;
    seen.add(set);
    for (const [name, value] of set.pairs) {
      let tag = found.get(name);
      if (tag === undefined) {
        namesBytes += Buffer.byteLength(name) + 1;
        if (namesBytes > maxNamesBytes) return;
        tag = { values: new Set(), bytes: 0 };
        found.set(name, tag);
      }
      if (tag.values === undefined || tag.values.has(value)) continue;
      tag.values.add(value);
      tag.bytes += Buffer.byteLength(value) + 1;
      if (tag.bytes > maxValuesBytes) tag.values = undefined;
    }
  }

  return {
    /** Takes the tags of `rows` rows. */
    add({ tagSets, tagIndex }: RowTags, rows: number): void {
      if (namesBytes > maxNamesBytes) return;
      if (tagIndex === undefined) {
        addSet(tagSets[0]!);
        return;
      }
      const used = new Uint8Array(tagSets.length);
      for (let row = 0; row < rows; row++) used[tagIndex[row]!] = 1;
      tagSets.forEach((set, i) => {
        if (used[i] === 1) addSet(set);
      });
    },
    summary(): TagSummary {
      if (namesBytes > maxNamesBytes) return undefined;
      const names = [...found.keys()].sort();
      return new Map(
        names.map((name) => {
          const { values } = found.get(name)!;
          return [name, values && [...values].sort()];
        }),
      );
    },
  };
}

/**
 * A summary in a part, nothing where no row has tags:
 *
 *   varint          0: the names are too many, and nothing follows; else their number and 1
 *   bytes           the names (bytes-codec.ts)
 *   integer frames  for each name 0, where its values are too many, or their number and 1
 *   bytes           the values, name by name
 */
export function encodeTagSummary(summary: TagSummary): Buffer {
  const out = new ByteWriter();
  if (summary === undefined) out.varint(0);
  if (summary === undefined || summary.size === 0) return out.written();
  out.varint(summary.size + 1);
  encodeTexts(out, [...summary.keys()]);
  const counts = Float64Array.from(summary.values(), (values) =>
    values === undefined ? 0 : values.length + 1,
  );
  encodeIntegers(out, counts, counts.length);
  encodeTexts(
    out,
    [...summary.values()].flatMap((values) => values ?? []),
  );
  return out.written();
}

export function decodeTagSummary(bytes: Buffer): TagSummary {
  if (bytes.length === 0) return new Map();
  const reader = new ByteReader(bytes);
  const size = reader.varint() - 1;
  if (size < 0) return undefined;
  const names = decodeTexts(reader, size);
  const counts = decodeIntegers(reader, size);
  const values = decodeTexts(
    reader,
    counts.reduce((sum, count) => sum + Math.max(0, count - 1), 0),
  );
  if (reader.position !== reader.end) throw new RangeError('bytes are left over');
  let at = 0;
  return new Map(
    names.map((name, i) => {
      const count = counts[i]! - 1;
      if (count < 0) return [name, undefined];
      at += count;
      return [name, values.slice(at - count, at)];
    }),
  );
}

function encodeTexts(out: ByteWriter, texts: readonly string[]): void {
  if (texts.length === 0) return;
  const parts = texts.map((text) => Buffer.from(text));
  let end = 0;
  const ends = Uint32Array.from(parts, ({ length }) => {
    end += length;
    return end;
  });
  encodeBytes(out, { bytes: Buffer.concat(parts, end), ends });
}

function decodeTexts(reader: ByteReader, count: number): string[] {
  if (count === 0) return [];
  const { bytes, ends } = decodeBytes(reader, count);
  const texts = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from(ends, (end, i) => texts.toString('utf8', i === 0 ? 0 : ends[i - 1]!, end));
}
