import { defaultQueryMs } from '../../query/bounds/pace.ts';
import { queryMemoryUse } from '../../query/bounds/query-memory.ts';
import { CannotOpen } from '../cannot-open.ts';
import type { Store } from '../store.ts';
import { backupsOf } from './backup/backup.ts';
import { type EmbeddedCatalog, embeddedCatalog } from './catalog/catalog-view.ts';
import { RecordApplier } from './catalog/record-applier.ts';
import { workspaceLimits } from './catalog/workspace-limits.ts';
import { type Closing, closing } from './closing.ts';
import { expiry } from './deletes/expiry.ts';
import { repairExtents } from './deletes/row-deleter.ts';
import { DamagedError } from './files/damage.ts';
import { type DataDirectory, explain } from './files/directory.ts';
import { DirectoryLocked } from './files/directory-lock.ts';
import { mendFormat } from './files/format-file.ts';
import { logStateChange, storeHealth, storeMemory, storeProblems } from './health.ts';
import { CommitLog } from './log/commit-log.ts';
import { openHeads } from './log/heads.ts';
import { type LeftSlabs, leftSlabs } from './log/left-slabs.ts';
import { openSegments } from './log/log-segments.ts';
import { sealClock } from './log/seal-clock.ts';
import { isSpare } from './log/segment-names.ts';
import { align, commitAlignment, slabMemory } from './log/slab.ts';
import { slabSizes } from './log/slab-sizes.ts';
import { backgroundWorker } from './maintenance/background.ts';
import { flusher } from './maintenance/flush.ts';
import { isMergingBehind } from './maintenance/merge-policy.ts';
import { merger } from './maintenance/merger.ts';
import { WriteRoom } from './maintenance/write-room.ts';
import type { CopyableManifest } from './manifest/manifest.ts';
import { openFolder } from './open-folder.ts';
import { partNumbers } from './parts/part-record.ts';
import { storeReads } from './read/store-reads.ts';
import { readShares } from './read-shares.ts';
import { RecordAppender } from './record-appender.ts';
import { type RecoveredState, recoverState } from './recovery.ts';
import { snapshotTaker } from './snapshot/snapshot.ts';
import { storeChanges } from './store-changes.ts';
import type { EmbeddedStoreOptions } from './store-options.ts';
import { littleWork } from './threads/little-work.ts';
import { readThreads } from './threads/read-threads.ts';
import { storeAnswers } from './threads/store-answers.ts';
import { storeQuestions } from './threads/store-questions.ts';

export { CannotOpen, DirectoryLocked, type EmbeddedStoreOptions };

/** The store of one process, whose catalogue is in memory. */
export interface EmbeddedStore extends Store {
  readonly catalog: EmbeddedCatalog;
}

/**
 * Opens the store of a data directory, making it where there is none, and recovers what a stop of any kind left.
 * Throws CannotOpen or DirectoryLocked with one line for the person who started the service.
 */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<EmbeddedStore> {
  const opened = closing();
  try {
    return await openStore(options, opened);
  } catch (error) {
    await opened.close();
    throw explain(error, options.dataDir);
  }
}

/** Builds the store bottom-up; `opened` closes it in reverse. */
async function openStore(options: EmbeddedStoreOptions, opened: Closing): Promise<EmbeddedStore> {
  const { log, interruptedAfterMs, clock = Date.now, quietMs = 5000 } = options;
  const problems = storeProblems(log);
  const { paths, manifest, damage } = await openFolder(options, opened, problems);
  // The main thread and each thread that reads keep what they read.
  const { readThreads: threadCount = 0 } = options;
  const share = readShares(options, threadCount);
  const found = await recoverState({
    paths,
    manifest,
    ...share.own,
    clock,
    monotonicMs: options.monotonicMs ?? (() => performance.now()),
    log,
    report: problems.report,
  });
  // The rest of the folder is of this version: it was read.
  if (damage !== undefined) await mendFormat(paths.root, log);
  const { state, parts, retentionClock } = found;
  const left = leftSlabs(options.snapshotBytes ?? 256 << 20, (bytes) =>
    log.warn({ bytes }, 'a read ended: its client took rows too slowly, and memory was short'),
  );
  opened.add(retentionClock.close);
  opened.add(parts.close);
  const { heads, memory, merge, flush, room, commitLog } = await openLogAndParts(
    { ...options, clock, quietMs },
    { paths, manifest, found, left },
    opened,
  );
  const takeSnapshot = snapshotTaker({ state, parts, heads: heads.all, left });
  await repairExtents(state, takeSnapshot).catch((error: unknown) => {
    if (!(error instanceof DamagedError)) throw error;
    problems.damaged(error);
  });
  for (const head of heads.all()) flush.add(head);
  merge.wake();
  opened.add(sealClock({ commitLog, slabBytes: memory.slabBytes, quietMs, restMs: options.restMs }));
  const maxQueryMs = options.maxQueryMs ?? defaultQueryMs;
  const memoryUse = queryMemoryUse(1 + threadCount);
  const { explain: explained } = problems;
  const threads =
    threadCount === 0
      ? undefined
      : readThreads({
          ...share.ofThread,
          threads: threadCount,
          maxQueryMs,
          sharedMs: options.sharedMs ?? 50,
          memoryUse,
          parts,
          left,
          explain: explained,
          log,
        });
  const { littleWork: fixed } = options;
  const mostOfLittle = fixed === undefined ? littleWork(() => commitLog.syncedLsn) : () => fixed;
  const ask = storeQuestions({ threads, mostOfLittle });
  const expired = expiry({
    state,
    takeSnapshot,
    ask,
    onFailure(error) {
      if (error instanceof DamagedError) problems.damaged(error);
      else log.error({ error: (error as Error).message }, 'the bounds of streams could not be computed anew');
    },
  });
  opened.add(expired.close);
  retentionClock.start(() => {
    state.removals.add(undefined);
    merge.wake();
    expired.settle();
  });
  const backups = backupsOf(
    { manifest, parts, heads: heads.all, left, syncedLsn: () => commitLog.syncedLsn },
    paths.root,
    clock,
  );
  opened.add(backups.close);
  const reads = storeReads({ state, takeSnapshot, left, maxQueryMs, memoryUse, explain: explained });
  if (threads !== undefined) opened.add(threads.close);
  const limits = workspaceLimits({ state, heads: heads.all, partBytes: merge.liveBytes });
  const appender = new RecordAppender({
    state,
    clock,
    limits,
    room,
    commitLog,
    settleExpired: expired.settle,
  });
  return {
    append: appender.append.bind(appender),
    admit: appender.admit.bind(appender),
    room: room.wait.bind(room),
    ...storeChanges({
      state,
      interruptedAfterMs,
      room,
      commitLog,
      takeSnapshot,
      ask,
      explain: explained,
    }),
    ...reads,
    answer: storeAnswers({
      state,
      takeSnapshot,
      reads,
      threads,
      mostOfLittle,
      maxQueryMs,
    }),
    catalog: embeddedCatalog(state, interruptedAfterMs),
    memory: () => storeMemory(found.cache, left, share.ofThread, threads?.state),
    readThreads: () => threads?.state,
    health: () => storeHealth({ commitLog, flush, room, problems, retentionClock, heads, parts }),
    backup: backups.begin,
    clock: retentionClock,
    close: opened.close,
  };
}

/** What rows go through: the commit log, the heads, and what makes parts of them. */
async function openLogAndParts(
  options: EmbeddedStoreOptions & { readonly clock: () => number; readonly quietMs: number },
  folder: { paths: DataDirectory; manifest: CopyableManifest; found: RecoveredState; left: LeftSlabs },
  opened: Closing,
) {
  const { begin, log, clock, quietMs, sealOnCloseMs = 5000 } = options;
  const { paths, manifest, found, left } = folder;
  const { state, parts, recovered, files } = found;
  const slabBytes = options.slabBytes ?? Math.min(16 << 20, Math.max(1 << 20, options.headBytes / 8));
  const memory = slabMemory(align(slabBytes, commitAlignment));
  const heads = openHeads(found.heads);
  const sizes = slabSizes(memory.slabBytes);
  const segments = await openSegments(files, sizes.first, found.names.filter(isSpare));
  opened.add(segments.close);
  for (const sequence of recovered.obsolete) await segments.recycle(sequence);
  const shared = {
    manifest,
    state,
    parts,
    directory: paths.parts,
    numbers: partNumbers(found.known.nextPart),
  };
  const mergeWorker = backgroundWorker(() => isMergingBehind(parts.all.map(({ record }) => record)));
  const merge = merger({ ...shared, background: mergeWorker, begin, clock, quietMs, log });
  const damaged = recovered.slabs.filter((slab) => slab.damaged);
  const flush = flusher({
    ...shared,
    segments,
    memory,
    background: backgroundWorker(() => room.isHalfTaken),
    begin,
    draftedLsn: () => commitLog.draftedLsn,
    damagedSequences: new Set(damaged.map(({ slab }) => slab.sequence)),
    onFlushed(head) {
      heads.remove(head);
      left.sealed(head);
      merge.wake();
    },
    log,
  });
  const room = new WriteRoom(flush, memory, options.headBytes);
  opened.add(flush.close);
  opened.add(() => flush.finish(sealOnCloseMs));
  opened.add(merge.close);
  const commitLog = new CommitLog({
    applier: new RecordApplier({ state, heads, onRemoval: merge.wake }),
    longBytes: options.longRecordBytes,
    segments,
    memory,
    sizes,
    nextSequence: 1 + Math.max(recovered.lastSequence, Number(manifest.read('meta', 'sequence') ?? 0)),
    nextLsn: recovered.lastLsn + 1,
    clock,
    onClosed(slab) {
      const head = heads.find(slab);
      if (head !== undefined) flush.add(head);
      else segments.recycle(slab.sequence).catch(() => undefined);
    },
    onStateChange: (next, cause) => logStateChange(log, next, cause),
  });
  opened.add(() => noteSynced(manifest, commitLog.syncedLsn));
  opened.add(async () => {
    const isWell = commitLog.state === 'writable';
    await commitLog.close();
    if (isWell && sealOnCloseMs > 0) await commitLog.rest();
  });
  manifest.ended.then((cause) => commitLog.fail(cause));
  if (found.unsettled !== undefined) commitLog.fail(found.unsettled);
  return { heads, memory, merge, flush, room, commitLog };
}

/** At a stop: a start misses records up to here that are not in the log any more. */
async function noteSynced(manifest: CopyableManifest, syncedLsn: number): Promise<void> {
  await manifest.commit([{ table: 'meta', key: 'syncedLsn', value: syncedLsn }]).catch(() => undefined);
}
