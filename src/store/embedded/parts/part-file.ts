import { read } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { IndexBudget } from './cached-index.ts';
import { type FilePool, filePool } from './file-pool.ts';
import type { PartFile } from './part-bytes.ts';
import type { FileCache } from './part-cache.ts';
import { openPart, type PartReader } from './part-reader.ts';

/** A part whose footer was read. Its file is open while the pool has room for it. */
export interface OpenPart {
  readonly file: PartFile;
  readonly reader: PartReader;
  close(): Promise<void>;
}

export interface PartFileOptions {
  /** By default nothing is kept. */
  readonly cache?: FileCache;
  /** By default the index is kept until the part is closed. */
  readonly indexes?: IndexBudget;
  /** By default the file stays open until it is closed. */
  readonly files?: FilePool;
}

export async function openPartFile(path: string, options: PartFileOptions = {}): Promise<OpenPart> {
  const { cache, indexes, files = filePool(1) } = options;
  const pooled = files.file(path);
  try {
    const size = await pooled.use(async (handle) => (await handle.stat()).size);
    const load = (position: number, length: number) =>
      pooled.use((handle) => readAt(handle, position, length));
    const file: PartFile =
      cache === undefined
        ? { name: path, size, read: load }
        : {
            name: path,
            size,
            read: (position, length) => cache.read(position, length, () => load(position, length)),
            readFresh: load,
            held: cache.held,
            putBytes: cache.put,
            markOf: cache.markOf,
            keep: cache.keep,
          };
    const reader = await openPart(file, indexes);
    const close = () => {
      cache?.close();
      reader.dropIndex();
      return pooled.close();
    };
    return { file, reader, close };
  } catch (error) {
    await pooled.close();
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
