import { PitwallError } from '../../errors.ts';
import { CannotOpen } from '../cannot-open.ts';
import { usualQueryMs } from '../pace.ts';
import type { Store, StoreHealth } from '../store.ts';
import type { StoreLog } from '../store-log.ts';
import { backupsOf } from './backup/backup.ts';
import { applyRecord } from './catalog/apply-record.ts';
import { type CatalogView, catalogView } from './catalog/catalog-view.ts';
import { workspaceLimits } from './catalog/workspace-limits.ts';
import { expiry } from './deletes/expiry.ts';
import { repairExtents, rowDeleter } from './deletes/row-deleter.ts';
import { DamagedError } from './files/damage.ts';
import {
  type DataDirectory,
  explain,
  furnishDirectory,
  hasData,
  prepareDirectory,
  raiseFormat,
} from './files/directory.ts';
import { type DirectoryLock, DirectoryLocked, lockDirectory } from './files/directory-lock.ts';
import { openCommitLog } from './log/commit-log.ts';
import { addSection, type HeadSlab, headSlab } from './log/head.ts';
import type { RecordPlace } from './log/log-record.ts';
import { isSpare, openSegments } from './log/log-segments.ts';
import { appendAnswer } from './log/log-state.ts';
import { sealClock } from './log/seal-clock.ts';
import { type SectionDraft, sectionsBytes, writeSections } from './log/sections.ts';
import { align, groupAlignment, type Slab, slabMemory } from './log/slab.ts';
import { backgroundWorker } from './maintenance/background.ts';
import { flusher } from './maintenance/flush.ts';
import { merger } from './maintenance/merger.ts';
import type { CopyableManifest } from './manifest/manifest.ts';
import { openManifest } from './manifest/open-manifest.ts';
import { type Problems, presentProblems, storeProblems } from './problems.ts';
import { storeReads } from './read/store-reads.ts';
import { snapshotTaker } from './read/take-snapshot.ts';
import { recoverState } from './recovery.ts';
import { storeWrites } from './store-writes.ts';

export interface EmbeddedStoreOptions {
  readonly dataDir: string;
  /** Bytes of memory for rows that are not in parts yet; writers wait beyond it. */
  readonly headBytes: number;
  /** Bytes of memory for blocks of parts that were read lately; 64 MiB by default. */
  readonly cacheBytes?: number;
  /** Files of parts that reads have open at one time; 256 by default. */
  readonly mostFiles?: number;
  /** Bytes of a slab and of its log segment; by default an eighth of `headBytes`, 1 to 16 MiB. */
  readonly slabBytes?: number;
  /** An open stream counts as interrupted after this silence. */
  readonly interruptedAfterMs: number;
  /**
   * After this time without a write what is in memory becomes a part, and after this time without a new part small
   * ones are merged, for the sake of readers; 5000 by default.
   */
  readonly quietMs?: number;
  /** A query ends with `query_too_slow` when it has worked for so long without rows to give; 120,000 by default. */
  readonly maxQueryMs?: number;
  readonly log: StoreLog;
  /** Milliseconds since the Unix epoch. */
  readonly clock?: () => number;
  /** Milliseconds of a clock that never goes back, against which the other is held. */
  readonly monotonicMs?: () => number;
}

export { CannotOpen, DirectoryLocked };

/** The store of one process, whose catalogue is in memory. */
export interface EmbeddedStore extends Store {
  readonly catalog: CatalogView;
}

/**
 * Opens the store of a data directory, making it where there is none, and recovers what a stop of any kind left
 * behind. Throws CannotOpen or DirectoryLocked with one line for the person who started the service.
 */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<EmbeddedStore> {
  const release: (() => Promise<void>)[] = [];
  try {
    const paths = await prepareDirectory(options.dataDir);
    const lock = await lockDirectory(paths.root);
    release.unshift(lock.release);
    await furnishDirectory(paths);
    const problems = storeProblems(options.log);
    const manifest = await openManifest(paths.catalog, {
      isUsed: () => hasData(paths),
      onUpgrade: () => raiseFormat(paths.root),
      report: problems.report,
      note: (message) => options.log.warn({}, message),
    });
    release.unshift(manifest.close);
    return await openLocked(options, paths, lock, manifest, problems);
  } catch (error) {
    for (const step of release) await step();
    throw explain(error, options.dataDir);
  }
}

async function openLocked(
  options: EmbeddedStoreOptions,
  paths: DataDirectory,
  lock: DirectoryLock,
  manifest: CopyableManifest,
  problems: Problems,
): Promise<EmbeddedStore> {
  const { log } = options;
  const clock = options.clock ?? Date.now;
  const quietMs = options.quietMs ?? 5000;
  const found = await recoverState({
    paths,
    manifest,
    cacheBytes: options.cacheBytes ?? 64 << 20,
    mostFiles: options.mostFiles ?? 256,
    clock,
    monotonicMs: options.monotonicMs ?? (() => performance.now()),
    log,
    report: problems.report,
  });
  const { state, retentionClock, known, parts, files, recovered, names } = found;
  let { heads } = found;

  const slabBytes = options.slabBytes ?? Math.min(16 << 20, Math.max(1 << 20, options.headBytes / 8));
  const memory = slabMemory(align(slabBytes, groupAlignment));
  const segments = openSegments(files, memory.slabBytes, names.filter(isSpare));
  for (const sequence of recovered.obsolete) await segments.recycle(sequence);

  const heldBytes = () => heads.reduce((sum, { slab }) => sum + slab.bytes.length, 0);
  const flush = flusher({
    manifest,
    state,
    parts,
    segments,
    memory,
    directory: paths.parts,
    background: backgroundWorker(),
    nextPart: known.nextPart,
    damagedSequences: new Set(
      recovered.slabs.filter(({ damaged }) => damaged).map(({ slab }) => slab.sequence),
    ),
    onFlushed(head) {
      heads = heads.filter((other) => other !== head);
      merge.wake();
    },
    log,
  });
  const merge = merger({
    manifest,
    state,
    parts,
    directory: paths.parts,
    background: backgroundWorker(),
    flush,
    clock,
    quietMs,
    log,
  });

  const headOf = (slab: Slab): HeadSlab => {
    const last = heads.at(-1);
    if (last?.slab === slab) return last;
    const made = headSlab(slab);
    heads = [...heads, made];
    return made;
  };
  const takeSnapshot = snapshotTaker({ state, parts, heads: () => heads });
  const commitLog = openCommitLog({
    segments,
    memory,
    nextSequence: 1 + Math.max(recovered.lastSequence, Number(manifest.read('meta', 'sequence') ?? 0)),
    nextLsn: recovered.lastLsn + 1,
    clock,
    onClosed(slab) {
      const head = heads.find((candidate) => candidate.slab === slab);
      if (head !== undefined) flush.add(head);
      else segments.recycle(slab.sequence).catch(() => undefined);
    },
    onStateChange(next, cause) {
      const message = cause instanceof Error ? cause.message : undefined;
      if (next === 'writable') log.info({}, 'the commit log takes data again: writes go on');
      else if (next !== 'closed')
        log.error({ cause: message }, `the commit log is ${next}: writes are refused`);
    },
  });
  manifest.ended.then(commitLog.fail);
  if (found.unsettled !== undefined) commitLog.fail(found.unsettled);
  await repairExtents(state, takeSnapshot).catch((error: unknown) => {
    if (!(error instanceof DamagedError)) throw error;
    problems.damaged(error);
  });
  for (const head of heads) flush.add(head);
  merge.wake();
  const stopSealing = sealClock({ commitLog, slabBytes: memory.slabBytes, quietMs });

  /** Rows that wait to become parts may fill the budget but for one slab, which is being written. */
  const isFull = () =>
    flush.waitingBytes + 2 * memory.slabBytes > Math.max(options.headBytes, 3 * memory.slabBytes);

  const limits = workspaceLimits({ state, heads: () => heads, partBytes: merge.liveBytes });

  /** Resolves when the record is durable and applied; `before` runs just before it is. */
  function commit(
    drafts: readonly SectionDraft[],
    before: (place: RecordPlace) => void = () => undefined,
  ): Promise<void> {
    return commitLog.append(
      sectionsBytes(drafts),
      (slab, at) => writeSections(slab, at, drafts),
      (slab, place) => {
        before(place);
        const head = headOf(slab);
        const { deaths, tombstones } = state;
        const known = tombstones.all;
        applyRecord(state, slab, place, (_slab, at) => addSection(head, at, place.lsn));
        if (state.deaths !== deaths || tombstones.all !== known) merge.wake();
      },
    );
  }

  const { append, changeStreams, checkWritable, makeRoom } = storeWrites({
    state,
    clock,
    interruptedAfterMs: options.interruptedAfterMs,
    limits,
    checkRoom() {
      if (flush.failure !== undefined && isFull()) throw new PitwallError(flush.failure);
    },
    commit,
    rotate: commitLog.rotate,
    settleExpired: () => expired.settle(),
  });

  const deleteRange = rowDeleter({
    state,
    checkWritable,
    commit,
    takeSnapshot,
    explain: problems.explain,
  });

  const onExtentFailure = (error: unknown): void => {
    if (error instanceof DamagedError) problems.damaged(error);
    else log.error({ error: (error as Error).message }, 'the bounds of streams could not be computed anew');
  };
  const expired = expiry({ state, takeSnapshot, onFailure: onExtentFailure });
  retentionClock.start(() => {
    state.deaths++;
    merge.wake();
    expired.settle();
  });

  const backups = backupsOf(
    { manifest, parts, heads: () => heads, syncedLsn: () => commitLog.syncedLsn },
    paths.root,
    clock,
  );
  const catalog = catalogView(state, options.interruptedAfterMs);
  const reads = storeReads({
    state,
    takeSnapshot,
    maxQueryMs: options.maxQueryMs ?? usualQueryMs,
    explain: problems.explain,
  });
  return {
    append,
    changeStreams,
    async deleteRows(selection, parameters) {
      const deleted = await deleteRange(selection, parameters);
      makeRoom(selection.workspace);
      return deleted;
    },
    room: () => (isFull() && flush.failure === undefined ? flush.progress() : undefined),
    ...reads,
    catalog,
    health(): StoreHealth {
      const now = [appendAnswer[commitLog.state], flush.failure];
      return {
        writable: commitLog.state === 'writable' && !(flush.failure !== undefined && isFull()),
        problems: [...presentProblems(now), ...problems.all, ...retentionClock.problems],
        headBytes: heldBytes(),
        parts: parts.all.length,
      };
    },
    backup: backups.begin,
    clock: retentionClock,
    async close() {
      stopSealing();
      await commitLog.close();
      await backups.close();
      await expired.close();
      await merge.close();
      await flush.close();
      await segments.close();
      await parts.close();
      await retentionClock.close();
      // So that a start misses records that were here now.
      const { syncedLsn } = commitLog;
      await manifest.commit([{ table: 'meta', key: 'syncedLsn', value: syncedLsn }]).catch(() => undefined);
      await manifest.close();
      await lock.release();
    },
  };
}
