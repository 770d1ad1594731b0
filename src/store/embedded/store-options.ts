import type { StoreLog } from '../store-log.ts';

export interface EmbeddedStoreOptions {
  readonly dataDir: string;
  /** Bytes of memory for rows that are not in parts yet; writers wait beyond it. */
  readonly headBytes: number;
  /** Bytes of memory for blocks of parts that were read lately; 64 MiB by default. */
  readonly cacheBytes?: number;
  /** Bytes of memory for indexes of parts; 128 MiB by default. */
  readonly indexBytes?: number;
  /** Bytes of memory for rows that are in parts by now, for reads that began before; 256 MiB by default. */
  readonly snapshotBytes?: number;
  /** Files of parts that reads have open at one time; 256 by default. */
  readonly maxFiles?: number;
  /** Threads that read beside the main thread, which read all but little reads; 0 by default: the main thread reads. */
  readonly readThreads?: number;
  /** The main thread does reads of so much estimated work itself, in microseconds; by default as `little-work.ts` says. */
  readonly littleWork?: number;
  /** An aggregation on which one thread would work for so many milliseconds more is shared with others; 50 by default. */
  readonly sharedMs?: number;
  /** Bytes of a slab and of its log segment under load; by default an eighth of `headBytes`, 1 to 16 MiB. */
  readonly slabBytes?: number;
  /** A record of so many bytes goes to the log in slices of time, where the batch allows it; 256 KiB by default. */
  readonly longRecordBytes?: number;
  /** An open stream counts as interrupted after this silence. */
  readonly interruptedAfterMs: number;
  /**
   * After this time without a write what is in memory becomes a part, and after this time without a new part small
   * ones are merged, for the sake of readers; 5000 by default.
   */
  readonly quietMs?: number;
  /** After this time without a write all that is in the log becomes parts, and the log small; 60,000 by default. */
  readonly restMs?: number;
  /**
   * `close` makes parts of what is in the log for so long at most; what is left stays in the log. 5000 by default; with
   * 0 the log stays as it is.
   */
  readonly sealOnCloseMs?: number;
  /** A query ends with `query_too_slow` when it has worked for so long without rows to give; 120,000 by default. */
  readonly maxQueryMs?: number;
  /** When sealing and merging may begin, so that they take nothing of a start; at once without it. */
  readonly begin?: Promise<void>;
  readonly log: StoreLog;
  /** Milliseconds since the Unix epoch. */
  readonly clock?: () => number;
  /** Milliseconds of a clock that never goes back, against which the other is held. */
  readonly monotonicMs?: () => number;
}
