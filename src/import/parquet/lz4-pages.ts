import {
  addLz4Block,
  decompressLz4,
  decompressLz4Block,
  isLz4Frame,
  Lz4Fault,
  lz4Output,
} from '../compression/lz4.ts';

/**
 * What Parquet calls LZ4: pieces as Hadoop frames them, and what old writers put there instead, a frame of LZ4 or a bare
 * block. Throws an Lz4Fault.
 */
export function decompressLz4Page(input: Uint8Array, size: number): Uint8Array {
  if (isLz4Frame(input)) return decompressLz4(input, size);
  return decompressHadoop(input, size) ?? decompressLz4Block(input, size);
}

/**
 * Pieces: uint32 bytes of the piece, then blocks until it has them, each behind its own uint32 bytes; all of them big-endian.
 * Undefined where these are none.
 */
function decompressHadoop(input: Uint8Array, size: number): Uint8Array | undefined {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  const output = lz4Output(input, size);
  let at = 0;
  let written = 0;
  const number = (): number => {
    at += 4;
    return at > input.length ? -1 : view.getUint32(at - 4);
  };
  while (at < input.length) {
    const end = written + number();
    if (end < written || end > size) return undefined;
    while (written < end) {
      const length = number();
      if (length < 0 || at + length > input.length) return undefined;
      try {
        written = addLz4Block(input.subarray(at, at + length), output.subarray(0, end), written);
      } catch (error) {
        if (!(error instanceof Lz4Fault)) throw error;
        return undefined;
      }
      at += length;
    }
  }
  return written === size ? output : undefined;
}
