import { DamagedError } from '../files/damage.ts';
import type { CachedItems, FileCache } from './part-cache.ts';

/** A part file as the reader sees it; `read` gives fresh bytes, fewer than asked only at the file's end. */
export interface PartFile {
  readonly name: string;
  readonly size: number;
  read(position: number, length: number): Promise<Buffer>;
  /** Reads past the cache, where there is one. */
  readFresh?(position: number, length: number): Promise<Buffer>;
  /** What `read` gives if it takes no reading. */
  held?(position: number, length: number): Buffer | undefined;
  /** Puts what was read past the cache into it: gives the bytes that are kept, a copy, or the same where they are not kept. */
  putBytes?(position: number, bytes: Buffer): Buffer;
  /** Whether bytes were checked already; without it each use checks anew. */
  readonly markOf?: FileCache['markOf'];
  /** Room for what is decoded; without it each use decodes anew. */
  keep?<Item>(): CachedItems<Item>;
}

/** Exactly so many bytes. Rejects with DamagedError where the file ends before them. */
export async function readExactly(file: PartFile, position: number, length: number): Promise<Buffer> {
  const bytes = await file.read(position, length);
  if (bytes.length !== length) {
    throw new DamagedError(file.name, position, position + length, 'the file ends before these bytes');
  }
  return bytes;
}
