import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CannotOpen } from '../../cannot-open.ts';
import { ByteWriter } from '../codecs/byte-writer.ts';
import { syncDirectory } from '../files/files.ts';
import { listFiles } from './catalog-files.ts';
import { writeEntry } from './entries.ts';
import { lostEntry } from './lmdb-entries.ts';
import type { LmdbFolder } from './lmdb-folder.ts';
import type { ManifestChange } from './manifest.ts';
import type { EncodedEntry } from './manifest-view.ts';
import { createEdits, snapshotBytes, writeSnapshot } from './snapshot-writer.ts';

/** Files of the catalogue of releases that kept it in LMDB (lmdb-folder.ts). */
const lmdbFiles = ['data.mdb', 'lock.mdb'];

/** Whether the folder has a catalogue of a release that kept it in LMDB, and none of its own yet. */
export async function isLmdb(directory: string): Promise<boolean> {
  return (await listFiles(directory)).snapshots.length === 0 && (await hasLmdb(directory));
}

function hasLmdb(directory: string): Promise<boolean> {
  return access(join(directory, 'data.mdb')).then(
    () => true,
    () => false,
  );
}

/**
 * Sees to it that the folder has a snapshot and edits: an empty one in a new folder, in one of an earlier release what
 * stands in LMDB, which then goes. `isUsed` says whether it has data, so that a catalogue must be there. A stop at any
 * moment leaves one of the two whole. Throws CannotOpen.
 */
export async function prepareCatalog(
  directory: string,
  isUsed: () => Promise<boolean>,
  note: (message: string) => void,
): Promise<void> {
  const isOld = await hasLmdb(directory);
  if ((await listFiles(directory)).snapshots.length === 0) {
    if (isOld) await migrate(directory, note);
    else if (await isUsed()) throw new CannotOpen(`${directory} is missing: there is data, and no catalogue`);
    else await createCatalog(directory, []);
  }
  if (!isOld) return;
  for (const name of lmdbFiles) await rm(join(directory, name), { force: true });
  await syncDirectory(directory);
}

async function migrate(directory: string, note: (message: string) => void): Promise<void> {
  const { readLmdb } = await import('./lmdb-folder.ts');
  const old = await readLmdb(directory, { settle: true });
  try {
    await createCatalog(directory, changesOf(old));
    note(`the catalogue in ${directory} was converted to the format of this version`);
  } finally {
    await old.close();
  }
}

function* changesOf(old: LmdbFolder): Generator<ManifestChange> {
  let nextParameter = 1;
  for (const change of old.changes()) {
    if (change.table === 'parameters') nextParameter = Math.max(nextParameter, Number(change.key) + 1);
    yield change;
  }
  for (const { table, key } of old.damages)
    if (table === 'parameters') nextParameter = Math.max(nextParameter, Number(key) + 1);
  yield { table: 'meta', key: 'nextParameter', value: nextParameter };
  const told = old.damages.map(({ table, key }) => lostEntry(table, key));
  if (told.length > 0) yield { table: 'meta', key: 'damage', value: { told, settled: false } };
}

/** Makes the first files; they count when the snapshot has its name. */
export async function createCatalog(directory: string, changes: Iterable<ManifestChange>): Promise<void> {
  const { names } = await listFiles(directory);
  for (const name of names) if (/^edits-|\.new$/.test(name)) await rm(join(directory, name));
  await createEdits(directory, 1, 0);
  await writeSnapshot(directory, 1, snapshotBytes(encoded(changes), 1, 0));
}

function* encoded(changes: Iterable<ManifestChange>): Generator<EncodedEntry> {
  for (const change of changes) {
    const out = new ByteWriter(256);
    writeEntry(out, change);
    yield { table: change.table, key: change.key, bytes: out.written() };
  }
}
