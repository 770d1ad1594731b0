import { type ByteReader, readBytes, type Strings } from './byte-reader.ts';

/**
 * Answers in ClickHouse's Native format, read block by block as they come: exact, and columns of numbers are taken
 * over as they stand. Their form is told at the head of native-block.ts; beside it:
 *
 *   LowCardinality(String), per column of a block that has rows:
 *     version    uint64, 1
 *     flags      uint64: the low byte is the width of an index (0 = 1 byte, 1 = 2, 2 = 4, 3 = 8), 0x100 would say
 *                that a dictionary of other blocks is used (never so over HTTP)
 *     keys       count (uint64), strings
 *     indexes    count (uint64), one per value
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
  readonly strings: Strings;
  readonly keys: KeyedTexts;
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
  const column = columns[place];
  if (column?.type !== type) throw new Error(`column ${place} has the type ${column?.type}, not ${type}`);
  return column.values as ColumnValues[Type];
}

/** Texts by an index into the distinct ones. */
export interface KeyedTexts {
  readonly texts: readonly string[];
  readonly index: Uint8Array | Uint16Array | Uint32Array;
}

/** The blocks of an answer that have rows. Ends the source when it is let go of. */
export async function* readNative(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<NativeAnswerBlock> {
  const source = chunks[Symbol.asyncIterator]();
  try {
    const reader = readBytes(source);
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
      return { type: 'integers', values: new BigInt64Array(await reader.bytes(8 * rows)) };
    case 'Float64':
      return { type: 'doubles', values: new Float64Array(await reader.bytes(8 * rows)) };
    case 'UInt8':
    case 'Int8':
    case 'Bool':
      return { type: 'bytes', values: new Uint8Array(await reader.bytes(rows)) };
    case 'String':
      return { type: 'strings', values: await reader.strings(rows) };
    case 'LowCardinality(String)':
      return { type: 'keys', values: await readKeys(reader, rows) };
    default:
      throw new Error(`a column of the type ${type} cannot be read`);
  }
}

async function readKeys(reader: ByteReader, rows: number): Promise<KeyedTexts> {
  if (rows === 0) return { texts: [], index: new Uint8Array(0) };
  const [version, flags, count] = new BigUint64Array(await reader.bytes(24));
  if (version !== 1n || (flags! & 0x100n) !== 0n) {
    throw new Error(`a dictionary of the form ${version}, ${flags} cannot be read`);
  }
  const { bytes, ends } = await reader.strings(Number(count));
  const keys = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const texts = Array.from(ends, (end, i) => keys.toString('utf8', i === 0 ? 0 : ends[i - 1]!, end));
  const indexed = Number(new BigUint64Array(await reader.bytes(8))[0]);
  const indexWidth = Number(flags! & 0xffn);
  if (indexed !== rows || indexWidth > 2) {
    throw new Error(`${indexed} indexes of width ${indexWidth} for ${rows} rows cannot be read`);
  }
  const Index = [Uint8Array, Uint16Array, Uint32Array][indexWidth]!;
  return { texts, index: new Index(await reader.bytes(rows << indexWidth)) };
}
