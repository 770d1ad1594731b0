// To be loaded first, in every thread: `node --import lossy-disk.js`. It stands below the store, where the files of Node
// are: files under the folder SIMULATED_DISK are written as they are, but a sync is only noted (disk-record.ts), and
// operations fail while a fault is asked for. Nothing is done to other files.

import fs, { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import fsp, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { type DiskRecord, diskRecord } from './disk-record.ts';

export type Operation = 'open' | 'write' | 'sync' | 'rename' | 'unlink';

/**
 * Of the operations that match, in each thread by itself, those number `first` to `first + times - 1` fail. `short`
 * writes a part and says so.
 */
export interface DiskFault {
  readonly code: 'EIO' | 'ENOSPC' | 'EMFILE' | 'short';
  readonly operations: readonly Operation[];
  /** What stands in the paths that are meant; '' for all. */
  readonly path: string;
  readonly first: number;
  readonly times: number;
}

interface PlacedFault extends DiskFault {
  readonly serial: number;
}

export interface LossyDisk {
  readonly record: DiskRecord;
  /** Operations that failed in this thread. */
  readonly hits: number;
  /** Undefined ends the faults. */
  fail(fault: DiskFault | undefined): void;
}

export const diskVariable = 'SIMULATED_DISK';
const root = process.env[diskVariable];

/** Undefined where the process was not told of a folder. */
export const lossyDisk: LossyDisk | undefined = root === undefined ? undefined : install(root);

function install(folder: string): LossyDisk {
  const data = `${join(folder, 'data')}`;
  const record = diskRecord(join(folder, 'synced'));
  const faultPath = join(folder, 'fault.json');
  const real = { ...fs };
  const realPromises = { ...fsp };
  /** Open files of this thread, by descriptor; `durable`: each write is a sync too. */
  const open = new Map<
    number,
    { readonly path: string; readonly durable: boolean; readonly isFolder: boolean }
  >();
  let counted = { serial: 0, count: 0 };
  let serial = 0;
  let hits = 0;

  const isOurs = (path: unknown): path is string => typeof path === 'string' && path.startsWith(data);

  /** The fault that this operation meets. */
  function strikes(operation: Operation, path: string): DiskFault['code'] | undefined {
    let fault: PlacedFault;
    try {
      fault = JSON.parse(readFileSync(faultPath, 'utf8')) as PlacedFault;
    } catch {
      return undefined;
    }
    if (!fault.operations.includes(operation) || !path.includes(fault.path)) return undefined;
    if (fault.serial !== counted.serial) counted = { serial: fault.serial, count: 0 };
    const number = counted.count++;
    if (number < fault.first || number >= fault.first + fault.times) return undefined;
    hits++;
    return fault.code;
  }

  function failure(code: string, operation: string, path: string): Error {
    return Object.assign(new Error(`${code}: injected, ${operation} '${path}'`), {
      code,
      syscall: operation,
    });
  }

  function meet(operation: Operation, path: string): void {
    const code = strikes(operation, path);
    if (code !== undefined && code !== 'short') throw failure(code, operation, path);
  }

  function synced(descriptor: number): void {
    const file = open.get(descriptor);
    if (file === undefined) return;
    meet('sync', file.path);
    if (file.isFolder) record.folderSynced(file.path);
    else record.fileSynced(descriptor);
  }

  function withoutSync(flags: unknown): { flags: unknown; durable: boolean } {
    if (typeof flags !== 'number') return { flags, durable: false };
    const bit = fs.constants.O_DSYNC ?? 0;
    return { flags: flags & ~bit, durable: bit !== 0 && (flags & bit) !== 0 };
  }

  function opened(descriptor: number, path: string, durable: boolean): void {
    open.set(descriptor, { path, durable, isFolder: real.fstatSync(descriptor).isDirectory() });
  }

  /** What a write puts down: all of it, or a part where the fault is a short write. */
  function toWrite(path: string, length: number): number {
    const code = strikes('write', path);
    if (code === undefined) return length;
    if (code !== 'short') throw failure(code, 'write', path);
    return Math.max(1, Math.floor(length * 0.6));
  }

  function wrap(handle: FileHandle, path: string): FileHandle {
    const { fd } = handle;
    const plain = {
      write: handle.write.bind(handle) as (
        bytes: Uint8Array,
        offset?: number,
        length?: number,
        position?: number,
      ) => Promise<{ bytesWritten: number; buffer: Uint8Array }>,
      writeFile: handle.writeFile.bind(handle),
      truncate: handle.truncate.bind(handle),
      close: handle.close.bind(handle),
    };
    const sync = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      synced(fd);
    };
    return Object.assign(handle, {
      write: async (bytes: Uint8Array, offset = 0, length = bytes.length - offset, position?: number) =>
        plain.write(bytes, offset, toWrite(path, length), position),
      writeFile: async (content: Uint8Array | string) => {
        const code = strikes('write', path);
        if (code !== undefined) {
          const bytes = Buffer.from(content as Uint8Array);
          await plain.writeFile(bytes.subarray(0, bytes.length >> 1));
          throw failure(code === 'short' ? 'EIO' : code, 'write', path);
        }
        await plain.writeFile(content);
      },
      truncate: async (length?: number) => {
        meet('write', path);
        await plain.truncate(length);
      },
      sync,
      datasync: sync,
      close: async () => {
        open.delete(fd);
        await plain.close();
      },
    });
  }

  type WriteCallback = (error: Error | null, written?: number) => void;

  Object.assign(fs, {
    openSync(path: string, flags: unknown, mode?: number) {
      if (!isOurs(path)) return real.openSync(path, flags as string, mode);
      if (flags !== 'r') meet('open', path);
      const asked = withoutSync(flags);
      const descriptor = real.openSync(path, asked.flags as string, mode);
      opened(descriptor, path, asked.durable);
      return descriptor;
    },
    closeSync(descriptor: number) {
      open.delete(descriptor);
      real.closeSync(descriptor);
    },
    writeSync(
      descriptor: number,
      bytes: Uint8Array,
      offset = 0,
      length = bytes.length - offset,
      position?: number,
    ) {
      const file = open.get(descriptor);
      const count = file === undefined ? length : toWrite(file.path, length);
      return real.writeSync(descriptor, bytes, offset, count, position);
    },
    fsyncSync(descriptor: number) {
      if (open.has(descriptor)) synced(descriptor);
      else real.fsyncSync(descriptor);
    },
    fdatasyncSync(descriptor: number) {
      if (open.has(descriptor)) synced(descriptor);
      else real.fdatasyncSync(descriptor);
    },
    unlinkSync(path: string) {
      if (isOurs(path)) meet('unlink', path);
      real.unlinkSync(path);
    },
    write(
      descriptor: number,
      bytes: Uint8Array,
      offset: number,
      length: number,
      position: number,
      callback: WriteCallback,
    ) {
      const file = open.get(descriptor);
      if (file === undefined) return real.write(descriptor, bytes, offset, length, position, callback);
      let count: number;
      let failed: Error | undefined;
      try {
        count = toWrite(file.path, length);
      } catch (error) {
        // What failed may have left a part.
        failed = error as Error;
        count = length >> 1;
      }
      const written = bytes.slice(offset, offset + count);
      real.write(descriptor, written, 0, count, position, (error, done) => {
        if (error !== null || failed !== undefined) return callback(error ?? failed!);
        if (file.durable) record.bytesSynced(descriptor, written.subarray(0, done), position);
        callback(null, done);
      });
    },
  });

  Object.assign(fsp, {
    async open(path: string, flags: unknown = 'r', mode?: number) {
      if (!isOurs(path)) return realPromises.open(path, flags as string, mode);
      if (flags !== 'r') meet('open', path);
      const asked = withoutSync(flags);
      const handle = await realPromises.open(path, asked.flags as string, mode);
      opened(handle.fd, path, asked.durable);
      return wrap(handle, path);
    },
    async rename(from: string, to: string) {
      if (isOurs(from)) meet('rename', from);
      await realPromises.rename(from, to);
    },
    async unlink(path: string) {
      if (isOurs(path)) meet('unlink', path);
      await realPromises.unlink(path);
    },
    async rm(path: string, options?: object) {
      if (isOurs(path)) meet('unlink', path);
      await realPromises.rm(path, options);
    },
    async writeFile(path: string, content: string | Uint8Array, options?: object) {
      if (isOurs(path)) meet('write', path);
      await realPromises.writeFile(path, content, options);
    },
  });
  syncBuiltinESMExports();

  return {
    record,
    get hits() {
      return hits;
    },
    fail(fault) {
      if (fault === undefined) {
        if (existsSync(faultPath)) rmSync(faultPath);
        return;
      }
      const placed: PlacedFault = { ...fault, serial: ++serial };
      writeFileSync(`${faultPath}.new`, JSON.stringify(placed));
      real.renameSync(`${faultPath}.new`, faultPath);
    },
  };
}
