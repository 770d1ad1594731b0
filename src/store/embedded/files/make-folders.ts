import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CannotOpen } from '../../cannot-open.ts';

/**
 * Makes a folder and those above it; gives the outermost that was made, if any. What Node.js has for it tries without end
 * where the kernel says of a folder in /proc that there is none above. Throws CannotOpen there.
 * @param path absolute
 */
export async function makeFolders(path: string, mode?: number): Promise<string | undefined> {
  if (await isMade(path, mode)) return path;
  if (await isFolder(path)) return undefined;
  const above = dirname(path);
  const outermost = above === path ? undefined : await makeFolders(above);
  if (await isMade(path, mode)) return outermost ?? path;
  if (await isFolder(path)) return outermost;
  throw new CannotOpen(`${path} cannot be made: ${above} takes no folders`);
}

/** False where it is there, or the one above is not. */
async function isMade(path: string, mode: number | undefined): Promise<boolean> {
  try {
    await mkdir(path, { mode });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    if (code === 'EEXIST' && (await isFolder(path))) return false;
    // Of a read-only disk, or one of others, a folder that is there is no less one.
    if ((code === 'EROFS' || code === 'EACCES' || code === 'EPERM') && (await isFolder(path))) return false;
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}
