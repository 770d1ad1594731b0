import { type FileBytes, FileFault } from '../file-bytes.ts';
import { type Block, readBlock } from './blocks.ts';
import { inflateBlock, packedHead, packedHeadBytes } from './packed-block.ts';

/** Bytes of a piece that is read as it is. */
const pieceBytes = 1 << 20;
const mostLists = 1_000_000;

/** Blocks of bytes: records (DT), or values of variable length (SD). */
export type DataKind = 'DT' | 'SD';

/**
 * The bytes of a data group, piece by piece: a block DT, one that is compressed (DZ), or a list of these (DL, behind
 * HL). Throws a FileFault.
 */
export async function* dataPieces(file: FileBytes, offset: number): AsyncGenerator<Uint8Array> {
  for await (const block of dataBlocks(file, offset, 'DT')) yield* blockPieces(file, block);
}

/**
 * How many bytes of records a data group has, as its blocks say. Throws a FileFault.
 * @param seen places of the blocks of other groups: each stands in one, or a small file could have very many
 */
export async function dataBytes(file: FileBytes, offset: number, seen: Set<number>): Promise<number> {
  let bytes = 0;
  for await (const block of dataBlocks(file, offset, 'DT', seen)) bytes += unpackedBytes(block);
  return bytes;
}

/** How long a block is, or will be when it is inflated. */
export function unpackedBytes(block: Block): number {
  return block.kind === 'DZ' ? packedHead(block).size : block.dataLength;
}

/** The blocks of bytes behind a link, in their order. Throws a FileFault. */
export async function* dataBlocks(
  file: FileBytes,
  offset: number,
  kind: DataKind,
  seen: Set<number> = new Set(),
): AsyncGenerator<Block> {
  if (offset === 0) return;
  const first = await readBlock(file, offset, [kind, 'DZ', 'DL', 'HL'], packedHeadBytes);
  if (first.kind === kind || first.kind === 'DZ') {
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
      yield await readBlock(file, at, [kind, 'DZ'], packedHeadBytes);
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
