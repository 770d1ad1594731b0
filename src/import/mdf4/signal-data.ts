import { type FileBytes, FileFault } from '../file-bytes.ts';
import type { Block } from './blocks.ts';
import { dataBlocks, unpackedBytes } from './data-pieces.ts';
import { inflateBlock } from './packed-block.ts';

/** Values of variable length that a channel of a sorted file has beside its records. */
export interface SignalData {
  /** The bytes of the value at that place: uint32 length, then so many. Throws a FileFault. */
  valueAt(offset: number): Promise<Uint8Array>;
  /** Returns a value where it is in memory. */
  valueInMemory(offset: number): Uint8Array | undefined;
}

/** The longest value, in bytes. */
export const longestValue = 16 << 20;
const lengthBytes = 4;
const pieceBytes = 256 << 10;
/** Bytes that all channels of a file have in memory. */
const mostInMemory = 64 << 20;

interface Piece {
  readonly start: number;
  readonly bytes: Uint8Array;
}

/** What the channels of a file have in memory: the longest ago used is given up first. */
export interface PieceMemory {
  /** Least recently used first. */
  readonly pieces: Map<object, Piece>;
  bytes: number;
}

export const pieceMemory = (): PieceMemory => ({ pieces: new Map(), bytes: 0 });

/**
 * Values behind a link: a block SD, one that is compressed, or a list of these.
 * @param seen places of blocks that others have
 */
export async function openSignalData(
  file: FileBytes,
  link: number,
  seen: Set<number>,
  memory: PieceMemory,
): Promise<SignalData> {
  const blocks: { readonly start: number; readonly end: number; readonly block: Block }[] = [];
  let size = 0;
  for await (const block of dataBlocks(file, link, 'SD', seen)) {
    const end = size + unpackedBytes(block);
    blocks.push({ start: size, end, block });
    size = end;
  }
  const owner = {};

  const remember = (piece: Piece): void => {
    forget(memory, owner);
    memory.pieces.set(owner, piece);
    memory.bytes += piece.bytes.length;
    for (const other of memory.pieces.keys()) {
      if (memory.bytes <= mostInMemory || other === owner) break;
      forget(memory, other);
    }
  };

  /** The bytes at a place, as many as one block has of them. */
  const load = async (offset: number, length: number): Promise<Uint8Array> => {
    const { start, end, block } = blocks[placeOf(blocks, offset)]!;
    const piece =
      block.kind === 'DZ'
        ? { start, bytes: await inflateBlock(file, block) }
        : {
            start: offset,
            bytes: await file.read(
              block.dataOffset + offset - start,
              Math.min(end - offset, Math.max(length, pieceBytes)),
            ),
          };
    remember(piece);
    return piece.bytes.subarray(offset - piece.start, offset - piece.start + length);
  };

  const inMemory = (offset: number, length: number): Uint8Array | undefined => {
    const piece = memory.pieces.get(owner);
    if (piece === undefined || offset < piece.start) return undefined;
    const at = offset - piece.start;
    return at + length <= piece.bytes.length ? piece.bytes.subarray(at, at + length) : undefined;
  };

  const bytesAt = async (offset: number, length: number): Promise<Uint8Array> => {
    const found = inMemory(offset, length);
    if (found !== undefined) return found;
    if (offset + length > size)
      throw new FileFault(`a value stands at ${offset} of ${size} bytes of values`, link || undefined);
    const whole = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      const piece = await load(offset + done, length - done);
      whole.set(piece, done);
      done += piece.length;
    }
    return whole;
  };

  return {
    valueInMemory(offset) {
      const head = inMemory(offset, lengthBytes);
      return head && inMemory(offset + lengthBytes, lengthOf(head));
    },
    async valueAt(offset) {
      const length = lengthOf(await bytesAt(offset, lengthBytes));
      if (length > longestValue)
        throw new FileFault(`a value has ${length} bytes; ${longestValue} are read at most`, link);
      return bytesAt(offset + lengthBytes, length);
    },
  };
}

function forget(memory: PieceMemory, owner: object): void {
  memory.bytes -= memory.pieces.get(owner)?.bytes.length ?? 0;
  memory.pieces.delete(owner);
}

function lengthOf(head: Uint8Array): number {
  return new DataView(head.buffer, head.byteOffset).getUint32(0, true);
}

/** Which block has that place; those before it end where it begins. */
function placeOf(blocks: readonly { readonly end: number }[], offset: number): number {
  let [low, high] = [0, blocks.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (blocks[middle]!.end > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}
