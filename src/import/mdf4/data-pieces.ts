import { type FileBytes, FileFault } from '../file-bytes.ts';
import { type Block, numberAt, readBlock } from './blocks.ts';

/** Bytes of a piece that is read as it is. */
const pieceBytes = 1 << 20;
/** The most that a compressed block may hold: those that tools write have 4 MiB. */
const mostInflated = 64 << 20;
const mostLists = 1_000_000;

/**
 * The records of a data group, piece by piece: a block DT, one that is compressed (DZ), or a list of these (DL, behind
 * HL). Throws a FileFault.
 */
export async function* dataPieces(file: FileBytes, offset: number): AsyncGenerator<Uint8Array> {
  for await (const block of dataBlocks(file, offset)) yield* blockPieces(file, block);
}

/**
 * How many bytes of records a data group has, as its blocks say. Throws a FileFault.
 * @param seen places of the blocks of other groups: each stands in one, or a small file could have very many
 */
export async function dataBytes(file: FileBytes, offset: number, seen: Set<number>): Promise<number> {
  let bytes = 0;
  for await (const block of dataBlocks(file, offset, seen))
    bytes += block.kind === 'DT' ? block.dataLength : packedHead(block).size;
  return bytes;
}

async function* dataBlocks(
  file: FileBytes,
  offset: number,
  seen: Set<number> = new Set(),
): AsyncGenerator<Block> {
  if (offset === 0) return;
  const first = await readBlock(file, offset, ['DT', 'DZ', 'DL', 'HL'], packedHeadBytes);
  if (first.kind === 'DT' || first.kind === 'DZ') {
    if (seen.has(offset)) throw new FileFault('a block of data is that of two groups', offset);
    seen.add(offset);
    yield first;
    return;
  }
  const lists = new Set<number>();
  let list = first.kind === 'HL' ? (first.links[0] ?? 0) : offset;
  while (list !== 0) {
    if (lists.has(list)) throw new FileFault('the lists of data go in a circle', list);
    if (seen.has(list)) throw new FileFault('a list of data is that of two groups', list);
    if (lists.add(list).size > mostLists) throw new FileFault('there are too many lists of data', list);
    seen.add(list);
    const { links } = await readBlock(file, list, ['DL']);
    for (const at of links.slice(1)) {
      if (at === 0) continue;
      // A block that stands in two lists would be two times the rows.
      if (seen.has(at)) throw new FileFault('a block of data is listed twice', at);
      seen.add(at);
      yield await readBlock(file, at, ['DT', 'DZ'], packedHeadBytes);
    }
    list = links[0] ?? 0;
  }
}

async function* blockPieces(file: FileBytes, block: Block): AsyncGenerator<Uint8Array> {
  if (block.kind === 'DZ') {
    yield await inflateBlock(file, block);
    return;
  }
  const { dataOffset, dataLength } = block;
  for (let at = 0; at < dataLength; at += pieceBytes) {
    yield await file.read(dataOffset + at, Math.min(pieceBytes, dataLength - at));
  }
}

const packedHeadBytes = 24;

/**
 * A block DZ: char[2] kind of block, uint8 way (0 deflate, 1 columns turned to rows, then deflate), uint32 columns at 4,
 * uint64 length before at 8, uint64 length now at 16, then the compressed bytes.
 */
function packedHead({ offset, data, dataOffset }: Block) {
  if (data.byteLength < packedHeadBytes) throw new FileFault('the block DZ is too short', offset);
  return {
    way: data.getUint8(2),
    columns: data.getUint32(4, true),
    size: numberAt(data, 8, dataOffset),
    packed: numberAt(data, 16, dataOffset),
  };
}

async function inflateBlock(file: FileBytes, block: Block): Promise<Uint8Array> {
  const { dataOffset, dataLength } = block;
  const { way, columns, size, packed } = packedHead(block);
  if (way > 1) throw new FileFault(`the compression ${way} of a block DZ is not known`, dataOffset + 2);
  if (size > mostInflated) throw new FileFault(`a block DZ of ${size} bytes is too large`, dataOffset + 8);
  // Deflate makes what cannot be packed a little longer, never much.
  if (packed > size + (size >> 3) + 1024)
    throw new FileFault(`a block DZ has ${packed} bytes for ${size}`, dataOffset + 16);
  if (packed > dataLength - packedHeadBytes)
    throw new FileFault('the block DZ is shorter than it says', dataOffset + 16);
  const bytes = await inflate(
    await file.read(dataOffset + packedHeadBytes, packed),
    size,
    dataOffset + packedHeadBytes,
  );
  return way === 1 && columns > 1 ? turnBack(bytes, columns) : bytes;
}

/** Throws a FileFault where there are more or fewer bytes than `size`, before they are all in memory. */
async function inflate(packed: Uint8Array, size: number, offset: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let done = 0;
  const source = new Blob([packed as Uint8Array<ArrayBuffer>]).stream();
  const reader = source.pipeThrough(new DecompressionStream('deflate')).getReader();
  try {
    for (;;) {
      const { done: isEnd, value } = await reader.read();
      if (isEnd) break;
      if (done + value.length > size)
        throw new FileFault(`a block DZ has more than its ${size} bytes`, offset);
      bytes.set(value, done);
      done += value.length;
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined);
    if (error instanceof FileFault) throw error;
    throw new FileFault(`a block DZ cannot be inflated: ${(error as Error).message}`, offset);
  }
  if (done < size) throw new FileFault(`a block DZ has ${done} of its ${size} bytes`, offset);
  return bytes;
}

/** Bytes that were written column by column as rows again; what is behind the last whole row stays. */
function turnBack(bytes: Uint8Array, columns: number): Uint8Array {
  const rows = Math.floor(bytes.length / columns);
  const turned = bytes.slice();
  for (let column = 0; column < columns; column++) {
    for (let row = 0; row < rows; row++) turned[row * columns + column] = bytes[column * rows + row]!;
  }
  return turned;
}
