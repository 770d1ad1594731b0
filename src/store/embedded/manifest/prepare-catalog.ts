import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CannotOpen } from '../../cannot-open.ts';
import { listFiles } from './catalog-files.ts';
import { createEdits, snapshotBytes, writeSnapshot } from './snapshot-writer.ts';

/**
 * Sees to it that the folder has a snapshot and edits: empty ones in a new folder. `isUsed` says whether it has data, so
 * that a catalogue must be there. A stop at any moment leaves a new folder or a whole catalogue. Throws CannotOpen.
 */
export async function prepareCatalog(directory: string, isUsed: () => Promise<boolean>): Promise<void> {
  const { names, snapshots } = await listFiles(directory);
  if (snapshots.length > 0) return;
  if (await isUsed()) throw new CannotOpen(`${directory} is missing: there is data, and no catalogue`);
  for (const name of names) if (/^edits-|\.new$/.test(name)) await rm(join(directory, name));
  await createEdits(directory, 1, 0);
  // The files count once the snapshot has its name.
  await writeSnapshot(directory, 1, snapshotBytes([], 1, 0));
}
