import { constants, write } from 'node:fs';
import { type FileHandle, open, readdir, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The file operations of the commit log, as narrow as it needs them. Three forms exist: this real one, and in
 * the tests one that injects faults and one that simulates a power cut. Names are relative to one directory.
 */
export interface Files {
  list(): Promise<string[]>;
  /** Opens for reading and writing; `create` makes a new, empty file. */
  open(name: string, create: boolean): Promise<LogFile>;
  /** Takes effect durably only after `syncDirectory`. */
  rename(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
  syncDirectory(): Promise<void>;
}

export interface LogFile {
  /** Bytes written, which may be fewer than were given. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  /** Resolves when everything written to this file is on disk. */
  sync(): Promise<void>;
  /** Lets go of what is behind so many bytes; durably after `sync`. */
  truncate(bytes: number): Promise<void>;
  size(): Promise<number>;
  /** Bytes read into `into`, fewer only at the end of the file. */
  read(into: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
}

/**
 * On Linux a write to a segment is on disk when it returns (O_DSYNC): one trip to the thread pool for a group commit
 * instead of two. Elsewhere the flag promises less, and `sync` does the work.
 */
const writesAreDurable = process.platform === 'linux';

export function realFiles(directory: string): Files {
  const path = (name: string) => join(directory, name);
  return {
    list: () => namesIn(directory),
    async open(name, create) {
      const durable = writesAreDurable ? constants.O_DSYNC : 0;
      const flags = constants.O_RDWR | durable | (create ? constants.O_CREAT | constants.O_EXCL : 0);
      return realFile(await open(path(name), flags, 0o600));
    },
    rename: (from, to) => rename(path(from), path(to)),
    remove: (name) => unlink(path(name)),
    syncDirectory: () => syncDirectory(directory),
  };
}

/** The same for who changes nothing, also on a file system that is mounted to be read. */
export function filesToRead(directory: string): Files {
  return {
    ...realFiles(directory),
    open: async (name) => realFile(await open(join(directory, name), constants.O_RDONLY)),
  };
}

function realFile(handle: FileHandle): LogFile {
  /** Whether a process before this one may have left bytes that are in memory only. */
  let inherited = true;
  return {
    write: (bytes, position) => writeOnce(handle.fd, bytes, position),
    async sync() {
      if (writesAreDurable && !inherited) return;
      await handle.datasync();
      inherited = false;
    },
    truncate: (bytes) => handle.truncate(bytes),
    size: async () => (await handle.stat()).size,
    read: async (into, position) => (await handle.read(into, 0, into.length, position)).bytesRead,
    close: () => handle.close(),
  };
}

/** The callback form, which costs a fraction of the file handle's own method. */
function writeOnce(file: number, bytes: Uint8Array, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(file, bytes, 0, bytes.length, position, (error, written) => {
      if (error === null) resolve(written);
      else reject(error);
    });
  });
}

/** The names in a directory; none where it is missing. */
export async function namesIn(directory: string): Promise<string[]> {
  return await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}

/** Makes names created, renamed or removed in a directory durable. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes all of `bytes`, however many calls that takes. */
export async function writeWhole(file: LogFile, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const written = await file.write(done === 0 ? bytes : bytes.subarray(done), position + done);
    if (written <= 0) throw new Error(`the file took none of ${bytes.length - done} bytes`);
    done += written;
  }
}

/** Zeros are written in steps of this size, so that nothing else waits long for one. */
const zeros = new Uint8Array(1 << 20);

/** Overwrites the bytes [from, to) with zeros, calling `onStep` after each step. */
export async function writeZeros(
  file: LogFile,
  from: number,
  to: number,
  onStep: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  for (let at = from; at < to; at += zeros.length) {
    await writeWhole(file, zeros.subarray(0, Math.min(zeros.length, to - at)), at);
    await onStep();
  }
}

/** Whether an operation failed because the disk, or the share of it that this user may have, is full. */
export function isNoSpace(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** Whether an operation failed because the disk cannot read or write there. */
export function isDiskError(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'EIO';
}

/** Whether a directory's disk, or the share of it that this user may have, takes no more: tried with a file of 1 MiB. */
export async function isFull(directory: string): Promise<boolean> {
  const path = join(directory, 'probe');
  try {
    const handle = await open(path, 'w', 0o600);
    try {
      await handle.writeFile(zeros);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    return false;
  } catch (error) {
    return isNoSpace(error);
  } finally {
    await unlink(path).catch(() => undefined);
  }
}

/** Reads until `into` is full or the file ends; returns the bytes read. */
export async function readWhole(file: LogFile, into: Uint8Array, position: number): Promise<number> {
  let done = 0;
  while (done < into.length) {
    const read = await file.read(done === 0 ? into : into.subarray(done), position + done);
    if (read === 0) break;
    done += read;
  }
  return done;
}
