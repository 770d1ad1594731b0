import { crc32 } from '../compression/crc32.ts';
import { decompressLz4 } from '../compression/lz4.ts';
import { decompressZstd } from '../compression/zstd.ts';
import { FileFault } from '../file-bytes.ts';
import { FieldReader, longestRecord, type McapRecord } from './records.ts';

export interface ChunkBytes {
  readonly bytes: Uint8Array;
  /** Whether the chunk has a checksum. */
  readonly isChecked: boolean;
}

/**
 * The records of a chunk: uint64 first and last time, uint64 size, uint32 checksum or 0, string compression, uint64
 * length, then the bytes. Throws a FileFault.
 */
export async function chunkBytes(record: McapRecord): Promise<ChunkBytes> {
  const fields = new FieldReader(record);
  fields.uint64();
  fields.uint64();
  const size = Number(fields.uint64());
  const checksum = fields.uint32();
  const compression = fields.text();
  const bytes = fields.bytes(Number(fields.uint64()));
  const { offset } = record;
  if (compression === '') return checked(bytes, checksum, offset);
  if (size > longestRecord) {
    throw new FileFault(`a chunk holds ${size} bytes; ${longestRecord} are read at most`, offset);
  }
  if (compression !== 'lz4' && compression !== 'zstd') {
    throw new FileFault(`the compression ${compression} of a chunk is not read, only lz4 and zstd`, offset);
  }
  let whole: Uint8Array;
  try {
    whole = await (compression === 'lz4'
      ? decompressLz4(bytes, size)
      : decompressZstd(bytes, size, longestRecord));
  } catch (error) {
    throw new FileFault(`a chunk cannot be decompressed: ${(error as Error).message}`, offset);
  }
  return checked(whole, checksum, offset);
}

function checked(bytes: Uint8Array, checksum: number, offset: number): ChunkBytes {
  if (checksum !== 0 && checksum !== crc32(bytes))
    throw new FileFault('the checksum of a chunk is another one: the file is damaged', offset);
  return { bytes, isChecked: checksum !== 0 };
}
