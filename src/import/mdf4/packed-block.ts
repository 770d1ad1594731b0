import { type FileBytes, FileFault } from '../file-bytes.ts';
import { inflate } from '../inflate.ts';
import { type Block, numberAt } from './blocks.ts';

/** The most that a compressed block may hold: those that tools write have 4 MiB. */
const mostInflated = 64 << 20;

export const packedHeadBytes = 24;

/**
 * A block DZ: char[2] kind of block, uint8 way (0 deflate, 1 columns turned to rows, then deflate), uint32 columns at 4,
 * uint64 length before at 8, uint64 length now at 16, then the compressed bytes.
 */
export function packedHead({ offset, data, dataOffset }: Block) {
  if (data.byteLength < packedHeadBytes) throw new FileFault('the block DZ is too short', offset);
  return {
    way: data.getUint8(2),
    columns: data.getUint32(4, true),
    size: numberAt(data, 8, dataOffset),
    packed: numberAt(data, 16, dataOffset),
  };
}

/** Throws a FileFault. */
export async function inflateBlock(file: FileBytes, block: Block): Promise<Uint8Array> {
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
    'a block DZ',
    dataOffset + packedHeadBytes,
  );
  return way === 1 && columns > 1 ? turnBack(bytes, columns) : bytes;
}

/** Bytes that were written column by column as rows again; what is behind the last whole row stays. */
function turnBack(bytes: Uint8Array, columns: number): Uint8Array {
  const rows = Math.floor(bytes.length / columns);
  // As many columns as a fault may name would take very long.
  if (rows === 0) return bytes;
  const turned = bytes.slice();
  for (let column = 0; column < columns; column++) {
    for (let row = 0; row < rows; row++) turned[row * columns + column] = bytes[column * rows + row]!;
  }
  return turned;
}
