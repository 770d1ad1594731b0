import { open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { CannotOpen } from '../../cannot-open.ts';
import type { StoreLog } from '../../store-log.ts';
import type { Damage } from './damage.ts';
import { isDiskError, syncDirectory } from './files.ts';
import { privateFile } from './private-modes.ts';

/**
 * FORMAT, the file of a data folder that says of which version it is: one line, JSON `{"format":2,"checksum":"06fa31b2"}`. The
 * checksum is the CRC-32 of all that stands before `,"checksum"`, eight digits of hex. Whatever a later version writes
 * before it, this one can tell damage from another format.
 */
export const formatVersion = 2;

const name = 'FORMAT';

/**
 * Reads FORMAT: undefined where it is whole and of this version, else what is wrong with it. Throws CannotOpen where it is
 * whole and of another version.
 */
export async function readFormat(root: string): Promise<FormatFault | undefined> {
  const file = join(root, name);
  const damage = (to: number, what: string): FormatFault => ({ file, from: 0, to, what, isMissing: false });
  let text: string;
  try {
    text = await readFile(file, 'latin1');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { ...damage(0, 'the file is missing'), isMissing: true };
    if (code === 'EISDIR' || isDiskError(error)) return damage(0, `it cannot be read: ${message}`);
    throw error;
  }
  const [, checked = '', format, checksum] =
    /^(\{"format":(\d+)[^\n]*),"checksum":"([0-9a-f]{8})"\}\n$/.exec(text) ?? [];
  if (checksumOf(checked) !== checksum) return damage(text.length, 'it does not have its checksum');
  if (Number(format) === formatVersion) return undefined;
  throw new CannotOpen(`${root} has format ${format}; this version of Pitwall takes format ${formatVersion}`);
}

export interface FormatFault extends Damage {
  /** As in a folder that is new. */
  readonly isMissing: boolean;
}

/** Writes FORMAT, synced; its name is durable once the folder is synced. A stop in the middle leaves what was there. */
export async function writeFormat(root: string): Promise<void> {
  const file = join(root, name);
  const checked = `{"format":${formatVersion}`;
  await writeFile(`${file}.new`, `${checked},"checksum":"${checksumOf(checked)}"}\n`, { mode: privateFile });
  const handle = await open(`${file}.new`);
  await handle.sync();
  await handle.close();
  await rename(`${file}.new`, file);
}

/** Writes it anew where it was damaged. A disk that takes nothing keeps no service from starting: the next start tries again. */
export async function mendFormat(root: string, log: StoreLog): Promise<void> {
  try {
    await writeFormat(root);
    await syncDirectory(root);
    log.info({}, `${join(root, name)} was written anew`);
  } catch (error) {
    log.warn({}, `${join(root, name)} could not be written anew: ${(error as Error).message}`);
  }
}

function checksumOf(text: string): string {
  return crc32(Buffer.from(text, 'latin1')).toString(16).padStart(8, '0');
}
