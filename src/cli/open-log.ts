import { readFile, stat } from 'node:fs/promises';
import { type FileBytes, FileFault } from '../import/file-bytes.ts';
import { kindOfFile } from '../import/file-kinds.ts';
import type { LoggedFile } from '../import/logged-file.ts';
import type { MessageTime } from '../import/mcap/message-time.ts';
import { openMdf4 } from '../import/mdf4/open-mdf4.ts';
import { openLd } from '../import/motec/open-ld.ts';
import { CommandError } from './command.ts';
import { openFile } from './open-file.ts';

/** The largest .ldx file: laps are a few hundred bytes each. */
const longestLdx = 16 << 20;

/** A logger's file that is open. */
export interface ImportLog {
  readonly log: LoggedFile;
  close(): Promise<void>;
}

/** What the command line says of how an MCAP file is read. */
export interface LogOptions {
  readonly time?: MessageTime | undefined;
  /** Topics that are left out. */
  readonly skip?: readonly string[];
}

/**
 * Opens an MCAP or MDF4 file, or a MoTeC log and the .ldx file beside it, where there is one. Throws a CommandError that names
 * the place.
 */
export async function openLog(path: string, options: LogOptions = {}): Promise<ImportLog> {
  const isMotec = kindOfFile(path) === 'motec';
  const ldx = isMotec ? await readBeside(path) : undefined;
  const file = await openFile(path);
  try {
    const log = await openBytes(path, file, ldx, options);
    return { log, close: () => file.close() };
  } catch (error) {
    await file.close();
    throw namedFault(path, error);
  }
}

async function openBytes(
  path: string,
  file: FileBytes,
  ldx: string | undefined,
  { time, skip = [] }: LogOptions,
): Promise<LoggedFile> {
  switch (kindOfFile(path)) {
    case 'motec':
      return openLd(file, ldx);
    case 'mcap':
      return (await import('../import/mcap/open-mcap.ts')).openMcap(file, { time, skip });
    default: {
      const log = await openMdf4(file);
      // Its records may be compressed; of the others all is checked by now.
      await readThrough(log);
      return log;
    }
  }
}

/** Nothing is sent of a file with a fault. */
async function readThrough({ tables }: LoggedFile): Promise<void> {
  for (const table of tables) {
    const rows = table.read();
    while ((await rows.next()).done !== true);
  }
}

async function readBeside(path: string): Promise<string | undefined> {
  for (const beside of [`${path}x`, `${path}X`]) {
    const found = await stat(beside).catch(() => undefined);
    if (found === undefined) continue;
    if (found.size > longestLdx) throw new CommandError(`${beside} has more than ${longestLdx} bytes`);
    return await readFile(beside, 'utf8').catch((error: unknown) => {
      throw namedFault(beside, error);
    });
  }
  return undefined;
}

/** A fault of the file, or of the system, with the name of the file. */
export function namedFault(path: string, error: unknown): Error {
  if (error instanceof FileFault) return new CommandError(`${path}: ${error.message}`);
  // Of the system, such as a disk that fails.
  const { message, errno } = error as NodeJS.ErrnoException;
  return errno === undefined ? (error as Error) : new CommandError(`${path} cannot be read: ${message}`);
}
