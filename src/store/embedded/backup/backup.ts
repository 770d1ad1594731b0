import { open, stat } from 'node:fs/promises';
import { isOutOfFiles, outOfFiles, PitwallError } from '../../../errors.ts';
import { promised } from '../../../turns/promised.ts';
import type { Backup } from '../../store.ts';
import { DamagedError } from '../files/damage.ts';
import { isNoSpace } from '../files/files.ts';
import { formatVersion } from '../files/format-file.ts';
import { recordEnd, scanRecords } from '../log/log-record.ts';
import { segmentName } from '../log/segment-names.ts';
import type { Part } from '../parts/part-readers.ts';
import { partName } from '../parts/part-set.ts';
import { type ArchiveFile, archive, archiveBytes } from './backup-archive.ts';
import { type BackupHead, backupFormat, backupHead, catalogSnapshot } from './backup-format.ts';
import { captureMoment, type Moment, type MomentSource } from './backup-moment.ts';
import { openSpool, readRange, type Spool } from './backup-spool.ts';

/** Backups of one store. */
export interface Backups {
  /** As `Store.backup` says. */
  begin(signal: AbortSignal): Promise<Backup>;
  /** Breaks off those under way and waits until they hold nothing any more. */
  close(): Promise<void>;
}

/**
 * @param directory where copies may stand for the time of a backup
 * @param clock milliseconds since the Unix epoch
 */
export function backupsOf(source: MomentSource, directory: string, clock: () => number): Backups {
  const closing = new AbortController();
  const underWay = new Set<Promise<void>>();
  return {
    begin(signal) {
      const { promise: released, resolve: onReleased } = promised();
      underWay.add(released);
      released.then(() => underWay.delete(released));
      return begin(source, directory, clock(), AbortSignal.any([signal, closing.signal]), onReleased);
    },
    async close() {
      closing.abort(new PitwallError('shutting_down'));
      await Promise.all(underWay);
    },
  };
}

/**
 * The archive of one moment. What it needs of manifest and log is copied to a spool before the first byte leaves, so
 * that a slow reader holds no memory and no files of the manifest; only parts that are merged away meanwhile stay on the disk
 * until they were read.
 */
async function begin(
  source: MomentSource,
  directory: string,
  time: number,
  signal: AbortSignal,
  onReleased: () => void,
): Promise<Backup> {
  let moment: Moment | undefined;
  let spool: Spool | undefined;
  const release = async (): Promise<void> => {
    signal.removeEventListener('abort', onAbort);
    moment?.release();
    const open = spool;
    spool = undefined;
    try {
      await open?.close();
    } finally {
      onReleased();
    }
  };
  // Whoever reads the backup is told of the abort; the spool has no name any more and goes with the process at the latest.
  const onAbort = (): void => {
    release().catch(() => undefined);
  };
  try {
    moment = await captureMoment(source, signal);
    const held = moment;
    spool = await openSpool(directory);
    const catalog = await spoolCatalog(held, spool, signal);
    const log = await spoolLog(held, spool, signal);
    held.releaseMemory();
    const parts = new Map<ArchiveFile, Part>();
    for (const part of held.parts) parts.set(await partFile(part), part);
    signal.throwIfAborted();
    signal.addEventListener('abort', onAbort);
    const files = withHead([catalog, ...log, ...parts.keys()], time);
    const chunks = async function* () {
      try {
        yield* archive(files, time, (file) => held.releasePart(parts.get(file)));
      } finally {
        await release();
      }
    };
    return { bytes: archiveBytes(files), chunks: chunks() };
  } catch (error) {
    await release();
    if (isNoSpace(error)) throw new PitwallError('disk_full', { detail: noRoom });
    if (error instanceof DamagedError) throw new PitwallError('data_damaged', { detail: error.message });
    throw isOutOfFiles(error) ? outOfFiles() : error;
  }
}

const noRoom = 'a backup needs room for a copy of the catalogue and the log';

async function spoolCatalog({ manifest }: Moment, spool: Spool, signal: AbortSignal): Promise<ArchiveFile> {
  const from = spool.size;
  for await (const chunk of manifest.bytes()) {
    signal.throwIfAborted();
    await spool.append(chunk);
  }
  return spool.file(catalogSnapshot, from, spool.size);
}

/** The segments of the slabs, each up to its last record of the moment. */
async function spoolLog(
  { heads, syncedLsn }: Moment,
  spool: Spool,
  signal: AbortSignal,
): Promise<ArchiveFile[]> {
  const files: ArchiveFile[] = [];
  for (const { slab } of heads) {
    signal.throwIfAborted();
    // After the last one may stand what a start cut off as never acknowledged, whose numbers others have now.
    const mostLsn = Math.min(syncedLsn, slab.lastLsn);
    const last = scanRecords(slab, slab.used).findLast(({ lsn }) => lsn <= mostLsn);
    if (last === undefined) continue;
    const from = spool.size;
    await spool.append(slab.bytes.subarray(0, recordEnd(last)));
    files.push(spool.file(segmentName(slab.sequence), from, spool.size));
  }
  return files.map((file) => ({ ...file, name: `log/${file.name}` }));
}

async function partFile({ path, record }: Part): Promise<ArchiveFile> {
  const { size } = await stat(path).catch((error: Error) => {
    throw new PitwallError('data_damaged', { detail: `${path} cannot be read: ${error.message}` });
  });
  if (size !== record.bytes) {
    throw new PitwallError('data_damaged', {
      detail: `${path} has ${size} bytes instead of ${record.bytes}`,
    });
  }
  return { name: `parts/${partName(record.number)}`, size, read: () => readFile(path, size) };
}

async function* readFile(path: string, size: number): AsyncGenerator<Uint8Array> {
  const handle = await open(path);
  try {
    yield* readRange(handle, 0, size);
  } finally {
    await handle.close();
  }
}

function withHead(files: readonly ArchiveFile[], time: number): ArchiveFile[] {
  const head: BackupHead = {
    format: backupFormat,
    dataFormat: formatVersion,
    createdAt: new Date(time).toISOString(),
    files: files.map(({ name, size }) => ({ name, size })),
  };
  const bytes = Buffer.from(JSON.stringify(head));
  return [{ name: backupHead, size: bytes.length, read: () => [bytes] }, ...files];
}
