import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from './files.ts';

/**
 * The data directory:
 *
 *   FORMAT     JSON `{"format": 1}`, written once
 *   lock       socket of the process that uses the directory (directory-lock.ts)
 *   log/       segments of the commit log
 *   parts/     `<number>.part`
 *   catalog/   the manifest (LMDB)
 */
export const formatVersion = 1;

export interface DataDirectory {
  readonly root: string;
  readonly log: string;
  readonly parts: string;
  readonly catalog: string;
}

/** The directory cannot be used; the message is one line for the person who started the service. */
export class CannotOpen extends Error {}

export function directoryPaths(root: string): DataDirectory {
  return { root, log: join(root, 'log'), parts: join(root, 'parts'), catalog: join(root, 'catalog') };
}

/** Makes the directory if it is not there; refuses one of a newer format, changing nothing. */
export async function prepareDirectory(root: string): Promise<DataDirectory> {
  const paths = directoryPaths(root);
  try {
    await mkdir(root, { recursive: true });
    if (!(await checkFormat(root))) await writeFormat(root);
    for (const path of [paths.log, paths.parts, paths.catalog]) await mkdir(path, { recursive: true });
    await syncDirectory(root);
  } catch (error) {
    throw explain(error, root);
  }
  return paths;
}

/** Whether the directory has a format that this version reads; false where it has none yet. */
export async function checkFormat(root: string): Promise<boolean> {
  let text: string;
  try {
    text = await readFile(join(root, 'FORMAT'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  let format: unknown;
  try {
    format = (JSON.parse(text) as { format?: unknown }).format;
  } catch {
    throw new CannotOpen(`${join(root, 'FORMAT')} is damaged: expected {"format": ${formatVersion}}`);
  }
  if (typeof format !== 'number' || format < 1) {
    throw new CannotOpen(`${join(root, 'FORMAT')} is damaged: expected {"format": ${formatVersion}}`);
  }
  if (format > formatVersion) {
    throw new CannotOpen(
      `${root} was written by a newer version of Pitwall (format ${format}; this version knows ${formatVersion})`,
    );
  }
  return true;
}

async function writeFormat(root: string): Promise<void> {
  const path = join(root, 'FORMAT');
  await writeFile(path, `${JSON.stringify({ format: formatVersion })}\n`);
  const handle = await open(path);
  await handle.sync();
  await handle.close();
}

function explain(error: unknown, root: string): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') {
    return new CannotOpen(`${root} cannot be written: ${(error as Error).message}`);
  }
  if (code === 'ENOTDIR' || code === 'EEXIST') return new CannotOpen(`${root} is not a directory`);
  return error;
}
