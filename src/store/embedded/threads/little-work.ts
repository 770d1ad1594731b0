/**
 * How much estimated work the main thread does itself, in microseconds (docs/decisions/018-read-threads.md). Beside writes it does
 * what is less than a turn; where none has come for a while nobody waits for it, and it does what is about a turn.
 */
const besideWrites = 1000;
const atRest = 2000;
const restMs = 100;

/**
 * @param syncedLsn the last write that is on the disk
 * @param now milliseconds, from any origin
 */
export function littleWork(syncedLsn: () => number, now = () => performance.now()): () => number {
  let last = syncedLsn();
  /** When it was seen that something had been written since the look before. */
  let seen = now();
  return () => {
    const lsn = syncedLsn();
    if (lsn === last) return now() - seen > restMs ? atRest : besideWrites;
    last = lsn;
    seen = now();
    return besideWrites;
  };
}
