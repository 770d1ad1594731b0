import { join } from 'node:path';
import { defaultWorkspace } from '../../domain/principal.ts';
import { whole } from '../../turns/steps.ts';
import type { StoreLog } from '../store-log.ts';
import { applyRecord } from './catalog/apply-record.ts';
import { workspaceToJson } from './catalog/batch-draft.ts';
import { forgetRemoved, putWorkspace } from './catalog/catalog-changes.ts';
import { hiddenStreams, loadCatalog } from './catalog/catalog-manifest.ts';
import { type CatalogState, catalogState } from './catalog/catalog-state.ts';
import { type KnownParts, loadParts } from './catalog/known-parts.ts';
import { nameOrphans, orphanParts } from './catalog/orphan-parts.ts';
import { openRetentionClock, type RetentionClock } from './deletes/retention-clock.ts';
import { lineOf } from './files/damage.ts';
import type { DataDirectory } from './files/directory.ts';
import { type Files, realFiles } from './files/files.ts';
import { type HeadSlab, headSlab, placeSection, showSections } from './log/head.ts';
import { type RecoveredLog, recoverLog, settleLog } from './log/log-recovery.ts';
import { isSetAside } from './log/segment-names.ts';
import { type LostEntries, lostEntries, type Manifest, type ManifestChange } from './manifest/manifest.ts';
import { filePool } from './parts/file-pool.ts';
import { type PartCache, partCache } from './parts/part-cache.ts';
import type { PartRecord } from './parts/part-record.ts';
import { type PartSet, partSet } from './parts/part-set.ts';

/** The state that a directory holds: the manifest's, and the log replayed on it. */
export interface RecoveredState {
  readonly state: CatalogState;
  /** By which rows expire; not started yet. */
  readonly retentionClock: RetentionClock;
  readonly known: KnownParts;
  readonly parts: PartSet;
  readonly cache: PartCache;
  readonly files: Files;
  readonly recovered: RecoveredLog;
  /** Why the log must not be written to: the disk did not take what had to be done to it first. */
  readonly unsettled: Error | undefined;
  /** Files of the log. */
  readonly names: readonly string[];
  /** Rows of the log that are not in parts yet, oldest first. */
  readonly heads: readonly HeadSlab[];
}

export interface RecoveryOptions {
  readonly paths: DataDirectory;
  readonly manifest: Manifest;
  readonly cacheBytes: number;
  readonly indexBytes: number;
  /** Files of parts that reads have open at one time. */
  readonly maxFiles: number;
  /** Milliseconds since the Unix epoch, and of a clock that never goes back. */
  readonly clock: () => number;
  readonly monotonicMs: () => number;
  readonly log: StoreLog;
  /** The files of the log: the real ones without it. */
  readonly files?: Files;
  /** Told of damage. */
  readonly report: (problem: string) => void;
}

/** Recovers what a stop of any kind left; what takes long says how far it is. */
export async function recoverState(options: RecoveryOptions): Promise<RecoveredState> {
  const { paths, manifest, clock, log, report } = options;
  const progress = progressLog(log, clock);
  const state = catalogState(() => retentionClock.now());
  loadCatalog(state, manifest, (done, total) => progress('loading the catalogue: streams', done, total));
  const { files = realFiles(paths.log) } = options;
  const readLog = () =>
    recoverLog(
      files,
      Number(manifest.read('meta', 'lsn') ?? 0),
      (done, total) => progress('reading the log: segments', done, total),
      Number(manifest.read('meta', 'syncedLsn') ?? 0),
    );
  let recovered = await readLog();
  if (await nameOrphanParts(options, recovered)) recovered = await readLog();
  const known = await loadParts(manifest, paths.parts, report);
  await settleLosses(state, manifest, known);
  const cache = partCache(options.cacheBytes, options.indexBytes);
  const parts = partSet(paths.parts, known.records, cache, filePool(options.maxFiles));

  reportRecovery(recovered, paths.root, report, log);
  const names = await files.list();
  for (const name of names.filter(isSetAside)) report(`log/${name} holds damage found by an earlier start`);

  // The disk and this thread work at the same time; nothing of the log is left under way when this ends.
  const settling = settleLog(files, recovered);
  const heads = recovered.slabs.map(({ slab }) => headSlab(slab));
  let unsettled: Error | undefined;
  try {
    recovered.slabs.forEach(({ slab, records }, i) => {
      const head = heads[i]!;
      for (const record of records) {
        applyRecord(state, slab, record, (_slab, at) => placeSection(head, at, record.lsn));
        showSections(head);
        whole(forgetRemoved(state));
      }
      progress('replaying the log: segments', i + 1, recovered.slabs.length);
    });
  } finally {
    unsettled = await settling;
  }
  if (unsettled !== undefined)
    report(`what stands in ${paths.log} could not be made safe, so nothing is written: ${unsettled.message}`);
  if (!state.workspaces.has(defaultWorkspace)) {
    const workspace = { name: defaultWorkspace, createdAt: clock() };
    putWorkspace(state, workspace);
    // It is as old after a kill. Where the disk takes nothing, the next start makes it.
    await manifest
      .commit([{ table: 'workspaces', key: workspace.name, value: workspaceToJson(workspace) }])
      .catch(() => undefined);
  }

  const retentionClock = openRetentionClock({
    manifest,
    clocks: { wall: clock, monotonic: options.monotonicMs },
    lastWrite: () => lastWrite(state),
    log,
    report,
  });
  return { state, retentionClock, known, parts, cache, files, recovered, unsettled, names, heads };
}

/** Whether parts got entries again that the last commit of the manifest had given them. */
async function nameOrphanParts(
  { paths, manifest, report }: RecoveryOptions,
  recovered: RecoveredLog,
): Promise<boolean> {
  // Where more is lost than the last commit every part without an entry is taken in.
  if (lostEntries(manifest)?.settled === false) return false;
  const appliedLsn = Number(manifest.read('meta', 'lsn') ?? 0);
  const records = [...manifest.entries('parts')].map(({ value }) => value as PartRecord);
  const orphans = await orphanParts(records, paths.parts, appliedLsn, recovered);
  if (orphans.length === 0) return false;
  await nameOrphans(manifest, orphans, appliedLsn, report);
  return true;
}

/** Puts what is known from elsewhere in the place of lost entries. Where the disk takes nothing the next start does it. */
async function settleLosses(state: CatalogState, manifest: Manifest, known: KnownParts): Promise<void> {
  const lost = lostEntries(manifest);
  if (lost?.settled !== false) return;
  const value: LostEntries = {
    told: lost.told,
    settled: true,
    streams: hiddenStreams(state),
    parts: known.unreadable,
  };
  const parts = known.made.map(
    (record): ManifestChange => ({ table: 'parts', key: record.number, value: record }),
  );
  await manifest.commit([...parts, { table: 'meta', key: 'damage', value }]).catch(() => undefined);
}

/** Milliseconds since the Unix epoch; undefined where there are no streams. */
function lastWrite({ streams }: CatalogState): number | undefined {
  let last = 0;
  for (let stream = 0; stream < streams.size; stream++) {
    if (streams.isVisible(stream)) last = Math.max(last, streams.rows.lastWrite[stream]!);
  }
  return last === 0 ? undefined : last;
}

/** The time after which work says how far it is. */
const progressAfterMs = 1000;

/** Says how far a start is, once a second. */
function progressLog(
  log: StoreLog,
  clock: () => number,
): (what: string, done: number, total: number) => void {
  let last = clock();
  return (what, done, total) => {
    if (clock() - last < progressAfterMs) return;
    last = clock();
    log.info({ done, total }, `${what} ${done} of ${total}`);
  };
}

/** Says what was lost and what was cut; loss is a problem that stays until it is dealt with. */
function reportRecovery(
  { damages, cuts }: RecoveredLog,
  root: string,
  report: (problem: string) => void,
  log: StoreLog,
): void {
  for (const damage of damages) {
    report(lineOf({ ...damage, file: join(root, damage.file) }));
  }
  for (const { sequence, from, to } of cuts) {
    log.warn(
      { segment: sequence, from, to },
      `cut ${to - from} bytes at the end of the log: an interrupted write left them, or the disk damaged the last records`,
    );
  }
}
