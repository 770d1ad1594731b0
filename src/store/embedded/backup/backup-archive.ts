import { createHash, type Hash } from 'node:crypto';
import { type Pack, pack } from 'tar-stream';
import { type BackupFile, backupChecksums, checksumLength, encodeChecksums } from './backup-format.ts';
import { writeChunks } from './write-chunks.ts';

/** A file as it goes into an archive; `read` gives exactly `size` bytes. */
export interface ArchiveFile extends BackupFile {
  read(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

const blockBytes = 512;

/** The length of the archive that `archive` makes of the files. */
export function archiveBytes(files: readonly BackupFile[]): number {
  const placeholders = new Map(files.map(({ name }) => [name, '0'.repeat(checksumLength)]));
  const sizes = [...files.map(({ size }) => size), encodeChecksums(placeholders).length];
  const end = 2 * blockBytes;
  return sizes.reduce((sum, size) => sum + blockBytes + Math.ceil(size / blockBytes) * blockBytes, end);
}

/**
 * The files as a tar archive, `checksums.json` after them. What a file's reader throws ends the archive in the
 * middle. `onDone` is called for each file when all of it was read.
 *
 * @param time milliseconds since the Unix epoch, for all files
 */
export async function* archive(
  files: readonly ArchiveFile[],
  time: number,
  onDone: (file: ArchiveFile) => void,
): AsyncGenerator<Uint8Array> {
  const packed = pack();
  const feeding = feed(packed, files, new Date(time), onDone).then(
    () => packed.finalize(),
    (error: unknown) => packed.destroy(error as Error),
  );
  try {
    for await (const chunk of packed) yield chunk as Uint8Array;
  } finally {
    packed.destroy();
    await feeding;
  }
}

async function feed(
  packed: Pack,
  files: readonly ArchiveFile[],
  mtime: Date,
  onDone: (file: ArchiveFile) => void,
): Promise<void> {
  const checksums = new Map<string, string>();
  for (const file of files) {
    const hash = createHash('sha256');
    await addFile(packed, file, mtime, hash);
    checksums.set(file.name, hash.digest('hex'));
    onDone(file);
  }
  const last = encodeChecksums(checksums);
  await addFile(packed, { name: backupChecksums, size: last.length, read: () => [last] }, mtime);
}

async function addFile(packed: Pack, file: ArchiveFile, mtime: Date, hash?: Hash): Promise<void> {
  const { name, size } = file;
  const { entry, ended } = openEntry(packed, { name, size, mode: 0o600, mtime });
  try {
    await writeChunks(entry, file.read(), (chunk) => hash?.update(chunk));
    entry.end(undefined);
  } catch (error) {
    entry.destroy(error as Error);
  }
  await ended;
}

function openEntry(packed: Pack, header: Parameters<Pack['entry']>[0]) {
  let settle: (error?: Error | null) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    settle = (error) => (error ? reject(error) : resolve());
  });
  // It may end before anyone waits for it.
  ended.catch(() => undefined);
  const entry = packed.entry(header, (error) => settle(error));
  // The callback has told.
  entry.on('error', () => undefined);
  return { entry, ended };
}
