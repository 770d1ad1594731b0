import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from '../files/files.ts';
import { type CatalogFile, editsName } from './catalog-files.ts';
import { type CommitQueue, commitQueue } from './commit-queue.ts';
import { type EditsFile, encodeCommit, openEditsFile } from './edits-file.ts';
import type { LoadedFiles, OpenFile } from './load-files.ts';
import { type Locations, locationOf } from './locations.ts';
import type { ManifestChange } from './manifest.ts';
import { type ManifestView, manifestView } from './manifest-view.ts';
import { createEdits } from './snapshot-writer.ts';

/** The files of a manifest that is written to. */
export interface LiveFiles {
  readonly directory: string;
  readonly open: OpenFile;
  readonly queue: CommitQueue;
  readonly locations: Locations;
  /** A snapshot and the edits since, oldest first; commits go to the last. Replaced, never changed. */
  files: readonly CatalogFile[];
  /** The last commit. */
  sequence: number;
  /** Bytes of the edits, all files together. */
  editBytes: number;
  commit(changes: readonly ManifestChange[]): Promise<void>;
  /** Goes on in a new file of edits; to be called between two commits. Gives the number of that file. */
  rotate(): Promise<number>;
  view(): ManifestView;
  close(): Promise<void>;
}

/** @param number above those of all files of the folder */
export async function liveFiles(
  directory: string,
  loaded: LoadedFiles,
  open: OpenFile,
  number: number,
): Promise<LiveFiles> {
  let nextNumber = number;
  /** Undefined where the last file has damage: it stays as it is. */
  let edits: EditsFile | undefined;
  const last = loaded.files.at(-1)!;
  if (!loaded.isLossy) edits = await openEditsFile(last.path, loaded.cut?.from ?? last.size());
  // A process that was killed may have left names that are in memory only.
  await syncDirectory(directory);

  const live: LiveFiles = {
    directory,
    open,
    queue: commitQueue(),
    locations: loaded.locations,
    files: loaded.files,
    sequence: loaded.sequence,
    editBytes: loaded.files.slice(1).reduce((sum, file) => sum + file.size(), 0),
    async commit(changes) {
      if (changes.length === 0) return;
      await live.queue.commit(async () => {
        const file = live.files.at(-1)!;
        const encoded = encodeCommit(changes, file.number, live.sequence + 1);
        const at = await edits!.append(encoded);
        live.sequence++;
        live.editBytes += encoded.bytes.length;
        file.note(
          at,
          changes.some(({ table }) => table === 'streams'),
        );
        for (const [i, { table, key, value }] of changes.entries()) {
          const location = value === undefined ? 0 : locationOf(file.slot, at + encoded.positions[i]!);
          live.locations.set(table, key, location);
        }
      });
    },
    async rotate() {
      const path = join(directory, editsName(nextNumber));
      const before = edits;
      let fresh: EditsFile | undefined;
      try {
        await createEdits(directory, nextNumber, live.sequence);
        fresh = await openEditsFile(path, (await stat(path)).size);
        live.files = [...live.files, open(path, nextNumber)];
      } catch (error) {
        // Commits go on in the file before, and this one would say that there are none.
        await fresh?.close();
        await rm(path, { force: true });
        throw error;
      }
      edits = fresh;
      const made = nextNumber++;
      await before?.close();
      return made;
    },
    view: () => manifestView(live.locations, live.files),
    async close() {
      await edits?.close();
      for (const file of live.files) file.release();
    },
  };
  return live;
}
