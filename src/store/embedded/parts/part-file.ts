import { read } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { PartCache } from './block-cache.ts';
import { openPart, type PartFile, type PartReader } from './part-reader.ts';

/** A part with its file held open, so that a read goes on after the file was unlinked. */
export interface OpenPart {
  readonly file: PartFile;
  readonly reader: PartReader;
  close(): Promise<void>;
}

export async function openPartFile(
  path: string,
  cache: PartCache = { read: (_position, _length, load) => load(), held: () => undefined },
): Promise<OpenPart> {
  const handle = await open(path, 'r');
  try {
    const file: PartFile = {
      name: path,
      size: (await handle.stat()).size,
      read: (position, length) => cache.read(position, length, () => readAt(handle, position, length)),
      held: cache.held,
    };
    return { file, reader: await openPart(file), close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  let done = 0;
  while (done < length) {
    const read = await readOnce(handle.fd, bytes, done, position + done);
    if (read === 0) break;
    done += read;
  }
  return done === length ? bytes : bytes.subarray(0, done);
}

/** The callback form, which costs a third of the file handle's own method. */
function readOnce(file: number, bytes: Buffer, at: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(file, bytes, at, bytes.length - at, position, (error, count) => {
      if (error === null) resolve(count);
      else reject(error);
    });
  });
}
