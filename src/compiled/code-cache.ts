import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { threadId } from 'node:worker_threads';
import { crc32 } from 'node:zlib';

/** What the engine compiled of files, in a folder: a start need not compile them again. */
export interface CodeCache {
  /** Undefined where there is none of this very file, or what is there is not as it was written. */
  read(name: string, file: Buffer): Buffer | undefined;
  /** A folder that takes nothing is left alone: the next start compiles again. */
  write(name: string, file: Buffer, code: Buffer): void;
}

/*
 * The bytes of an entry:
 *   0  u32  a mark of this form
 *   4  u32  CRC-32 of the file that was compiled
 *   8  u32  CRC-32 of the code
 *  12  u32  0, so that the code begins where the engine reads it without a copy
 *  16       the code
 * The engine itself sees that code is of its version and its flags, and that the file is as long as it was.
 */
const mark = 0x314b_5750;
const headBytes = 16;

/** Each version of the engine has entries of its own, with the flags that it was given, and what the processor can do. */
export function codeCache(folder: string, tag = cachedDataVersionTag()): CodeCache {
  const pathOf = (name: string): string => join(folder, `${name}-${tag.toString(16)}`);
  return {
    read(name, file) {
      let entry: Buffer;
      try {
        entry = readFileSync(pathOf(name));
      } catch {
        return undefined;
      }
      if (entry.length <= headBytes || entry.readUInt32LE(0) !== mark) return undefined;
      const code = entry.subarray(headBytes);
      const isWhole = entry.readUInt32LE(4) === crc32(file) && entry.readUInt32LE(8) === crc32(code);
      return isWhole ? code : undefined;
    },
    write(name, file, code) {
      const head = Buffer.alloc(headBytes);
      head.writeUInt32LE(mark, 0);
      head.writeUInt32LE(crc32(file), 4);
      head.writeUInt32LE(crc32(code), 8);
      const path = pathOf(name);
      // Other processes and threads may write it too: each gives it its name when it is whole.
      const made = `${path}.${process.pid}-${threadId}.new`;
      try {
        // There is nothing private in it, and another user may be the one who serves.
        if (mkdirSync(folder, { recursive: true }) !== undefined) chmodSync(folder, 0o755);
        writeFileSync(made, Buffer.concat([head, code]));
        chmodSync(made, 0o644);
        renameSync(made, path);
      } catch {
        remove(made);
      }
    },
  };
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It was not made.
  }
}
