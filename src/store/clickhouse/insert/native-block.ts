/**
 * A block of ClickHouse's Native format, as its HTTP interface takes it (protocol revision 0; "Formats / Native" in
 * ClickHouse's docs, and src/Formats/NativeWriter.cpp). Little-endian throughout:
 *
 *   columns      varuint
 *   rows         varuint
 *   per column:  name (string), type (string), the values of all rows
 *
 *   varuint      7 bits a byte from the lowest on, bit 7 set where another byte follows (LEB128)
 *   string       length in bytes (varuint), bytes
 *   Int64 …      8 bytes a value; Float64 the bits of an IEEE double; Enum8 a byte, its number
 *   String       a string per value
 *   Array(T):    the end of each row's elements among all (uint64 a row), the elements of all rows as a T
 *   Tuple(…):    the values of the first element, those of the second, and so on
 *   LowCardinality(String):
 *     1          uint64, the version of the keys' form: a dictionary in each block
 *     flags      uint64: width of an index (0 = 1 byte, 1 = 2, 2 = 4), 0x200 = keys follow, 0x400 = they are new
 *     keys       count (uint64), a string per key
 *     indexes    count (uint64), an index into the keys per value
 *
 * A block without rows ends after the types, for ClickHouse reads no keys then; nobody sends one.
 */
export interface NativeColumn {
  readonly name: string;
  /** As ClickHouse spells it. */
  readonly type: string;
  /** The bytes of all values, one piece after another. */
  readonly data: readonly Uint8Array[];
}

/** A block of rows of a table, ready to be sent. */
export interface NativeBlock {
  /** Names, in the order of the block's; columns of the table that are left out have their default in every row. */
  readonly columns: readonly string[];
  readonly pieces: readonly Uint8Array[];
}

/** What the columns hold is not copied. */
export function nativeBlock(rows: number, columns: readonly NativeColumn[]): NativeBlock {
  const pieces: Uint8Array[] = [Buffer.concat([varuint(columns.length), varuint(rows)])];
  for (const { name, type, data } of columns) {
    pieces.push(Buffer.concat([string(name), string(type)]), ...data);
  }
  return { columns: columns.map(({ name }) => name), pieces };
}

const dictionaryInBlock = 1;
const hasKeys = 0x200;
const newKeys = 0x400;

export type Indexes = Uint8Array | Uint16Array | Uint32Array;

/** Room for indexes into so many keys, of the smallest width that can hold them. */
export function indexesFor(keys: number, rows: number): Indexes {
  if (keys <= 0x100) return new Uint8Array(rows);
  return keys <= 0x10000 ? new Uint16Array(rows) : new Uint32Array(rows);
}

export function lowCardinality(name: string, keys: readonly string[], indexes: Indexes): NativeColumn {
  const width = indexes instanceof Uint8Array ? 0 : indexes instanceof Uint16Array ? 1 : 2;
  const head = uint64s([dictionaryInBlock, width | hasKeys | newKeys, keys.length]);
  return {
    name,
    type: 'LowCardinality(String)',
    data: [head, strings(keys), uint64s([indexes.length]), bytesOf(indexes)],
  };
}

/** Integers as they are sent; those of 64 bits as pairs of words, the low one first. */
export function integers(
  name: string,
  type: 'Int64' | 'UInt64' | 'UInt32' | 'UInt8',
  values: Uint32Array | Uint8Array,
): NativeColumn {
  return { name, type, data: [bytesOf(values)] };
}

/** Arrays: those of row i end at `ends[i]` among the elements, which stand one after another. */
export function arrays(ends: readonly number[], { name, type, data }: NativeColumn): NativeColumn {
  return { name, type: `Array(${type})`, data: [uint64s(ends), ...data] };
}

/** A tuple of which each column is an element. */
export function tuples(name: string, elements: readonly NativeColumn[]): NativeColumn {
  return {
    name,
    type: `Tuple(${elements.map((element) => `${element.name} ${element.type}`).join(', ')})`,
    data: elements.flatMap(({ data }) => data),
  };
}

export function doubles(name: string, values: Float64Array): NativeColumn {
  return { name, type: 'Float64', data: [bytesOf(values)] };
}

export function enums(name: string, type: string, values: Uint8Array): NativeColumn {
  return { name, type, data: [values] };
}

/** Texts or bytes that have been written as strings already. */
export function stringColumn(name: string, data: readonly Uint8Array[]): NativeColumn {
  return { name, type: 'String', data };
}

/** Texts, each as a string. */
export function strings(texts: readonly string[]): Uint8Array {
  // Tag sets are few, and stand once a row.
  const written = new Map<string, Uint8Array>();
  return Buffer.concat(
    texts.map((text) => {
      const known = written.get(text) ?? string(text);
      written.set(text, known);
      return known;
    }),
  );
}

/**
 * Values that stand one after another in `bytes`, as strings. Value i ends at `ends[i]` and begins at the end of the
 * one before.
 */
export function stringsOfBytes(bytes: Uint8Array, ends: Uint32Array): Uint8Array {
  let size = bytes.length;
  let begin = 0;
  for (const end of ends) {
    size += varuintLength(end - begin);
    begin = end;
  }
  const written = new Uint8Array(size);
  let at = 0;
  begin = 0;
  for (const end of ends) {
    at = writeVaruint(written, at, end - begin);
    // Calls cost more than the bytes of short values.
    if (end - begin < 24) for (let i = begin; i < end; i++) written[at++] = bytes[i]!;
    else {
      written.set(bytes.subarray(begin, end), at);
      at += end - begin;
    }
    begin = end;
  }
  return written.subarray(0, at);
}

function string(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([varuint(bytes.length), bytes]);
}

function varuint(value: number): Uint8Array {
  const bytes = new Uint8Array(varuintLength(value));
  writeVaruint(bytes, 0, value);
  return bytes;
}

/** Of values below 2^32. */
function varuintLength(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x200000 ? 3 : value < 0x10000000 ? 4 : 5;
}

function writeVaruint(target: Uint8Array, at: number, value: number): number {
  let rest = value;
  let next = at;
  while (rest >= 0x80) {
    target[next++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  target[next++] = rest;
  return next;
}

function uint64s(values: readonly number[]): Uint8Array {
  return bytesOf(wordsOfNumbers(values));
}

/** An integer of 64 bits as words. */
export type Words = readonly [low: number, high: number];

export function wordsOf(value: bigint): Words {
  return [Number(value & 0xffffffffn), Number((value >> 32n) & 0xffffffffn)];
}

/** Integers of 64 bits one after another. */
export function joinedWords(integers: readonly Words[]): Uint32Array {
  const words = new Uint32Array(2 * integers.length);
  for (const [i, [low, high]] of integers.entries()) {
    words[2 * i] = low;
    words[2 * i + 1] = high;
  }
  return words;
}

/** Where arrays of so many elements end. */
export function endsOf(counts: readonly number[]): number[] {
  let end = 0;
  return counts.map((count) => (end += count));
}

/** Whole numbers from 0 on as pairs of words, the low one first. */
export function wordsOfNumbers(values: readonly number[]): Uint32Array {
  const words = new Uint32Array(2 * values.length);
  for (let i = 0; i < values.length; i++) {
    words[2 * i] = values[i]!;
    words[2 * i + 1] = Math.floor(values[i]! / 0x100000000);
  }
  return words;
}

/** Every machine that Node.js runs on here is little-endian. */
function bytesOf(array: Indexes | Float64Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
