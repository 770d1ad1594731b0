import type { CommitLog } from './commit-log.ts';

export interface SealClockOptions {
  readonly commitLog: Pick<CommitLog, 'rotate' | 'syncedLsn' | 'currentBytes'>;
  readonly slabBytes: number;
  /** Without a write for this time (ms) nothing much is being written. */
  readonly quietMs: number;
}

/** A slab is sealed after this time even if it is not full, so that a quiet service's log stays short. */
const sealAfterMs = 600_000;
/** In a quiet time a slab is sealed that is filled by so much: rows in parts are read faster than in slabs. */
const quietShare = 1 / 16;

/** Closes slabs that would never become full. Gives back what stops it. */
export function sealClock({ commitLog, slabBytes, quietMs }: SealClockOptions): () => void {
  let lastLsn = commitLog.syncedLsn;
  const slow = setInterval(() => commitLog.rotate(), sealAfterMs).unref();
  const quiet = setInterval(() => {
    const isQuiet = commitLog.syncedLsn === lastLsn;
    lastLsn = commitLog.syncedLsn;
    if (isQuiet && commitLog.currentBytes >= quietShare * slabBytes) commitLog.rotate();
  }, quietMs).unref();
  return () => {
    clearInterval(slow);
    clearInterval(quiet);
  };
}
