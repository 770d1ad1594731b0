import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';

/** Writes beside the file, under another name; it gets its own when it is whole and on the disk. A failure removes it. */
export async function writeAtomically(file: string, save: (into: Writable) => Promise<void>): Promise<void> {
  const unfinished = `${file}.${randomBytes(4).toString('hex')}.part`;
  try {
    await save(createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true }));
    await rename(unfinished, file);
    await syncFolder(dirname(file));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
