import { type FileBytes, FileFault, readPiece } from '../file-bytes.ts';
import { createXxh64 } from './xxh64.ts';

const mark = 0xfd2fb528;
const firstSkipped = 0x184d2a50;
const hasChecksum = 0x04;
const isSingle = 0x20;
const runBlock = 1;
const reservedBlock = 3;
const mostBlock = 128 << 10;

/** The largest window that zstd's own programs take without being told to. */
const mostWindow = 128 << 20;

/** The library moves the whole window with each block: so many bytes at first, and then so many for each one that comes out. */
const [mostMoved, movedForEach] = [2 ** 37, 2048];

/**
 * The bytes of a file of zstd frames (RFC 8878), one after the other, in pieces. No more than a window and a block is in memory.
 * Throws a FileFault, also where a checksum is another one.
 * @param isChecked whether to compare checksums, which takes longer
 */
export async function* zstdPieces(
  file: FileBytes,
  isChecked: boolean,
): AsyncGenerator<Uint8Array, void, void> {
  const { Decompress } = await import('fzstd');
  let at = 0;
  while (at < file.size) {
    const head = await readPiece(file, at, Math.min(18, file.size - at), 'a zstd frame');
    if (head.byteLength < 8) throw new FileFault('this is no zstd frame', at);
    const found = head.getUint32(0, true);
    if (found >>> 4 === firstSkipped >>> 4) {
      at += 8 + head.getUint32(4, true);
      continue;
    }
    if (found !== mark) throw new FileFault('this is no zstd frame', at);
    at = yield* framePieces(file, at, head, Decompress, isChecked);
  }
}

async function* framePieces(
  file: FileBytes,
  from: number,
  head: DataView,
  Decompress: typeof import('fzstd').Decompress,
  isChecked: boolean,
): AsyncGenerator<Uint8Array, number, void> {
  const { length, window, flags } = frameHead(head, from);
  if (window > mostWindow)
    throw new FileFault(`the zstd frame needs ${window} bytes of memory; ${mostWindow} are the most`, from);
  let pieces: Uint8Array[] = [];
  const decompress = new Decompress((piece) => {
    if (piece.length > 0) pieces.push(piece);
  });
  const hash = isChecked && (flags & hasChecksum) !== 0 ? createXxh64() : undefined;
  const push = (bytes: Uint8Array): void => {
    try {
      decompress.push(bytes);
    } catch (error) {
      throw new FileFault(`the zstd frame is damaged: ${(error as Error).message}`, from);
    }
  };
  let moved = 0;
  let written = 0;
  let at = from + length;
  const first = await readPiece(file, from, length, 'a zstd frame');
  push(new Uint8Array(first.buffer, first.byteOffset, first.byteLength));
  for (let isLast = false; !isLast; ) {
    const blockHead = await readPiece(file, at, 3, 'a zstd block');
    const word = blockHead.getUint16(0, true) | (blockHead.getUint8(2) << 16);
    isLast = (word & 1) === 1;
    const kind = (word >> 1) & 3;
    const size = kind === runBlock ? 1 : word >> 3;
    if (kind === reservedBlock || word >> 3 > mostBlock) throw new FileFault('the zstd block is damaged', at);
    moved += window;
    if (moved > mostMoved + movedForEach * written)
      throw new FileFault('there are too many zstd blocks for so large a window', at);
    const block = await readPiece(file, at, 3 + size, 'a zstd block');
    at += 3 + size;
    push(new Uint8Array(block.buffer, block.byteOffset, block.byteLength));
    const ready = pieces;
    pieces = [];
    for (const piece of ready) {
      hash?.add(piece);
      written += piece.length;
      yield piece;
    }
  }
  if ((flags & hasChecksum) === 0) return at;
  const sum = await readPiece(file, at, 4, 'the checksum of a zstd frame');
  if (hash !== undefined && BigInt(sum.getUint32(0, true)) !== (hash.end() & 0xffff_ffffn))
    throw new FileFault('the checksum of the zstd frame is another one: the file is damaged', at);
  return at + 4;
}

/** How long the head of a frame is, and how many bytes of memory it asks for. */
function frameHead(view: DataView, from: number): { length: number; window: number; flags: number } {
  const flags = view.getUint8(4);
  const isAlone = (flags & isSingle) !== 0;
  const width = [isAlone ? 1 : 0, 2, 4, 8][flags >> 6]!;
  const contentAt = 5 + (isAlone ? 0 : 1) + [0, 1, 2, 4][flags & 3]!;
  const length = contentAt + width;
  if (length > view.byteLength) throw new FileFault('the zstd frame ends too early', from);
  if ((flags & 3) !== 0) throw new FileFault('the zstd frame needs a dictionary, which is not here', from);
  if (!isAlone) {
    const form = view.getUint8(5);
    const least = 2 ** (10 + (form >> 3));
    return { length, window: least + (least / 8) * (form & 7), flags };
  }
  const content = [
    () => view.getUint8(contentAt),
    () => view.getUint16(contentAt, true) + 256,
    () => view.getUint32(contentAt, true),
    () => Number(view.getBigUint64(contentAt, true)),
  ][flags >> 6]!();
  return { length, window: content, flags };
}
