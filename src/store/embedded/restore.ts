import { mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CannotOpen } from '../cannot-open.ts';
import { readBackup } from './backup/backup-reader.ts';
import { type DataDirectory, directoryPaths, makeDirectory, restoringPath } from './files/directory.ts';
import { lockDirectory } from './files/directory-lock.ts';
import { syncDirectory } from './files/files.ts';
import { writeFormat } from './files/format-file.ts';
import { privateDirectory, privateFile } from './files/private-modes.ts';
import { createEdits } from './manifest/snapshot-writer.ts';

/** What stands in the directory now. */
export interface Restored {
  /** ISO 8601: the moment of the backup. */
  readonly createdAt: string;
  readonly parts: number;
  /** Segments of the log: what a start replays. */
  readonly segments: number;
  /** Bytes of all files of the backup. */
  readonly bytes: number;
}

/**
 * Makes a data directory of a backup, in a folder that is absent or empty. Until all is checked and synced a
 * file says that it is unfinished, so that no service takes it for a whole one, also after a power cut: a folder that is
 * renamed at the end could not be one on which a disk is mounted. A failure leaves nothing behind.
 * Throws BackupRefused, CannotOpen or DirectoryLocked, and what `archive` throws.
 */
export async function restoreBackup(archive: AsyncIterable<Uint8Array>, root: string): Promise<Restored> {
  const wasThere = await requireEmpty(root);
  await makeDirectory(root);
  const lock = await lockDirectory(root);
  try {
    const restored = await fill(directoryPaths(root), archive);
    await lock.release();
    return restored;
  } catch (error) {
    await lock.release();
    for (const name of wasThere ? await readdir(root) : []) await rm(join(root, name), { recursive: true });
    if (!wasThere) await rm(root, { recursive: true });
    throw error;
  }
}

/** Whether the folder is there; throws CannotOpen unless it is empty. */
async function requireEmpty(root: string): Promise<boolean> {
  try {
    const names = await readdir(root);
    if (names.length > 0) throw new CannotOpen(`${root} is not empty; a restore needs a new or empty folder`);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    throw code === 'ENOTDIR' ? new CannotOpen(`${root} is not a directory`) : error;
  }
}

async function fill(paths: DataDirectory, archive: AsyncIterable<Uint8Array>): Promise<Restored> {
  const { root, log, parts, catalog } = paths;
  await writeFile(restoringPath(root), '', { mode: privateFile });
  for (const path of [log, parts, catalog]) await mkdir(path, { mode: privateDirectory });
  await syncDirectory(root);
  const restored = await takeAll(paths, archive);
  for (const path of [log, parts, catalog]) await syncDirectory(path);
  await writeFormat(root);
  await syncDirectory(root);
  await rm(restoringPath(root));
  await syncDirectory(root);
  await syncDirectory(join(root, '..'));
  return restored;
}

async function takeAll(
  { root, catalog }: DataDirectory,
  archive: AsyncIterable<Uint8Array>,
): Promise<Restored> {
  const { createdAt, files } = await readBackup(archive, ({ name }, chunks) =>
    takeFile(join(root, name), chunks),
  );
  await createEdits(catalog, 1, 0);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const count = (folder: string) => files.filter(({ name }) => name.startsWith(folder)).length;
  return { createdAt, parts: count('parts/'), segments: count('log/'), bytes };
}

async function takeFile(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of chunks) await handle.writeFile(chunk);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
