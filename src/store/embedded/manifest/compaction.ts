import { rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { nextTurn } from '../../../turns/rest.ts';
import type { Damage } from '../files/damage.ts';
import { syncDirectory } from '../files/files.ts';
import { editsName, listFiles, snapshotName } from './catalog-files.ts';
import type { LiveFiles } from './live-files.ts';
import { type Locations, locationOf, locations } from './locations.ts';
import { tableNames } from './manifest.ts';
import { manifestView } from './manifest-view.ts';
import { snapshotBytes, writeSnapshot } from './snapshot-writer.ts';

/** Entries that are looked at in one turn of the event loop. */
const sliceEntries = 5000;

/**
 * Writes a snapshot of all entries as they are now. Commits go on meanwhile, to a new file of edits, and whatever fails
 * leaves files that say the same. The snapshot before and the edits since stay.
 *
 * @param check throws where there is no time for it any more
 */
export async function compact(live: LiveFiles, check: () => void = () => undefined): Promise<void> {
  const { base, number } = await rewrite(live, check);
  await removeFiles(live.directory, (name, other) =>
    name === snapshotName(other) ? other === base || other === number : other >= base,
  );
}

/** The same of files with damage: they are set aside, and all others go. */
export async function setAsideAndCompact(live: LiveFiles, damages: readonly Damage[]): Promise<void> {
  const { directory } = live;
  const damaged = new Set(damages.map(({ file }) => basename(file)));
  const { number } = await rewrite(live, () => undefined);
  for (const name of (await listFiles(directory)).names)
    if (damaged.has(name)) await rename(join(directory, name), join(directory, `damaged-${name}`));
  await removeFiles(directory, (_name, other) => other >= number);
}

async function rewrite(live: LiveFiles, check: () => void): Promise<{ base: number; number: number }> {
  const { directory, queue } = live;
  const { copy, files, number, sequence } = await queue.between(async () => {
    const { files: before } = live;
    const made = await live.rotate();
    return { copy: live.locations.copy(), files: before, number: made, sequence: live.sequence };
  });
  const editBytes = live.editBytes;
  const fresh = locations();
  const frames: (readonly [at: number, withStreams: boolean])[] = [];
  const { stored } = manifestView(copy, files);
  await writeSnapshot(
    directory,
    number,
    snapshotBytes(stored(), number, sequence, {
      onEntry: ({ table, key }, position) => fresh.set(table, key, position),
      onFrame: (at, withStreams) => frames.push([at, withStreams]),
      check,
    }),
  );
  const snapshot = live.open(join(directory, snapshotName(number)), number);
  for (const [at, withStreams] of frames) snapshot.note(at, withStreams);
  live.files = [snapshot, ...live.files];
  await move(live.locations, copy, fresh, snapshot.slot);
  live.files = live.files.filter((file) => !files.includes(file));
  for (const file of files) file.release();
  live.editBytes -= editBytes;
  return { base: files[0]!.number, number };
}

/** What stands where it stood when the copy was made stands in the new snapshot as well. */
async function move(current: Locations, copy: Locations, fresh: Locations, slot: number): Promise<void> {
  let count = 0;
  for (const table of tableNames) {
    for (const [key, position] of fresh.entries(table)) {
      if (current.get(table, key) === copy.get(table, key))
        current.set(table, key, locationOf(slot, position));
      if (++count % sliceEntries === 0) await nextTurn();
    }
  }
}

async function removeFiles(
  directory: string,
  isKept: (name: string, number: number) => boolean,
): Promise<void> {
  const { edits, snapshots } = await listFiles(directory);
  const all = [
    ...snapshots.map((number) => [snapshotName(number), number] as const),
    ...edits.map((number) => [editsName(number), number] as const),
  ];
  for (const [name, number] of all)
    if (!isKept(name, number)) await rm(join(directory, name), { force: true });
  await syncDirectory(directory);
}
