import { type ErrorCode, isOutOfFiles, outOfFiles, PitwallError } from '../../errors.ts';
import type { ReadThreadsState, StoreHealth, StoreMemory } from '../store.ts';
import type { StoreLog } from '../store-log.ts';
import type { RetentionClock } from './deletes/retention-clock.ts';
import { DamagedError } from './files/damage.ts';
import type { CommitLog } from './log/commit-log.ts';
import type { Heads } from './log/heads.ts';
import type { LeftSlabs } from './log/left-slabs.ts';
import { appendRefusals, type LogState } from './log/log-state.ts';
import type { Flusher } from './maintenance/flush.ts';
import type { WriteRoom } from './maintenance/write-room.ts';
import type { PartCache } from './parts/part-cache.ts';
import type { PartSet } from './parts/part-set.ts';
import type { ReadShare } from './read-shares.ts';

/** What is wrong with the stored bytes of an open store: each problem is logged once and told for as long as it runs. */
export interface Problems {
  /** One line each, in the order in which they were found. */
  readonly all: readonly string[];
  report(problem: string): void;
  /** Reports damage that a read has met, and gives what its reader is told: `data_damaged`. */
  damaged(error: DamagedError): PitwallError;
  /** What a reader is told of any error. */
  explain(error: unknown): unknown;
}

export function storeProblems(log: Pick<StoreLog, 'error'>): Problems {
  const all: string[] = [];

  function report(problem: string): void {
    all.push(problem);
    log.error({}, problem);
  }

  function damaged(error: DamagedError): PitwallError {
    if (!all.includes(error.message)) report(error.message);
    return new PitwallError('data_damaged', {
      detail: 'The rows asked for stand in a damaged file; see /readyz.',
    });
  }

  return {
    all,
    report,
    damaged,
    explain(error) {
      if (error instanceof DamagedError) return damaged(error);
      return isOutOfFiles(error) ? outOfFiles() : error;
    },
  };
}

/** What keeps an open store from taking writes, or from moving them to parts, for as long as it does. */
const sentences: Partial<Readonly<Record<ErrorCode, string>>> = {
  disk_full: 'the disk is full',
  overloaded: 'no more files can be opened',
  storage_failed: 'the storage has failed',
};

/** A sentence on each, once. */
export function presentProblems(codes: readonly (ErrorCode | undefined)[]): string[] {
  const found = codes.map((code) => code && sentences[code]);
  return [...new Set(found.filter((sentence) => sentence !== undefined))];
}

/** The parts of an open store that its health depends on. */
export interface HealthSources {
  readonly commitLog: Pick<CommitLog, 'state'>;
  readonly flush: Pick<Flusher, 'failure'>;
  readonly room: Pick<WriteRoom, 'failure'>;
  readonly problems: Pick<Problems, 'all'>;
  readonly retentionClock: Pick<RetentionClock, 'problems'>;
  readonly heads: Pick<Heads, 'bytes'>;
  readonly parts: Pick<PartSet, 'all'>;
}

export function storeHealth(of: HealthSources): StoreHealth {
  const present = presentProblems([appendRefusals[of.commitLog.state], of.flush.failure]);
  return {
    writable: of.commitLog.state === 'writable' && of.room.failure === undefined,
    problems: [...present, ...of.problems.all, ...of.retentionClock.problems],
    headBytes: of.heads.bytes,
    parts: of.parts.all.length,
  };
}

/** Tells what the store keeps in memory for reads, and how much that may be. */
export function storeMemory(
  cache: PartCache,
  left: LeftSlabs,
  ofThread: ReadShare,
  threads: ReadThreadsState | undefined,
): StoreMemory {
  const { bytes: cacheBytes, limit: cacheLimit, indexes } = cache;
  const count = threads?.threads ?? 0;
  return {
    cache: {
      bytes: cacheBytes + (threads?.cacheBytes ?? 0),
      limit: cacheLimit + count * ofThread.cacheBytes,
    },
    indexes: {
      bytes: indexes.bytes + (threads?.indexBytes ?? 0),
      limit: indexes.limit + count * ofThread.indexBytes,
    },
    snapshots: { bytes: left.bytes, limit: left.limit },
    endedReads: left.ended,
  };
}

/** Logs what the commit log does from now on. */
export function logStateChange(log: StoreLog, state: LogState, cause: unknown): void {
  const message = cause instanceof Error ? cause.message : undefined;
  if (state === 'writable') log.info({}, 'the commit log takes data again: writes go on');
  else if (state !== 'closed')
    log.error({ cause: message }, `the commit log is ${state}: writes are refused`);
}
