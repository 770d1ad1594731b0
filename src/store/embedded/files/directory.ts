import { mkdir, open, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CannotOpen } from '../../cannot-open.ts';
import { syncDirectory } from './files.ts';
import { privateDirectory, privateFile } from './private-modes.ts';

/**
 * The data directory:
 *
 *   FORMAT     JSON `{"format": 2, "operatorToken": 16}`; a start writes it over a smaller number, before anything else.
 *              `operatorToken` is the length that an operator's token has at least; a folder without it was made by an
 *              earlier version or by a restore, and may be in use with a shorter one
 *   lock       socket of the process that uses the directory (directory-lock.ts)
 *   holder     which machine uses it, where several may have mounted it (host-watch.ts)
 *   log/       segments of the commit log
 *   parts/     `<number>.part`
 *   catalog/   the manifest (manifest/catalog-files.ts)
 *
 * All of it belongs to the user of the service alone (private-modes.ts).
 */
export const formatVersion = 2;

/**
 * The fewest characters of an operator's token, where it is set for the first time: 16 of hex are 64 bits, more than can be
 * guessed over a network.
 */
export const leastOperatorToken = 16;

/** The number of a directory that is being restored: no start takes it for a whole one. */
export const unfinishedFormat = 0;
/** What stands beside that number, in the field `restore`. */
const unfinishedRestore = 'unfinished';

export interface DataDirectory {
  readonly root: string;
  readonly log: string;
  readonly parts: string;
  readonly catalog: string;
}

export function directoryPaths(root: string): DataDirectory {
  return { root, log: join(root, 'log'), parts: join(root, 'parts'), catalog: join(root, 'catalog') };
}

/** Makes the directory if it is not there; refuses one of a newer format. Changes nothing inside it. */
export async function prepareDirectory(root: string): Promise<DataDirectory> {
  const made = await makeDirectory(root);
  if (made !== undefined) await syncAncestors(root, made);
  await checkFormat(root);
  return directoryPaths(root);
}

/**
 * Makes what is inside, and says that it may be of this format from now on: programs of older ones refuse it. Only the
 * process that holds the directory's lock may do this.
 */
export async function furnishDirectory(paths: DataDirectory): Promise<void> {
  const { root, log, parts, catalog } = paths;
  const format = await checkFormat(root);
  if (format === undefined) await writeFormat(root, formatVersion, leastOperatorToken);
  else if (format !== formatVersion) {
    await writeFormat(root, formatVersion, await operatorTokenLength(root));
  }
  for (const path of [log, parts, catalog]) await mkdir(path, { recursive: true, mode: privateDirectory });
  await syncDirectory(root);
}

/** Makes the directory for its owner alone, and those above it as usual; the outermost that was made, if any. */
export async function makeDirectory(root: string): Promise<string | undefined> {
  const above = await mkdir(dirname(resolve(root)), { recursive: true });
  const made = await mkdir(root, { recursive: true, mode: privateDirectory });
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

/** The format of the directory, which this version reads; undefined where it has none yet. Throws CannotOpen. */
export async function checkFormat(root: string): Promise<number | undefined> {
  const content = await readFormat(root);
  if (content === undefined) return undefined;
  const { format, restore } = content;
  if (format === unfinishedFormat && restore !== unfinishedRestore) {
    // One bit makes a 0 of a 2: who is told to empty the folder has to be sure.
    throw new CannotOpen(
      `${join(root, 'FORMAT')} is damaged, or an older version did not finish a restore: ` +
        `if data was in use here, write {"format": ${formatVersion}} into it; if not, empty the folder and restore again`,
    );
  }
  if (format === unfinishedFormat) {
    throw new CannotOpen(`${root} holds a restore that was not finished; empty it and restore again`);
  }
  if (typeof format !== 'number' || format < 1) {
    throw new CannotOpen(`${join(root, 'FORMAT')} is damaged: expected {"format": ${formatVersion}}`);
  }
  if (format > formatVersion) {
    throw new CannotOpen(
      `${root} was written by a newer version of Pitwall (format ${format}; this version knows ${formatVersion})`,
    );
  }
  return format;
}

/** The length that an operator's token has at least in this directory; undefined where it does not say. */
export async function operatorTokenLength(root: string): Promise<number | undefined> {
  const length = (await readFormat(root))?.operatorToken;
  return typeof length === 'number' ? length : undefined;
}

interface FormatFile {
  readonly format?: unknown;
  readonly restore?: unknown;
  readonly operatorToken?: unknown;
}

async function readFormat(root: string): Promise<FormatFile | undefined> {
  const path = join(root, 'FORMAT');
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return { ...(JSON.parse(text) as FormatFile) };
  } catch {
    throw new CannotOpen(`${path} is damaged: expected {"format": ${formatVersion}}`);
  }
}

/** A stop in the middle must not leave a file without its content. */
export async function writeFormat(root: string, format: number, operatorToken?: number): Promise<void> {
  const path = join(root, 'FORMAT');
  const unfinished = `${path}.new`;
  const content =
    format === unfinishedFormat ? { format, restore: unfinishedRestore } : { format, operatorToken };
  await writeFile(unfinished, `${JSON.stringify(content)}\n`, { mode: privateFile });
  const handle = await open(unfinished);
  await handle.sync();
  await handle.close();
  await rename(unfinished, path);
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
