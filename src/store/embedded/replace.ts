import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from './files/directory.ts';
import { lockDirectory } from './files/directory-lock.ts';
import { syncDirectory } from './files/files.ts';
import { privateDirectory } from './files/private-modes.ts';
import { restoreBackup } from './restore.ts';

/** What of a data directory a backup takes the place of. */
const replaced = ['log', 'parts', 'catalog', 'FORMAT'] as const;
/** Where the backup is made whole, and the file that says that it is. */
const joiningOf = (root: string): string => join(root, 'joining');
const wholeOf = (root: string): string => join(root, 'joined');

/** Where what was replaced last is kept, where that was asked for. */
export const replacedFolder = (root: string): string => join(root, 'replaced');

/**
 * Puts a backup in the place of what a data directory holds; resolves with its bytes. What was there stays until the backup is whole and
 * checked. Throws DirectoryLocked where a process has it open, and what `restoreBackup` throws.
 *
 * @param isKept moves what was there to the folder of what was replaced, instead of removing it
 */
export async function replaceDirectory(
  root: string,
  archive: AsyncIterable<Uint8Array>,
  isKept = false,
): Promise<number> {
  return await whileLocked(root, async () => {
    await rm(joiningOf(root), { recursive: true, force: true });
    if (isKept) await rm(replacedFolder(root), { recursive: true, force: true });
    const { bytes } = await restoreBackup(archive, joiningOf(root));
    if (isKept) await mkdir(replacedFolder(root), { mode: privateDirectory });
    await (await open(wholeOf(root), 'w', 0o600)).close();
    await syncDirectory(root);
    await goOn(root);
    return bytes;
  });
}

/** Ends what a process was killed in: a backup that is whole takes its place, another one goes. Throws DirectoryLocked. */
export async function finishReplacing(root: string): Promise<void> {
  if (existsSync(joiningOf(root)) || existsSync(wholeOf(root))) await whileLocked(root, () => goOn(root));
}

async function goOn(root: string): Promise<void> {
  const joining = joiningOf(root);
  if (existsSync(wholeOf(root))) {
    for (const name of replaced) {
      if (!existsSync(join(joining, name))) continue;
      // Made empty where it is to take what was there; a kill may have come between the two.
      const kept = join(replacedFolder(root), name);
      if (existsSync(replacedFolder(root)) && !existsSync(kept) && existsSync(join(root, name)))
        await rename(join(root, name), kept);
      await rm(join(root, name), { recursive: true, force: true });
      await rename(join(joining, name), join(root, name));
    }
    await syncDirectory(root);
  }
  await rm(joining, { recursive: true, force: true });
  await rm(wholeOf(root), { force: true });
}

async function whileLocked<Result>(root: string, work: () => Promise<Result>): Promise<Result> {
  await makeDirectory(root);
  const lock = await lockDirectory(root);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}
