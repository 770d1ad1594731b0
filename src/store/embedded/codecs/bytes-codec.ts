import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { decodeIntegers, encodeIntegers } from './integer-frames.ts';

/**
 * A run of strings or binaries:
 *
 *   byte            bit 0: a dictionary; bit 1: the bytes are deflated
 *   varint          dictionary only: how many distinct values there are
 *   integer frames  the length of each value (of each distinct value, with a dictionary)
 *   varint          deflated only: how many deflated bytes follow
 *   bytes           the values (or distinct values) one after another, as they are or raw deflate
 *   integer frames  dictionary only: per value its index among the distinct ones, in order of appearance
 *
 * The count of values is kept by whoever writes the run.
 */
export interface ByteValues {
  /** Value i lies in `bytes` from the end of the one before (0 for the first) to `ends[i]`. */
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
}

const dictionaryFlag = 1;
const deflatedFlag = 2;
/** The longest value of a dictionary: longer ones seldom repeat, and would make the search for repeats dear. */
const longestEntry = 256;
/** The fewest bytes that are deflated: setting it up (about 20 µs) costs more than fewer are worth. */
const minDeflatedBytes = 512;
const deflateLevel = 2;

export function encodeBytes(out: ByteWriter, values: ByteValues): void {
  const dictionary = findDictionary(values);
  const { bytes, ends } = dictionary?.entries ?? values;
  const deflated =
    bytes.length < minDeflatedBytes ? undefined : deflateRawSync(bytes, { level: deflateLevel });
  const pays = deflated !== undefined && deflated.length < bytes.length * 0.9;
  out.byte((dictionary === undefined ? 0 : dictionaryFlag) | (pays ? deflatedFlag : 0));
  if (dictionary !== undefined) out.varint(ends.length);
  const lengths = new Float64Array(ends.length);
  for (let i = 0; i < ends.length; i++) lengths[i] = ends[i]! - (i === 0 ? 0 : ends[i - 1]!);
  encodeIntegers(out, lengths, lengths.length);
  if (pays) out.varint(deflated.length);
  out.append(pays ? deflated : bytes);
  if (dictionary !== undefined) encodeIntegers(out, dictionary.indexes, dictionary.indexes.length);
}

/** Reads `count` values; their bytes may be a view of the reader's. */
export function decodeBytes(reader: ByteReader, count: number): ByteValues {
  const head = reader.byte();
  const hasDictionary = (head & dictionaryFlag) !== 0;
  const entryCount = hasDictionary ? reader.varint() : count;
  if (entryCount > count) throw new RangeError('a dictionary is larger than its run');
  const lengths = decodeIntegers(reader, entryCount);
  const ends = new Uint32Array(entryCount);
  let total = 0;
  for (let i = 0; i < entryCount; i++) {
    total += lengths[i]!;
    ends[i] = total;
  }
  let bytes: Uint8Array;
  if ((head & deflatedFlag) === 0) {
    bytes = reader.take(total);
  } else {
    bytes = inflateRawSync(reader.take(reader.varint()), { maxOutputLength: Math.max(total, 1) });
    if (bytes.length !== total) throw new RangeError('deflated bytes do not have the length of their values');
  }
  if (!hasDictionary) return { bytes, ends };
  return expand({ bytes, ends }, decodeIntegers(reader, count));
}

interface Dictionary {
  readonly entries: ByteValues;
  readonly indexes: Float64Array;
}

/** A dictionary with at most one entry for every two values, or undefined where the values have none. */
function findDictionary({ bytes, ends }: ByteValues): Dictionary | undefined {
  const count = ends.length;
  const maxEntries = count >> 1;
  if (maxEntries === 0) return undefined;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const indexOf = new Map<string, number>();
  const indexes = new Float64Array(count);
  const entryStarts: number[] = [];
  const entryEnds: number[] = [];
  for (let i = 0, start = 0; i < count; i++) {
    const end = ends[i]!;
    if (end - start > longestEntry) return undefined;
    const key = buffer.toString('latin1', start, end);
    let index = indexOf.get(key);
    if (index === undefined) {
      if (indexOf.size === maxEntries) return undefined;
      index = indexOf.size;
      indexOf.set(key, index);
      entryStarts.push(start);
      entryEnds.push(end);
    }
    indexes[i] = index;
    start = end;
  }
  return { entries: gather(buffer, entryStarts, entryEnds), indexes };
}

function gather(bytes: Buffer, starts: readonly number[], valueEnds: readonly number[]): ByteValues {
  const ends = new Uint32Array(starts.length);
  let total = 0;
  for (let i = 0; i < starts.length; i++) {
    total += valueEnds[i]! - starts[i]!;
    ends[i] = total;
  }
  const gathered = Buffer.allocUnsafe(total);
  for (let i = 0, at = 0; i < starts.length; i++) {
    at += bytes.copy(gathered, at, starts[i]!, valueEnds[i]!);
  }
  return { bytes: gathered, ends };
}

function expand(entries: ByteValues, indexes: Float64Array): ByteValues {
  const starts: number[] = [];
  const valueEnds: number[] = [];
  for (let i = 0; i < indexes.length; i++) {
    const index = indexes[i]!;
    if (!(index < entries.ends.length)) throw new RangeError('an index lies after its dictionary');
    starts.push(index === 0 ? 0 : entries.ends[index - 1]!);
    valueEnds.push(entries.ends[index]!);
  }
  const { buffer, byteOffset, byteLength } = entries.bytes;
  return gather(Buffer.from(buffer, byteOffset, byteLength), starts, valueEnds);
}
