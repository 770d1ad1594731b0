import { createHash } from 'node:crypto';
import { extract } from 'tar-stream';
import { formatVersion } from '../files/format-file.ts';
import {
  type BackupFile,
  type BackupHead,
  backupChecksums,
  backupFormat,
  backupHead,
  isBackupFile,
} from './backup-format.ts';
import { writeChunks } from './write-chunks.ts';

/** The archive is no backup, or not whole, or was altered; one line for the person who wants it back. */
export class BackupRefused extends Error {}

/** Takes one file; what it makes of it counts only when the whole backup was read. */
export type TakeFile = (file: BackupFile, chunks: AsyncIterable<Uint8Array>) => Promise<void>;

/**
 * Reads a backup from its first byte to its last and gives each of its files to `take`, in the order of the archive.
 * Throws BackupRefused unless every byte of every file is the one that was backed up, and what `bytes` or `take`
 * throw.
 */
export async function readBackup(bytes: AsyncIterable<Uint8Array>, take: TakeFile): Promise<BackupHead> {
  const unpacked = extract();
  const source = guarded(bytes);
  const feeding = writeChunks(unpacked, source.chunks).then(
    () => unpacked.end(undefined),
    // With its error, or the ones that wait for the next entry would never hear of it.
    (error: unknown) => unpacked.destroy(error as Error),
  );
  const checksums = new Map<string, string>();
  let head: BackupHead | undefined;
  let last: string | undefined;
  /** What the archive itself throws says that it is broken, unless it could not be read to begin with. */
  const reading = async <T>(step: Promise<T>, where: string): Promise<T> => {
    try {
      return await step;
    } catch {
      throw source.error ?? new BackupRefused(`it is not whole: it breaks off ${where}`);
    }
  };

  async function* contentOf(name: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256');
    const iterator = chunks[Symbol.asyncIterator]();
    for (;;) {
      const next = await reading(iterator.next(), `inside ${name}`);
      if (next.done === true) break;
      hash.update(next.value);
      yield next.value;
    }
    checksums.set(name, hash.digest('hex'));
  }

  try {
    const entries = unpacked[Symbol.asyncIterator]();
    for (;;) {
      const next = await reading(entries.next(), last === undefined ? 'at its beginning' : `after ${last}`);
      if (next.done === true) break;
      const { name, size, type } = next.value.header;
      const chunks = contentOf(name, next.value as AsyncIterable<Uint8Array>);
      const expected =
        head === undefined ? backupHead : (head.files[checksums.size - 1]?.name ?? backupChecksums);
      if (last === backupChecksums || name !== expected || type !== 'file') throw unexpected(name, last);
      if (name === backupHead) head = readHead(await collect(chunks));
      else if (name === backupChecksums) compare(new Map(checksums), await collect(chunks));
      else await takeWhole({ name, size }, head!.files[checksums.size - 1]!, chunks, take);
      last = name;
    }
    if (head === undefined || last !== backupChecksums) {
      throw new BackupRefused(`it is not whole: it ends after ${last ?? 'nothing'}`);
    }
    return head;
  } finally {
    unpacked.destroy();
    await feeding;
  }
}

/** Keeps apart what the source throws and what the archive in it does. */
function guarded(bytes: AsyncIterable<Uint8Array>): {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly error: unknown;
} {
  let failure: unknown;
  const chunks = async function* () {
    try {
      yield* bytes;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  return {
    chunks: chunks(),
    get error() {
      return failure;
    },
  };
}

async function takeWhole(
  file: BackupFile,
  expected: BackupFile,
  chunks: AsyncIterable<Uint8Array>,
  take: TakeFile,
): Promise<void> {
  if (file.size !== expected.size) throw altered(file.name);
  await take(file, chunks);
}

function readHead(text: Buffer): BackupHead {
  const head = parseObject(text, backupHead) as Partial<BackupHead>;
  if (typeof head.format !== 'number' || typeof head.dataFormat !== 'number') throw altered(backupHead);
  if (head.format !== backupFormat || head.dataFormat !== formatVersion) {
    throw new BackupRefused(
      `it has format ${head.format} and data of format ${head.dataFormat}; this version of Pitwall takes ` +
        `format ${backupFormat} and data of format ${formatVersion}`,
    );
  }
  const { files } = head;
  const isWhole =
    typeof head.createdAt === 'string' &&
    Array.isArray(files) &&
    files.every((file) => typeof file?.name === 'string' && Number.isSafeInteger(file.size));
  if (!isWhole) throw altered(backupHead);
  const strange = files.find(({ name }) => !isBackupFile(name));
  if (strange !== undefined) throw unexpected(strange.name, undefined);
  if (new Set(files.map(({ name }) => name)).size < files.length) throw altered(backupHead);
  return head as BackupHead;
}

/** `found` are the checksums of all files before. */
function compare(found: ReadonlyMap<string, string>, text: Buffer): void {
  const written = parseObject(text, backupChecksums);
  for (const [name, checksum] of found) if (written[name] !== checksum) throw altered(name);
  if (Object.keys(written).length !== found.size) throw altered(backupChecksums);
}

function parseObject(text: Buffer, name: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text.toString());
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Told below, like anything else that is not what was written.
  }
  throw altered(name);
}

function altered(name: string): BackupRefused {
  return new BackupRefused(`${name} was altered: it is not what was backed up`);
}

function unexpected(name: string, last: string | undefined): BackupRefused {
  const place = last === undefined ? '' : ` after ${last}`;
  return new BackupRefused(`it is no backup of Pitwall: it holds ${JSON.stringify(name)}${place}`);
}

/** The largest of the two files that tell of the others: they grow with their number only, 200 bytes each. */
const maxTextBytes = 256 << 20;

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const collected: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxTextBytes)
      throw new BackupRefused('it is no backup of Pitwall: its list of files is too long');
    collected.push(chunk);
  }
  return Buffer.concat(collected);
}
