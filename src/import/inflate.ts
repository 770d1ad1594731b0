import { FileFault } from './file-bytes.ts';

/**
 * Inflates bytes in the form of zlib (RFC 1950). Throws a FileFault where there are more or fewer bytes than `size`, before they are all in memory.
 * @param what of the file it is, such as `a block`, and where it stands
 */
export async function inflate(
  packed: Uint8Array,
  size: number,
  what: string,
  offset: number,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let done = 0;
  const source = new Blob([packed as Uint8Array<ArrayBuffer>]).stream();
  const reader = source.pipeThrough(new DecompressionStream('deflate')).getReader();
  try {
    for (;;) {
      const { done: isEnd, value } = await reader.read();
      if (isEnd) break;
      if (done + value.length > size) throw new FileFault(`${what} has more than its ${size} bytes`, offset);
      bytes.set(value, done);
      done += value.length;
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined);
    if (error instanceof FileFault) throw error;
    throw new FileFault(`${what} cannot be inflated: ${(error as Error).message}`, offset);
  }
  if (done < size) throw new FileFault(`${what} has ${done} of its ${size} bytes`, offset);
  return bytes;
}
