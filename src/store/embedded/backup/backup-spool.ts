import { randomBytes } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArchiveFile } from './backup-archive.ts';

/** A file without a name: it ends with its last reader, also where the process is killed. */
export interface Spool {
  append(bytes: Uint8Array): Promise<void>;
  /** Bytes so far. */
  readonly size: number;
  /** The bytes [from, to) as a file of an archive. */
  file(name: string, from: number, to: number): ArchiveFile;
  close(): Promise<void>;
}

/** The bytes from one sync to the next, so that no sync of a record waits long for it. */
const stepBytes = 1 << 20;

export async function openSpool(directory: string): Promise<Spool> {
  const path = join(directory, `backup-${randomBytes(6).toString('hex')}.tmp`);
  const handle = await open(path, 'wx+', 0o600);
  await unlink(path);
  let size = 0;
  return {
    async append(bytes) {
      for (let at = 0; at < bytes.length; at += stepBytes) {
        await writeAt(handle, bytes.subarray(at, at + stepBytes), size);
        await handle.datasync();
        size += Math.min(stepBytes, bytes.length - at);
      }
    },
    get size() {
      return size;
    },
    file: (name, from, to) => ({ name, size: to - from, read: () => readRange(handle, from, to) }),
    close: () => handle.close(),
  };
}

async function writeAt(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
}

/** The bytes of one read: long enough to keep a disk busy, short enough to hash between two requests. */
const readBytes = 256 * 1024;

/** The bytes [from, to) of a file. Throws where it has fewer. */
export async function* readRange(handle: FileHandle, from: number, to: number): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to; ) {
    const wanted = Math.min(readBytes, to - at);
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, at);
    if (bytesRead === 0) throw new Error(`the file ends at byte ${at}; ${to} were expected`);
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}
