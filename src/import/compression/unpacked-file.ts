import { type FileBytes, FileFault } from '../file-bytes.ts';
import { gzipPieces } from './gzip-pieces.ts';
import { zstdPieces } from './zstd-pieces.ts';

/** How a file is packed, by the end of its name. */
export type Packing = 'gzip' | 'zstd';

const packings: Readonly<Record<string, Packing>> = { '.gz': 'gzip', '.zst': 'zstd', '.zstd': 'zstd' };
const packedEnd = /\.(?:gz|zst|zstd)$/i;

/** Undefined for a file that is not packed. */
export function packingOf(name: string): Packing | undefined {
  const end = packedEnd.exec(name)?.[0].toLowerCase();
  return end === undefined ? undefined : packings[end];
}

/** The name of what is packed in a file. */
export function unpackedName(name: string): string {
  return name.replace(packedEnd, '');
}

/**
 * Opens what a packed file holds as a file of its own. It is unpacked once to its end, which finds all damage and tells
 * its size, and then again as it is read; a read before the place of the last one begins from the start. Takes little
 * memory, whatever comes out.
 * Throws a FileFault.
 */
export async function unpackedFile(file: FileBytes, packing: Packing): Promise<FileBytes> {
  const pieces = (isChecked: boolean): AsyncGenerator<Uint8Array, void, void> =>
    packing === 'gzip' ? gzipPieces(file) : zstdPieces(file, isChecked);
  let size = 0;
  for await (const piece of pieces(true)) size += piece.length;
  if (file.size === 0) throw new FileFault(`it cannot be unpacked as ${packing}: it is empty`, undefined);

  let source: AsyncGenerator<Uint8Array, void, void> | undefined;
  let piece = new Uint8Array();
  /** Where the piece begins. */
  let start = 0;
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    if (source === undefined || offset < start) {
      await source?.return();
      source = pieces(false);
      piece = new Uint8Array();
      start = 0;
    }
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      const from = offset + done - start;
      if (from < piece.length) {
        const part = piece.subarray(from, from + length - done);
        bytes.set(part, done);
        done += part.length;
        continue;
      }
      start += piece.length;
      const { value, done: isEnd } = await source.next();
      if (isEnd === true) throw new FileFault('the file became shorter while it was read', undefined);
      piece = value as Uint8Array<ArrayBuffer>;
    }
    return bytes;
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    size,
    read(offset, length) {
      // One after the other: there is one place.
      const next = last.then(() => read(offset, length));
      last = next.catch(() => undefined);
      return next;
    },
  };
}
