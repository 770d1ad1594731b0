import { type FileBytes, FileFault } from '../file-bytes.ts';
import { crc32 } from './crc32.ts';

/** The bytes that are read at once and unpacked at once: that may become a thousand times as much. */
const pieceBytes = 64 << 10;
const stepBytes = 4 << 10;

/** What stands behind each member: the checksum and the size of what it holds. */
const trailerBytes = 8;

/**
 * The bytes of a gzip file (RFC 1952), of all its members, in pieces. Throws a FileFault, also where a checksum is another one, and
 * where the file ends too early, or has something else behind its last member.
 */
export async function* gzipPieces(file: FileBytes): AsyncGenerator<Uint8Array, void, void> {
  /** What came of the bytes that were given last, and where members begin between it. */
  let found: (Uint8Array | number)[] = [];
  const { Gunzip } = await import('fflate');
  const gunzip = new Gunzip((bytes) => found.push(bytes));
  gunzip.onmember = (offset) => found.push(offset);
  let crc = 0;
  let size = 0;
  for (let at = 0; at < file.size; ) {
    const length = Math.min(pieceBytes, file.size - at);
    const bytes = await file.read(at, length);
    at += length;
    for (let from = 0; from < length; from += stepBytes) {
      const isLast = at === file.size && from + stepBytes >= length;
      found = [];
      unpack(() => gunzip.push(bytes.subarray(from, from + stepBytes), isLast));
      for (const piece of found) {
        if (typeof piece !== 'number') {
          if (piece.length === 0) continue;
          crc = crc32(piece, crc);
          size += piece.length;
          yield piece;
        } else if (piece > 0) {
          await check(file, piece, crc, size);
          [crc, size] = [0, 0];
        }
      }
    }
  }
  if (file.size > 0) await check(file, file.size, crc, size);
}

/** @param end where the member ends that holds so many bytes with this checksum */
async function check(file: FileBytes, end: number, crc: number, size: number): Promise<void> {
  if (end < trailerBytes) throw notGzip('it ends too early');
  const trailer = await file.read(end - trailerBytes, trailerBytes);
  const numbers = new DataView(trailer.buffer, trailer.byteOffset, trailerBytes);
  if (numbers.getUint32(0, true) !== crc >>> 0) throw notGzip('its checksum is another one');
  if (numbers.getUint32(4, true) !== size % 2 ** 32) throw notGzip('its size is another one');
}

function unpack(step: () => void): void {
  try {
    step();
  } catch (error) {
    throw notGzip((error as Error).message);
  }
}

function notGzip(why: string): FileFault {
  return new FileFault(`it cannot be unpacked as gzip: ${why}`, undefined);
}
