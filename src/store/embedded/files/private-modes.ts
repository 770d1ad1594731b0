import { chmodSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreLog } from '../../store-log.ts';

/** The mode of a directory that the user of the service alone may enter, read and write. */
export const privateDirectory = 0o700;
export const privateFile = 0o600;

/** Rights of the group and of others. */
const foreignRights = 0o077;

interface Tightened {
  changed: number;
  /** Paths that others can still read. */
  open: string[];
}

/**
 * Leaves the owner alone with rights to an existing data directory, to those inside it and to the files of all; the log
 * says so. What belongs to another user stays as it is, and so does a file system that knows no rights: then the log
 * warns, and the start goes on.
 */
export function tightenDirectory(root: string, inside: readonly string[], tell: StoreLog): void {
  const found: Tightened = { changed: 0, open: [] };
  for (const path of [root, ...inside]) {
    tighten(path, privateDirectory, found);
    for (const name of namesIn(path)) {
      const file = join(path, name);
      if (lstatSync(file, { throwIfNoEntry: false })?.isFile()) tighten(file, privateFile, found);
    }
  }
  const { changed, open } = found;
  if (changed > 0) {
    tell.info({ changed }, `others could read files of ${root}: from now on its owner alone can`);
  }
  if (open.length > 0) {
    const fields = { files: open.length, first: open[0] };
    tell.warn(fields, `others can read files of ${root}, and their modes cannot be changed`);
  }
}

/** Whether the mode took effect is looked at: some mounts accept every mode and have but one. */
function tighten(path: string, mode: number, found: Tightened): void {
  try {
    const { uid, mode: before } = statSync(path);
    if ((before & foreignRights) === 0) return;
    if (uid === process.getuid?.()) chmodSync(path, mode);
    if ((statSync(path).mode & foreignRights) === 0) found.changed++;
    else found.open.push(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') found.open.push(path);
  }
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
