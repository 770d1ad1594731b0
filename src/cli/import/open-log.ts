import { readFile, stat } from 'node:fs/promises';
import type { Dbc } from '../../import/can/dbc.ts';
import { type FileBytes, FileFault } from '../../import/file-bytes.ts';
import type { FileKind } from '../../import/file-ends.ts';
import { isAmbiguous, kindOfContent, kindOfFile } from '../../import/file-kinds.ts';
import type { LoggedFile } from '../../import/logged-file.ts';
import type { MessageTime } from '../../import/mcap/message-time.ts';
import { openLd } from '../../import/motec/open-ld.ts';
import { CommandError } from '../command.ts';
import { openFile } from './open-file.ts';

/** The largest .ldx file: laps are a few hundred bytes each. */
const longestLdx = 16 << 20;

/** A logger's file that is open. */
export interface ImportLog {
  readonly log: LoggedFile;
  close(): Promise<void>;
}

/** What the command line says of how a log is read. */
export interface LogOptions {
  /** Of an MCAP file. */
  readonly time?: MessageTime | undefined;
  /** Topics of an MCAP file that are left out. */
  readonly skip?: readonly string[];
  /** Files that say what frames of CAN buses mean. */
  readonly dbc?: readonly string[];
}

/** What a file is, by its name and what it begins with; undefined where that is nothing of ours. Throws a CommandError. */
export async function findKind(path: string): Promise<FileKind | undefined> {
  if (!isAmbiguous(path)) return kindOfFile(path);
  const file = await openFile(path);
  try {
    return await kindOfContent(path, file);
  } catch (error) {
    throw namedFault(path, error);
  } finally {
    await file.close();
  }
}

/** Opens a logger's file, a MoTeC log with the .ldx file beside it, where there is one. Throws a CommandError that names the place. */
export async function openLog(path: string, kind: FileKind, options: LogOptions = {}): Promise<ImportLog> {
  const ldx = kind === 'motec' ? await readBeside(path) : undefined;
  const dbc = (options.dbc ?? []).length === 0 ? undefined : await readDbcFiles(options.dbc!);
  const file = await openFile(path);
  try {
    const log = await openBytes(kind, file, ldx, dbc, options);
    return { log, close: () => file.close() };
  } catch (error) {
    await file.close();
    throw namedFault(path, error);
  }
}

async function openBytes(
  kind: FileKind,
  file: FileBytes,
  ldx: string | undefined,
  dbc: Dbc | undefined,
  { time, skip = [] }: LogOptions,
): Promise<LoggedFile> {
  switch (kind) {
    case 'motec':
      return openLd(file, ldx);
    case 'mcap':
      return (await import('../../import/mcap/open-mcap.ts')).openMcap(file, { time, skip });
    case 'can':
      return (await import('../../import/can/open-can.ts')).openCan(file, dbc);
    case 'nmea':
      return (await import('../../import/position/open-nmea.ts')).openNmea(file);
    case 'gpx':
      return (await import('../../import/position/open-gpx.ts')).openGpx(file);
    default:
      return (await import('../../import/mdf4/open-mdf4.ts')).openMdf4(file, dbc);
  }
}

/** Throws a CommandError that names file and line. */
async function readDbcFiles(paths: readonly string[]): Promise<Dbc> {
  const { longestDbc, readDbc } = await import('../../import/can/read-dbc.ts');
  const files: { name: string; bytes: Uint8Array }[] = [];
  for (const path of paths) {
    const file = await openFile(path);
    try {
      if (file.size > longestDbc) throw new CommandError(`${path} has more than ${longestDbc} bytes`);
      files.push({ name: path, bytes: await file.read(0, file.size) });
    } finally {
      await file.close();
    }
  }
  try {
    return readDbc(files);
  } catch (error) {
    throw error instanceof FileFault ? new CommandError(error.message) : error;
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
