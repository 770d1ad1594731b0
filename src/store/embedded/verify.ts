import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CannotOpen } from '../cannot-open.ts';
import { type Manifest, openManifest, tableNames } from './catalog/manifest.ts';
import type { Damage } from './files/damage.ts';
import { checkFormat, directoryPaths } from './files/directory.ts';
import { lockDirectory } from './files/directory-lock.ts';
import { realFiles } from './files/files.ts';
import { recoverLog } from './log/log-recovery.ts';
import { isSetAside } from './log/log-segments.ts';
import { openPartFile } from './parts/part-file.ts';
import type { PartRecord } from './parts/part-record.ts';
import { partName } from './parts/part-set.ts';
import { verifyPart } from './verify-part.ts';

/**
 * Reads everything in a data directory that no process uses and tells what is damaged, by file and bytes.
 * Changes nothing. Throws CannotOpen or DirectoryLocked.
 *
 * @param onFile is told each file before it is read
 */
export async function* verifyStore(
  root: string,
  onFile: (file: string) => void = () => undefined,
): AsyncGenerator<Damage> {
  await access(root).catch(() => {
    throw new CannotOpen(`${root} cannot be read`);
  });
  if ((await checkFormat(root)) === undefined)
    throw new CannotOpen(`${root} is not a data directory of Pitwall`);
  const lock = await lockDirectory(root);
  const paths = directoryPaths(root);
  try {
    const manifest = await openManifest(paths.catalog, { readOnly: true });
    try {
      onFile(paths.catalog);
      const { damages, records } = verifyManifest(manifest, paths.catalog);
      yield* damages;
      for (const { number } of records) {
        onFile(join(paths.parts, partName(number)));
        yield* verifyPartAt(join(paths.parts, partName(number)));
      }
      onFile(paths.log);
      yield* await verifyLog(root, paths.log, Number(manifest.read('meta', 'lsn') ?? 0));
    } finally {
      await manifest.close();
    }
  } finally {
    await lock.release();
  }
}

function verifyManifest(manifest: Manifest, path: string): { damages: Damage[]; records: PartRecord[] } {
  const damages: Damage[] = [];
  const records: PartRecord[] = [];
  for (const table of tableNames) {
    const onDamage = (key: string | number) =>
      damages.push({
        file: path,
        from: 0,
        to: 0,
        what: `the entry ${table}/${key} does not have its checksum`,
      });
    for (const { value } of manifest.entries(table, onDamage))
      if (table === 'parts') records.push(value as PartRecord);
  }
  return { damages, records };
}

async function* verifyPartAt(path: string): AsyncGenerator<Damage> {
  try {
    const part = await openPartFile(path);
    try {
      yield* verifyPart(part.file);
    } finally {
      await part.close();
    }
  } catch (error) {
    const { from = 0, to = 0, what = (error as Error).message } = error as Partial<Damage>;
    yield { file: path, from, to, what };
  }
}

async function verifyLog(root: string, directory: string, appliedLsn: number): Promise<Damage[]> {
  const { damages } = await recoverLog(realFiles(directory), appliedLsn);
  const setAside = (await readdir(directory)).filter(isSetAside);
  return [
    ...damages.map((damage) => ({ ...damage, file: join(root, damage.file) })),
    ...setAside.map((name) => ({
      file: join(directory, name),
      from: 0,
      to: 0,
      what: 'an earlier start found damage in this segment and set it aside',
    })),
  ];
}
