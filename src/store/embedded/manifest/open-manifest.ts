import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CannotOpen } from '../../cannot-open.ts';
import { type Damage, DamagedError, lineOf } from '../files/damage.ts';
import { isNoSpace } from '../files/files.ts';
import { closedName, fileOpener, listFiles } from './catalog-files.ts';
import { CommitsEnded } from './commit-queue.ts';
import { compact, setAsideAndCompact } from './compaction.ts';
import { type LiveFiles, liveFiles } from './live-files.ts';
import { type LoadedFiles, loadFiles } from './load-files.ts';
import {
  type CopyableManifest,
  type LostEntries,
  lostEntries,
  type ManifestChange,
  tableNames,
} from './manifest.ts';
import { type ManifestView, manifestView } from './manifest-view.ts';
import { prepareCatalog } from './prepare-catalog.ts';
import { snapshotBytes, writeClosed } from './snapshot-writer.ts';

export interface ManifestOptions {
  /** Whether the folder has data, so that a catalogue must be there; by default one is made where there is none. */
  readonly isUsed?: () => Promise<boolean>;
  /** Told of damage, one line each. */
  readonly report?: (problem: string) => void;
  /** Told of what a stop left, and of what could not be done now. */
  readonly note?: (message: string) => void;
}

/** The bytes of edits from which on they become a snapshot, if they are more than the last one. */
const minEditBytes = 1 << 20;
/** The largest snapshot that is written at a clean stop. */
const cheapBytes = 8 << 20;

/**
 * Opens the manifest of a folder, making it where there is none. What an interrupted commit left is cut. Damage that a
 * file from before can repair is repaired; otherwise what it took away is in `meta/damage` from now on. Both are told.
 * Throws CannotOpen.
 */
export async function openManifest(
  directory: string,
  options: ManifestOptions = {},
): Promise<CopyableManifest> {
  const { report = () => undefined, note = () => undefined } = options;
  await prepareCatalog(directory, options.isUsed ?? (async () => false));
  const found = await listFiles(directory);
  for (const name of found.names) if (name.endsWith('.new')) await rm(join(directory, name));
  const open = fileOpener();
  const loaded = await loadFiles(directory, found, open);
  const { cut, damages, isLossy } = loaded;
  for (const damage of damages) report(`${lineOf(damage)}${isLossy ? '' : '; nothing is lost'}`);
  if (cut !== undefined)
    note(`cut ${cut.to - cut.from} bytes at the end of ${cut.file}: an interrupted commit left them`);
  const number = 1 + Math.max(...found.snapshots, ...found.edits);
  const live = await liveFiles(directory, loaded, open, number).catch((error: unknown) => {
    for (const file of loaded.files) file.release();
    throw error;
  });
  const told = lostEntries(live.view())?.told ?? [];
  for (const line of told) report(`the catalogue has lost entries: ${line}`);
  if (damages.length > 0) await repair(live, loaded, told, note);
  return manifestOf(live, report, note);
}

/** The manifest as it stands, for one who changes nothing. Throws CannotOpen where there is none. */
export async function readManifest(directory: string): Promise<ReadManifest> {
  const found = await listFiles(directory);
  if (found.snapshots.length === 0) throw new CannotOpen(`${directory} is missing: there is no catalogue`);
  const { damages, files, isClosed, locations } = await loadFiles(directory, found, fileOpener());
  return {
    ...manifestView(locations, files),
    damages,
    isClosed,
    close() {
      for (const file of files) file.release();
    },
  };
}

export interface ReadManifest extends ManifestView {
  readonly damages: readonly Damage[];
  /** A clean stop came after the last commit. */
  readonly isClosed: boolean;
  close(): void;
}

/** Writes anew what has damage. What is lost must be on the disk as lost before anything is built on the rest. */
async function repair(
  live: LiveFiles,
  loaded: LoadedFiles,
  told: readonly string[],
  note: (message: string) => void,
): Promise<void> {
  const { damages, isLossy } = loaded;
  try {
    if (isLossy) await noteLoss(live, loaded, told);
    else if (damages.some(({ file }) => !file.endsWith(closedName))) await compact(live);
    // It has told what it could; the next stop writes another.
    await rm(join(live.directory, closedName), { force: true });
  } catch (error) {
    const { message } = error as Error;
    if (!isLossy) return note(`a damaged snapshot of the catalogue could not be replaced: ${message}`);
    await live.close();
    throw new CannotOpen(
      `the catalogue is damaged, and could not be written anew: ${message}: ${lineOf(damages[0]!)}`,
    );
  }
}

async function noteLoss(live: LiveFiles, loaded: LoadedFiles, told: readonly string[]): Promise<void> {
  const { damages, rescued } = loaded;
  await live.queue.between(live.rotate);
  const value: LostEntries = { told: [...told, ...damages.map(lineOf)], settled: false };
  await live.commit([
    ...Object.entries(rescued).map(([key, kept]): ManifestChange => ({ table: 'meta', key, value: kept })),
    { table: 'meta', key: 'damage', value },
  ]);
  await setAsideAndCompact(live, damages);
}

function manifestOf(
  live: LiveFiles,
  report: (problem: string) => void,
  note: (message: string) => void,
): CopyableManifest {
  const { directory, locations, queue } = live;
  let compacting: Promise<void> | undefined;
  let compactAt = minEditBytes;
  let isClosing = false;
  /** Whether a snapshot would say more than the last one and the clock. */
  let hasNews = live.editBytes > 1 << 17;
  let isEnded = false;
  queue.ended.then(() => {
    isEnded = true;
  });

  function tell(error: unknown, what: string, done: string): void {
    if (error instanceof DamagedError) report(error.message);
    else if (!isNoSpace(error) && !(error instanceof CommitsEnded))
      note(`${what} could not be ${done}: ${(error as Error).message}`);
  }

  function compactLater(): void {
    const [snapshot] = live.files;
    if (isClosing || compacting !== undefined) return;
    if (live.editBytes < Math.max(compactAt, snapshot!.size())) return;
    compacting = compact(live, () => {
      if (isClosing) throw new Error('the service stops');
    })
      .then(
        () => {
          compactAt = minEditBytes;
          hasNews = false;
        },
        (error: unknown) => {
          compactAt = live.editBytes + minEditBytes;
          if (!isClosing) tell(error, 'a snapshot of the catalogue', 'written');
        },
      )
      .finally(() => {
        compacting = undefined;
      });
  }

  async function stop(): Promise<void> {
    const cost = live.editBytes + live.files[0]!.size();
    if (hasNews && cost <= cheapBytes)
      await compact(live).catch((error: unknown) => tell(error, 'a snapshot of the catalogue', 'written'));
    const view = live.view();
    const meta = [...view.entries('meta')].map(({ key, value }) => [key, value] as const);
    await writeClosed(directory, {
      sequence: live.sequence,
      counts: Object.fromEntries(tableNames.map((table) => [table, locations.count(table)])),
      meta: Object.fromEntries(meta),
    });
  }

  return {
    read: (table, key) => live.view().read(table, key),
    entries: (table) => live.view().entries(table),
    readStreams: (visit) => live.view().readStreams(visit),
    count: locations.count,
    async commit(changes) {
      await live.commit(changes);
      hasNews ||= changes.some(({ table, key }) => table !== 'meta' || key === 'lsn');
      compactLater();
    },
    snapshot() {
      const { files } = live;
      for (const file of files) file.hold();
      const view = manifestView(locations.copy(), files);
      let held = true;
      return {
        read: view.read,
        entries: view.entries,
        readStreams: view.readStreams,
        bytes: () => snapshotBytes(view.stored(), 1, 0),
        release() {
          if (held) for (const file of files) file.release();
          held = false;
        },
      };
    },
    idle: queue.idle,
    ended: queue.ended,
    async close() {
      isClosing = true;
      await compacting;
      await queue.idle();
      if (!isEnded) {
        await stop().catch((error: unknown) => tell(error, 'the stop', 'noted'));
      }
      await live.close();
    },
  };
}
