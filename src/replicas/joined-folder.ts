import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { restoreBackup } from '../store/embedded/restore.ts';

/** What of a data folder a backup takes the place of. */
const replaced = ['log', 'parts', 'catalog', 'FORMAT'] as const;
/** Where the backup is made whole, and the file that says that it is. */
const joiningOf = (root: string): string => join(root, 'joining');
const wholeOf = (root: string): string => join(root, 'joined');

/**
 * Puts a backup of another node in the place of what a data folder holds. What was there stays until the backup is whole and checked.
 * No process may have the folder open.
 */
export async function replaceFolder(root: string, archive: AsyncIterable<Uint8Array>): Promise<number> {
  await rm(joiningOf(root), { recursive: true, force: true });
  const { bytes } = await restoreBackup(archive, joiningOf(root));
  await (await open(wholeOf(root), 'w', 0o600)).close();
  await syncFolder(root);
  await finishReplacing(root);
  return bytes;
}

/** Goes on with what a start before was killed in. */
export async function finishReplacing(root: string): Promise<void> {
  const joining = joiningOf(root);
  if (existsSync(wholeOf(root))) {
    for (const name of replaced) {
      if (!existsSync(join(joining, name))) continue;
      await rm(join(root, name), { recursive: true, force: true });
      await rename(join(joining, name), join(root, name));
    }
    await syncFolder(root);
  }
  await rm(joining, { recursive: true, force: true });
  await rm(wholeOf(root), { force: true });
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
