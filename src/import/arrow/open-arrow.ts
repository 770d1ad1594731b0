import { CompressionType, compressionRegistry, type RecordBatch, RecordBatchReader } from 'apache-arrow';
import { Decompress } from 'fzstd';
import { decompressLz4 } from '../compression/lz4.ts';
import { decompressZstdBy } from '../compression/zstd.ts';
import { type FileBytes, FileFault } from '../file-bytes.ts';
import { TableFault } from '../tables/table-fault.ts';
import type { Cell, TableSource } from '../tables/table-source.ts';
import { type ArrowLeaf, leavesOfField } from './leaf-reader.ts';
import { type ArrowMessages, findMessages } from './messages.ts';

const mostBuffer = 2 ** 30;

/** The size stands before the bytes, which are a part of what holds both. */
function sizeBefore(bytes: Uint8Array): number {
  const size = Number(new DataView(bytes.buffer, bytes.byteOffset - 8, 8).getBigInt64(0, true));
  if (size < 0 || size > mostBuffer) throw new TableFault(`a buffer of ${size} bytes is not read`);
  return size;
}

compressionRegistry.set(CompressionType.LZ4_FRAME, {
  decode: (bytes) => decompressLz4(bytes, sizeBefore(bytes)),
});
compressionRegistry.set(CompressionType.ZSTD, {
  decode: (bytes) => decompressZstdBy(Decompress, bytes, sizeBefore(bytes), mostBuffer),
});

/**
 * A file or a stream of Arrow IPC (Feather of version 2 is such a file), read batch by batch; buffers may be compressed with lz4 or
 * zstd. Throws a TableFault or a FileFault.
 */
export async function openArrow(file: FileBytes): Promise<TableSource> {
  const found = await findMessages(file);
  const reader = await readable(async () => RecordBatchReader.from(found.schema).open());
  if (reader.schema === undefined)
    throw new TableFault('it cannot be read as Arrow: it does not begin with a schema');
  const leaves = reader.schema.fields.flatMap(({ name, type }, top) => leavesOfField(name, type, top));
  return {
    columns: leaves.map(({ column }) => column),
    notes: found.hasEnd ? [] : ['the stream has no mark at its end: it may have been cut off'],
    rows: (taken) => readRows(file, found, leaves, taken),
  };
}

async function* readRows(
  file: FileBytes,
  { schema, messages }: ArrowMessages,
  leaves: readonly ArrowLeaf[],
  taken: readonly boolean[],
): AsyncGenerator<Cell[], void, void> {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield schema;
    for (const { offset, length } of messages) yield await file.read(offset, length);
  }
  const reader = await readable(async () => (await RecordBatchReader.from(pieces())).open());
  const next = () => readable(async () => (await reader.next()) as IteratorResult<RecordBatch>);
  let number = 0;
  for (let one = await next(); one.done !== true; one = await next()) {
    const batch = one.value;
    const steps = await readable(async () =>
      leaves.flatMap(({ top, open }, i) =>
        taken[i] === true ? [{ i, read: open(batch.data.children[top]!) }] : [],
      ),
    );
    for (let row = 0; row < batch.numRows; row++) {
      const cells: Cell[] = new Array(leaves.length).fill(null);
      number++;
      for (const { i, read } of steps) {
        try {
          cells[i] = read(row);
        } catch (error) {
          const { name } = leaves[i]!.column;
          throw new TableFault(`row ${number}, column ${name} cannot be read: ${(error as Error).message}`);
        }
      }
      yield cells;
    }
  }
}

async function readable<T>(reading: () => Promise<T>): Promise<T> {
  try {
    return await reading();
  } catch (error) {
    if (error instanceof FileFault || error instanceof TableFault) throw error;
    throw new TableFault(`it cannot be read as Arrow: ${(error as Error).message}`);
  }
}
