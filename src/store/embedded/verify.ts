import { existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { CannotOpen } from '../cannot-open.ts';
import { describePart, partFiles } from './catalog/known-parts.ts';
import { orphanParts } from './catalog/orphan-parts.ts';
import { checkVersions } from './check-versions.ts';
import type { Damage } from './files/damage.ts';
import { checkDirectory, directoryPaths } from './files/directory.ts';
import { lockToRead } from './files/directory-lock.ts';
import { filesToRead, namesIn } from './files/files.ts';
import { type RecoveredLog, recoverLog } from './log/log-recovery.ts';
import { isSetAside } from './log/segment-names.ts';
import { type OpenPart, openPartFile } from './parts/part-file.ts';
import { windowsOfIndex } from './parts/part-index.ts';
import { haveWindowTogether, type PartRecord, windowsOf } from './parts/part-record.ts';
import { partName } from './parts/part-set.ts';
import { verifyManifest } from './verify-manifest.ts';
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
  const paths = directoryPaths(root);
  const { isNew, damage } = await checkDirectory(paths);
  if (isNew) throw new CannotOpen(`${root} is not a data directory of Pitwall`);
  const lock = await lockToRead(root);
  try {
    await checkVersions(paths);
    if (damage !== undefined) yield damage;
    for (const path of [paths.log, paths.parts])
      if (!existsSync(path)) yield { file: path, from: 0, to: 0, what: 'the folder is missing' };
    onFile(paths.catalog);
    const { damages, isClosed, lsn, records, syncedLsn } = await verifyManifest(paths.catalog);
    yield* damages;
    for (const record of records) {
      onFile(join(paths.parts, partName(record.number)));
      yield* verifyPartAt(join(paths.parts, partName(record.number)), record);
    }
    const log = await recoverLog(filesToRead(paths.log), lsn, () => undefined, syncedLsn);
    if (isClosed) yield* await unnamedParts(paths.parts, records, lsn);
    else yield* await partsOfLostCommit(paths.parts, records, lsn, log);
    onFile(paths.log);
    yield* await verifyLog(root, paths.log, log);
  } finally {
    await lock.release();
  }
}

/**
 * After a clean stop every part has an entry. A merge that the stop broke off may leave a file, whose rows stand in parts
 * that have entries.
 */
async function unnamedParts(
  directory: string,
  records: readonly PartRecord[],
  lsn: number,
): Promise<Damage[]> {
  const named = new Set(records.map(({ number }) => number));
  const damages: Damage[] = [];
  for (const number of await partFiles(directory)) {
    if (named.has(number)) continue;
    const found = await describePart(directory, number);
    const isLeft =
      found === undefined ||
      found.lastLsn > lsn ||
      records.some(
        (record) =>
          haveWindowTogether(record, found) &&
          record.firstLsn <= found.lastLsn &&
          record.lastLsn >= found.firstLsn,
      );
    if (isLeft) continue;
    damages.push(unnamed(directory, found));
  }
  return damages;
}

async function* verifyPartAt(path: string, record: PartRecord): AsyncGenerator<Damage> {
  try {
    const part = await openPartFile(path);
    try {
      const wrong = disagreement(part, record) ?? (await otherWindows(part, record));
      if (wrong !== undefined) yield { file: path, from: 0, to: part.file.size, what: wrong };
      yield* verifyPart(part.file);
    } finally {
      await part.close();
    }
  } catch (error) {
    const { from = 0, to = 0, what = (error as Error).message } = error as Partial<Damage>;
    yield { file: path, from, to, what };
  }
}

/** What the catalogue says of a part, and its file does not. */
function disagreement({ file, reader }: OpenPart, record: PartRecord): string | undefined {
  const found = { ...reader.footer, bytes: file.size };
  const fields = [
    'window',
    'firstLsn',
    'lastLsn',
    'rows',
    'samples',
    'bytes',
    'minOffset',
    'maxOffset',
  ] as const;
  const wrong = fields.find((field) => found[field] !== record[field]);
  return wrong && `${wrong} is ${found[wrong]}, and ${record[wrong]} in the catalogue`;
}

/** The same of windows; where the index is damaged, that is told elsewhere. */
async function otherWindows({ reader }: OpenPart, record: PartRecord): Promise<string | undefined> {
  const found = await reader.readIndex().then(windowsOfIndex, () => undefined);
  if (found === undefined || found.join() === windowsOf(record).join()) return undefined;
  return `it has rows in the windows ${found}, and in ${windowsOf(record)} in the catalogue`;
}

/** After a kill: parts that the last commit of the catalogue named, where that is damaged. */
async function partsOfLostCommit(
  directory: string,
  records: readonly PartRecord[],
  lsn: number,
  log: RecoveredLog,
): Promise<Damage[]> {
  const orphans = await orphanParts(records, directory, lsn, log);
  return orphans.map(({ record }) => unnamed(directory, record));
}

function unnamed(directory: string, { number, bytes }: PartRecord): Damage {
  const file = join(directory, partName(number));
  return { file, from: 0, to: bytes, what: 'the catalogue does not name this part' };
}

async function verifyLog(
  root: string,
  directory: string,
  { damages }: Pick<RecoveredLog, 'damages'>,
): Promise<Damage[]> {
  const setAside = (await namesIn(directory)).filter(isSetAside);
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
