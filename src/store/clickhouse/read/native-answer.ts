import { type ByteReader, readBytes, type Strings } from './byte-reader.ts';
import { freshMemory, type ScratchMemory } from './scratch-memory.ts';

/**
 * Answers in ClickHouse's Native format, read block by block as they come: exact, and columns of numbers are taken
 * over as they stand. Their form is told at the head of insert/native-block.ts. LowCardinality has nothing in a block
 * without rows; 0x100 of its flags would say that a dictionary of other blocks is used, which is never so over HTTP.
 */
export interface NativeAnswerBlock {
  readonly rows: number;
  /** In the order of the SELECT. */
  readonly columns: readonly AnswerColumn[];
}

/** What columns can be, and how their values come. */
interface ColumnValues {
  readonly integers: BigInt64Array;
  readonly doubles: Float64Array;
  readonly bytes: Uint8Array;
  /** Of 32 bits. */
  readonly counts: Uint32Array;
  readonly strings: Strings;
  readonly keys: KeyedTexts;
  readonly lists: Lists;
}

/** Arrays, whose elements stand one after another. */
export interface Lists {
  /** Per array where it ends; it begins at the end of the one before. */
  readonly ends: Uint32Array;
  readonly elements: AnswerColumn;
}

export interface AnswerColumn<Type extends keyof ColumnValues = keyof ColumnValues> {
  readonly type: Type;
  readonly values: ColumnValues[Type];
}

/** The values of a column of the type that its statement makes it. */
export function valuesOf<Type extends keyof ColumnValues>(
  { columns }: NativeAnswerBlock,
  place: number,
  type: Type,
): ColumnValues[Type] {
  return typed(columns[place], place, type);
}

/** The elements of arrays, of the type that their statement makes them, and where each array ends. */
export function listsOf<Type extends keyof ColumnValues>(
  block: NativeAnswerBlock,
  place: number,
  type: Type,
): { readonly ends: Uint32Array; readonly elements: ColumnValues[Type] } {
  const { ends, elements } = valuesOf(block, place, 'lists');
  return { ends, elements: typed(elements, place, type) };
}

function typed<Type extends keyof ColumnValues>(
  column: AnswerColumn | undefined,
  place: number,
  type: Type,
): ColumnValues[Type] {
  if (column?.type !== type) throw new Error(`column ${place} has the type ${column?.type}, not ${type}`);
  return column.values as ColumnValues[Type];
}

/** Texts by an index into the distinct ones. */
export interface KeyedTexts {
  readonly texts: readonly string[];
  readonly index: Uint8Array | Uint16Array | Uint32Array;
}

/**
 * The blocks of an answer that have rows, their columns but for strings in `memory`. Ends the source when it is let go
 * of.
 */
export async function* readNative(
  chunks: AsyncIterable<Uint8Array>,
  memory: Pick<ScratchMemory, 'take'> = freshMemory,
): AsyncGenerator<NativeAnswerBlock> {
  const source = chunks[Symbol.asyncIterator]();
  try {
    const reader = readBytes(source, memory);
    while (!(await reader.isAtEnd())) {
      const block = await readBlock(reader);
      if (block.rows > 0) yield block;
    }
  } finally {
    await source.return?.();
  }
}

async function readBlock(reader: ByteReader): Promise<NativeAnswerBlock> {
  const width = await reader.varuint();
  const rows = await reader.varuint();
  const columns: AnswerColumn[] = [];
  for (let i = 0; i < width; i++) {
    await reader.text(); // Its name: the order of the SELECT says what it is.
    const type = await reader.text();
    columns.push(await readColumn(reader, type, rows));
  }
  return { rows, columns };
}

async function readColumn(reader: ByteReader, type: string, rows: number): Promise<AnswerColumn> {
  switch (type) {
    case 'Int64':
    case 'UInt64':
      return { type: 'integers', values: await words(reader, BigInt64Array, rows) };
    case 'Float64':
      return { type: 'doubles', values: await words(reader, Float64Array, rows) };
    case 'UInt8':
    case 'Int8':
    case 'Bool':
      return { type: 'bytes', values: await reader.bytes(rows) };
    case 'UInt32':
      return { type: 'counts', values: await words(reader, Uint32Array, rows) };
    case 'String':
      return { type: 'strings', values: await reader.strings(rows) };
    case 'LowCardinality(String)':
      return { type: 'keys', values: await readKeys(reader, rows) };
    default: {
      // A state of this kind is its value.
      const simple = /^SimpleAggregateFunction\(\w+, (.*)\)$/.exec(type)?.[1];
      if (simple !== undefined) return await readColumn(reader, simple, rows);
      const element = /^Array\((.*)\)$/.exec(type)?.[1];
      if (element === undefined) throw new Error(`a column of the type ${type} cannot be read`);
      // No answer has so many elements that their upper words count.
      const pairs = await words(reader, Uint32Array, 2 * rows);
      const ends = new Uint32Array(rows);
      for (let row = 0; row < rows; row++) ends[row] = pairs[2 * row]!;
      const elements = await readColumn(reader, element, ends.at(-1) ?? 0);
      return { type: 'lists', values: { ends, elements } };
    }
  }
}

async function readKeys(reader: ByteReader, rows: number): Promise<KeyedTexts> {
  if (rows === 0) return { texts: [], index: new Uint8Array(0) };
  const [version, flags, count] = await words(reader, BigUint64Array, 3);
  if (version !== 1n || (flags! & 0x100n) !== 0n) {
    throw new Error(`a dictionary of the form ${version}, ${flags} cannot be read`);
  }
  const { bytes, ends } = await reader.strings(Number(count));
  const keys = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const texts = Array.from(ends, (end, i) => keys.toString('utf8', i === 0 ? 0 : ends[i - 1]!, end));
  const indexed = Number((await words(reader, BigUint64Array, 1))[0]);
  const indexWidth = Number(flags! & 0xffn);
  if (indexed !== rows || indexWidth > 2) {
    throw new Error(`${indexed} indexes of width ${indexWidth} for ${rows} rows cannot be read`);
  }
  const Index = [Uint8Array, Uint16Array, Uint32Array][indexWidth]!;
  return { texts, index: await words<KeyedTexts['index']>(reader, Index, rows) };
}

async function words<Words extends ArrayBufferView>(
  reader: ByteReader,
  Type: { new (buffer: ArrayBuffer, start: number, length: number): Words; BYTES_PER_ELEMENT: number },
  count: number,
): Promise<Words> {
  const { buffer, byteOffset } = await reader.bytes(count * Type.BYTES_PER_ELEMENT);
  return new Type(buffer, byteOffset, count);
}
