import { FileFault } from '../file-bytes.ts';
import { decompressLz4 } from './lz4.ts';
import { FieldReader, longestRecord, type McapRecord } from './records.ts';

/**
 * The records of a chunk: uint64 first and last time, uint64 size, uint32 checksum, string compression, uint64 length,
 * then the bytes. Throws a FileFault.
 */
export async function chunkBytes(record: McapRecord): Promise<Uint8Array> {
  const fields = new FieldReader(record);
  fields.uint64();
  fields.uint64();
  const size = Number(fields.uint64());
  fields.uint32();
  const compression = fields.text();
  const bytes = fields.bytes(Number(fields.uint64()));
  const { offset } = record;
  if (compression === '') return bytes;
  if (size > longestRecord) {
    throw new FileFault(`a chunk holds ${size} bytes; ${longestRecord} are read at most`, offset);
  }
  try {
    if (compression === 'lz4') return decompressLz4(bytes, size);
    if (compression === 'zstd') return await decompressZstd(bytes, size);
  } catch (error) {
    throw new FileFault(`a chunk cannot be decompressed: ${(error as Error).message}`, offset);
  }
  throw new FileFault(`the compression ${compression} of a chunk is not read, only lz4 and zstd`, offset);
}

async function decompressZstd(bytes: Uint8Array, size: number): Promise<Uint8Array> {
  const { Decompress } = await import('fzstd');
  checkZstdSize(bytes, size);
  const output = new Uint8Array(size);
  let written = 0;
  const decompress = new Decompress((piece) => {
    if (written + piece.length > size) throw new Error(`there are more than ${size} bytes`);
    output.set(piece, written);
    written += piece.length;
  });
  decompress.push(bytes, true);
  if (written !== size) throw new Error(`there are ${written} bytes of ${size}`);
  return output;
}

/** What a frame says of its content; a window that is larger than all it holds would take memory for nothing. */
function checkZstdSize(bytes: Uint8Array, size: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 6 || view.getUint32(0, true) !== 0xfd2fb528) throw new Error('this is no zstd frame');
  const flags = view.getUint8(4);
  if ((flags & 0x20) === 0) {
    const exponent = view.getUint8(5) >> 3;
    if (2 ** (10 + exponent) > Math.max(longestRecord, size) * 2) throw new Error('the window is too large');
  }
}
