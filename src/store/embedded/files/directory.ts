import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CannotOpen } from '../../cannot-open.ts';
import { type Damage, lineOf } from './damage.ts';
import { syncDirectory } from './files.ts';
import { readFormat, writeFormat } from './format-file.ts';
import { makeFolders } from './make-folders.ts';
import { privateDirectory } from './private-modes.ts';

/**
 * The data directory:
 *
 *   FORMAT     the version of all this (format-file.ts)
 *   lock       socket of the process that uses the directory (directory-lock.ts)
 *   holder     which machine uses it, where several may have mounted it (host-watch.ts)
 *   restoring  while a restore works
 *   joining/   a backup of another replica that is to take the place of all this, until it is whole (../replace.ts)
 *   joined     it is whole, and is taking that place
 *   replaced/   what a backup took the place of, where that is kept
 *   replica-tail  which messages of that log were applied last (replicas/kept-marks.ts)
 *   replica-clock.json  the time of the log of replicas (replicas/log-clock.ts)
 *   log/       segments of the commit log
 *   parts/     `<number>.part`
 *   catalog/   the manifest (manifest/catalog-files.ts)
 *
 * All of it belongs to the user of the service alone (private-modes.ts).
 */
export interface DataDirectory {
  readonly root: string;
  readonly log: string;
  readonly parts: string;
  readonly catalog: string;
}

export function directoryPaths(root: string): DataDirectory {
  return { root, log: join(root, 'log'), parts: join(root, 'parts'), catalog: join(root, 'catalog') };
}

/** The file that says that a directory is being restored: no start takes it for a whole one. */
export function restoringPath(root: string): string {
  return join(root, 'restoring');
}

/**
 * Makes the directory if it is not there; refuses one of another format, or of a restore that was not finished. Changes
 * nothing inside it. Throws CannotOpen.
 */
export async function prepareDirectory(root: string): Promise<DataDirectory> {
  const made = await makeDirectory(root);
  if (made !== undefined) await syncAncestors(root, made);
  const paths = directoryPaths(root);
  await checkDirectory(paths);
  return paths;
}

/** Makes what is inside. Only the process that holds the directory's lock may do this. Gives what is wrong with FORMAT. */
export async function furnishDirectory(paths: DataDirectory): Promise<Damage | undefined> {
  const { root, log, parts, catalog } = paths;
  const { isNew, damage } = await checkDirectory(paths);
  if (isNew) await writeFormat(root);
  for (const path of [log, parts, catalog]) await mkdir(path, { recursive: true, mode: privateDirectory });
  await syncDirectory(root);
  return damage;
}

export interface CheckedDirectory {
  /** Nothing of Pitwall is in it yet. */
  readonly isNew: boolean;
  /** What is wrong with FORMAT: all that it says is said by the other files too. */
  readonly damage: Damage | undefined;
}

/** Throws CannotOpen where the directory is of another format, holds a part of a restore, or FORMAT is damaged and all there is. */
export async function checkDirectory({
  root,
  log,
  parts,
  catalog,
}: DataDirectory): Promise<CheckedDirectory> {
  if (existsSync(restoringPath(root)))
    throw new CannotOpen(`${root} holds a restore that was not finished; empty it and restore again`);
  const fault = await readFormat(root);
  const isFurnished = [log, parts, catalog].some((path) => existsSync(path));
  const isNew = fault?.isMissing === true && !isFurnished;
  if (fault !== undefined && !isNew && !isFurnished)
    throw new CannotOpen(
      `${lineOf(fault)}; nothing else of Pitwall is there: empty the folder, or choose another one`,
    );
  return { isNew, damage: isNew ? undefined : fault };
}

/** Makes the directory for its owner alone, and those above it as usual; the outermost that was made, if any. */
export async function makeDirectory(root: string): Promise<string | undefined> {
  const above = await makeFolders(dirname(resolve(root)));
  const made = await makeFolders(resolve(root), privateDirectory);
  return above ?? made;
}

/** Whether anything was ever written there that only a catalogue makes sense of. */
export async function hasData({ log, parts }: DataDirectory): Promise<boolean> {
  return [...(await readdir(parts)), ...(await readdir(log))].some((name) => /\.(?:part|log)$/.test(name));
}

/** Makes the names of new directories durable, from `made`, the outermost, to `root`. */
async function syncAncestors(root: string, made: string): Promise<void> {
  const outermost = dirname(resolve(made));
  for (let path = dirname(resolve(root)); path.length >= outermost.length; path = dirname(path)) {
    await syncDirectory(path);
    if (path === outermost) break;
  }
}

/** What keeps a directory from being used as one line for the person who started the service. */
export function explain(error: unknown, root: string): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') {
    return new CannotOpen(`${root} cannot be written: ${(error as Error).message}`);
  }
  if (code === 'ENOTDIR' || code === 'EEXIST') return new CannotOpen(`${root} is not a directory`);
  return error;
}
