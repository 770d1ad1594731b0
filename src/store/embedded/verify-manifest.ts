import { join } from 'node:path';
import type { Damage } from './files/damage.ts';
import { editsName, fileOpener, listFiles, snapshotName } from './manifest/catalog-files.ts';
import { locations } from './manifest/locations.ts';
import { lostEntries } from './manifest/manifest.ts';
import { readManifest } from './manifest/open-manifest.ts';
import { readEditsFile, readSnapshotFile } from './manifest/read-files.ts';
import type { PartRecord } from './parts/part-record.ts';

/** What a manifest says, and what is wrong with its files. */
export interface VerifiedManifest {
  readonly damages: readonly Damage[];
  readonly records: readonly PartRecord[];
  /** Every record up to here stands in parts and tables. */
  readonly lsn: number;
  /** Records up to here were in the log at the last clean stop. */
  readonly syncedLsn: number;
  /** A clean stop came after the last change. */
  readonly isClosed: boolean;
}

/** Reads every byte of the manifest's files, those of the snapshot before too. Throws CannotOpen where there are none. */
export async function verifyManifest(directory: string): Promise<VerifiedManifest> {
  const manifest = await readManifest(directory);
  try {
    const read = new Set([
      ...manifest.files.map(({ path }) => path),
      ...manifest.damages.map(({ file }) => file),
    ]);
    const told = lostEntries(manifest)?.told ?? [];
    return {
      damages: [
        ...manifest.damages,
        ...(await damagesOfOthers(directory, read)),
        ...told.map((what) => ({
          file: directory,
          from: 0,
          to: 0,
          what: `lost at an earlier start: ${what}`,
        })),
      ],
      records: [...manifest.entries('parts')].map(({ value }) => value as PartRecord),
      lsn: Number(manifest.read('meta', 'lsn') ?? 0),
      syncedLsn: Number(manifest.read('meta', 'syncedLsn') ?? 0),
      isClosed: manifest.isClosed,
    };
  } finally {
    manifest.close();
  }
}

/** Files from before the newest snapshot. */
async function damagesOfOthers(directory: string, read: ReadonlySet<string>): Promise<Damage[]> {
  const { edits, snapshots } = await listFiles(directory);
  const open = fileOpener();
  const damages: Damage[] = [];
  for (const number of snapshots) {
    const path = join(directory, snapshotName(number));
    if (read.has(path)) continue;
    const file = open(path, number);
    damages.push(...readSnapshotFile(file, locations()).damages);
    file.release();
  }
  for (const number of edits) {
    const path = join(directory, editsName(number));
    if (read.has(path)) continue;
    const file = open(path, number);
    const { damages: found, end, hasTail } = readEditsFile(file, undefined, locations());
    damages.push(...found);
    if (hasTail)
      damages.push({ file: path, from: end, to: file.size(), what: 'commits do not have their checksum' });
    file.release();
  }
  return damages;
}
