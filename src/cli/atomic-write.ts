import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';

/**
 * Writes beside the file, under another name; it gets its own when it is whole and on the disk. A failure removes it. A
 * pipe or a device, as /dev/stdout, is written to as it is: another name in its place would take it away from others.
 */
export async function writeAtomically(path: string, save: (into: Writable) => Promise<void>): Promise<void> {
  const there = await stat(path).catch(() => undefined);
  if (there?.isDirectory()) throw new Error(`${path} is a folder`);
  if (there === undefined) await replace(path, save);
  else if (there.isFile()) await replace(await realpath(path), save);
  else await save(createWriteStream(path));
}

async function replace(file: string, save: (into: Writable) => Promise<void>): Promise<void> {
  const unfinished = `${file}.${randomBytes(4).toString('hex')}.part`;
  const into = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true });
  // What is wrong with it, who saves is told.
  const closed = new Promise<void>((resolve) => into.once('close', resolve).on('error', () => undefined));
  try {
    await save(into);
    await rename(unfinished, file);
    await syncFolder(dirname(file));
  } catch (error) {
    // It may be about to be made.
    into.destroy();
    await closed;
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
