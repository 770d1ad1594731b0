/** What is wrong with compressed bytes. */
export class ZstdFault extends Error {}

/**
 * The bytes of zstd frames (RFC 8878), which are known to be `size`. Throws a ZstdFault, or what the library throws.
 * @param mostWindow no frame may need more memory
 */
export async function decompressZstd(
  bytes: Uint8Array,
  size: number,
  mostWindow: number,
): Promise<Uint8Array> {
  const { Decompress } = await import('fzstd');
  return decompressZstdBy(Decompress, bytes, size, mostWindow);
}

/** Decompresses zstd with the library that was loaded before. */
export function decompressZstdBy(
  Decompress: typeof import('fzstd').Decompress,
  bytes: Uint8Array,
  size: number,
  mostWindow: number,
): Uint8Array {
  checkFrames(bytes, size, mostWindow);
  const output = new Uint8Array(size);
  let written = 0;
  const decompress = new Decompress((piece) => {
    if (written + piece.length > size) throw new ZstdFault(`there are more than ${size} bytes`);
    output.set(piece, written);
    written += piece.length;
  });
  decompress.push(bytes, true);
  if (written !== size) throw new ZstdFault(`there are ${written} bytes of ${size}`);
  return output;
}

const mark = 0xfd2fb528;
const firstSkipped = 0x184d2a50;
const hasChecksum = 0x04;
const isSingle = 0x20;
const runBlock = 1;

/** Bytes that windows move by: some seconds. 64 MiB in the usual blocks of 128 KiB, with a window as large, move half of it. */
const mostMoved = 2 ** 36;

/**
 * The library takes the memory that the head of a frame asks for before it has read more, and moves all of it with each block,
 * be that empty: heads of frames and of blocks are looked at before.
 */
function checkFrames(bytes: Uint8Array, size: number, mostWindow: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const need = (at: number, count: number): number => {
    if (at + count > bytes.length) throw new ZstdFault('the compressed bytes end too early');
    return at + count;
  };
  let moved = 0;
  const move = (window: number): void => {
    moved += window;
    if (moved > mostMoved) throw new ZstdFault('there are too many blocks for so large a window');
  };
  const frameFrom = (from: number): number => {
    let at = need(from, 5);
    const flags = view.getUint8(from + 4);
    let window = 0;
    if ((flags & isSingle) === 0) {
      const form = view.getUint8(need(at, 1) - 1);
      const least = 2 ** (10 + (form >> 3));
      if (least > Math.max(mostWindow, size) * 2) throw new ZstdFault('the window is too large');
      window = least + (least / 8) * (form & 7);
      at++;
    }
    at = need(at, [0, 1, 2, 4][flags & 3]!);
    const width = [(flags & isSingle) === 0 ? 0 : 1, 2, 4, 8][flags >> 6]!;
    need(at, width);
    const content = contentOf(view, at, width);
    if (content > size) throw new ZstdFault(`there are more than ${size} bytes`);
    if ((flags & isSingle) !== 0) window = content;
    move(window);
    at += width;
    for (let isLast = false; !isLast; ) {
      move(window);
      const head = view.getUint16(need(at, 3) - 3, true) | (view.getUint8(at + 2) << 16);
      isLast = (head & 1) === 1;
      at = need(at + 3, ((head >> 1) & 3) === runBlock ? 1 : head >> 3);
    }
    return need(at, (flags & hasChecksum) === 0 ? 0 : 4);
  };
  for (let at = 0; at < bytes.length; ) {
    need(at, 8);
    const found = view.getUint32(at, true);
    if (found >>> 4 === firstSkipped >>> 4) at = need(at + 8, view.getUint32(at + 4, true));
    else if (found === mark) at = frameFrom(at);
    else throw new ZstdFault('this is no zstd frame');
  }
}

/** How many bytes a frame says that it holds; 0 where it does not say it. */
function contentOf(view: DataView, at: number, width: number): number {
  if (width === 1) return view.getUint8(at);
  if (width === 2) return view.getUint16(at, true) + 256;
  if (width === 4) return view.getUint32(at, true);
  return width === 8 ? Number(view.getBigUint64(at, true)) : 0;
}
