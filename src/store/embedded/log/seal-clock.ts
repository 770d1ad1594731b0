import type { CommitLog } from './commit-log.ts';

export interface SealClockOptions {
  readonly commitLog: Pick<CommitLog, 'rotate' | 'rest' | 'syncedLsn' | 'currentBytes'>;
  readonly slabBytes: number;
  /** Without a write for this time (ms) nothing much is being written. */
  readonly quietMs: number;
  /** Without a write for this time (ms) the log goes to rest; 60,000 by default. */
  readonly restMs?: number | undefined;
}

/** A slab is sealed after this time even if it is not full, so that a quiet service's log stays short. */
const sealAfterMs = 600_000;
/** In a quiet time a slab is sealed that is filled by so much: rows in parts are read faster than in slabs. */
const quietShare = 1 / 16;

/** Closes slabs that would never become full. Gives back what stops it. */
export function sealClock({ commitLog, slabBytes, quietMs, restMs = 60_000 }: SealClockOptions): () => void {
  let lastLsn = commitLog.syncedLsn;
  const ticksToRest = Math.ceil(restMs / quietMs);
  let quietTicks = 0;
  const slow = setInterval(() => commitLog.rotate(), sealAfterMs).unref();
  const quiet = setInterval(() => {
    const isQuiet = commitLog.syncedLsn === lastLsn;
    lastLsn = commitLog.syncedLsn;
    quietTicks = isQuiet ? quietTicks + 1 : 0;
    if (isQuiet && commitLog.currentBytes >= quietShare * slabBytes) commitLog.rotate();
    if (quietTicks === ticksToRest) commitLog.rest();
  }, quietMs).unref();
  return () => {
    clearInterval(slow);
    clearInterval(quiet);
  };
}
