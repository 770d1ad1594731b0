import { randomBytes } from 'node:crypto';
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CannotOpen } from '../../cannot-open.ts';

/** With these a file system, or what watches over it, says that it has no sockets or no hard links. */
const refusals = new Set([
  'EACCES',
  'EINVAL',
  'EMLINK',
  'ENAMETOOLONG',
  'ENOSYS',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EPERM',
  'EXDEV',
]);

const advice =
  'by which a data folder keeps other processes out; choose a folder on a local disk with --data-dir';

/**
 * The error of a lock that could not be made: where files can be made in the directory, it is the file system that
 * has no sockets, or no hard links, and the line says what to do. Any other error stays as it is.
 */
export function explainLockError(error: unknown, directory: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || !refusals.has(code) || !takesFiles(directory)) return error;
  const missing = syscall === 'link' ? 'no hard links' : 'no Unix sockets';
  return new CannotOpen(`the file system of ${directory} has ${missing} (${syscall} ${code}), ${advice}`);
}

/** Sockets can be made in the directory, and nobody can connect to them. */
export function deafSocket(directory: string): CannotOpen {
  return new CannotOpen(
    `a Unix socket in ${directory} does not answer the process that listens on it, ${advice}`,
  );
}

/** The longest name of a socket: a longer one is cut without a word; the shortest limit of all systems. */
const maxSocketName = 103;

/** Throws CannotOpen where the address of a socket would be cut. */
export function checkSocketName(path: string, directory: string): void {
  if (Buffer.byteLength(path) <= maxSocketName) return;
  throw new CannotOpen(
    `the path of ${directory} is too long for a Unix socket in it; choose a shorter one with --data-dir`,
  );
}

function takesFiles(directory: string): boolean {
  const path = join(directory, `lock-${randomBytes(8).toString('hex')}`);
  try {
    closeSync(openSync(path, 'wx'));
    return true;
  } catch {
    return false;
  } finally {
    rmSync(path, { force: true });
  }
}
